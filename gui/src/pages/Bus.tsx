// An application's queues: those in sand.yaml and behind triggers, in the global bus; and those of its grains, on each host.
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { MOST_LETTERS, busPaths, queues } from "../api/bus";
import { paths } from "../api/queries";
import { status } from "../api/running";
import { useMay } from "../api/session";
import { type Seen, rateOf, seen } from "../model/arrivals";
import { rate } from "../model/figures";
import { type LocalQueue, localQueues } from "../model/hosts";
import { type Queue, atMost } from "../model/queue";
import { Found, Section, Title, To } from "../parts/bits";
import { AsCurl } from "../parts/copy";
import { type Column, Table } from "../parts/Table";
import { Waiting } from "./Hosts";

export function Bus({ app }: { readonly app: string }) {
  const query = useQuery(queues(app));
  const rates = useRates(query.data?.queues, query.dataUpdatedAt);
  return (
    <>
      <Title>Queues</Title>
      <Found query={query}>
        {({ queues: found }) => (
          <Table
            caption="Queues"
            rows={found}
            rowKey={(one) => one.name}
            columns={columns(app, rates)}
            empty={
              <p>
                <strong>The live version has none.</strong> Under <code>queues:</code> in its sand.yaml stand queues whose messages call a grain or workflow, with retries and dead letters.
              </p>
            }
          />
        )}
      </Found>
      <AsCurl name="queues" url={busPaths.queues(app)} command={["queues", "list", app]} />
      {useMay("operator") && <LocalQueues app={app} />}
    </>
  );
}

/** Of each queue, from what was seen of it since the page was opened. */
function useRates(found: readonly Queue[] | undefined, atMs: number): ReadonlyMap<string, number | null> {
  const [samples, setSamples] = useState<ReadonlyMap<string, readonly Seen[]>>(new Map());
  useEffect(() => {
    if (found) setSamples((before) => new Map(found.map((one) => [one.name, seen(before.get(one.name) ?? [], { atMs, sent: one.sent })])));
  }, [found, atMs]);
  return new Map([...samples].map(([name, all]) => [name, rateOf(all)]));
}

/** What waits on hosts, which are the operator's to see. */
function LocalQueues({ app }: { readonly app: string }) {
  return (
    <Section title="Events that wait for an instance">
      <p className="quiet">The local bus: a queue for each grain, on each host where the application is.</p>
      <Found query={useQuery(status())}>
        {(found) => (
          <Table
            caption="Local queues"
            rows={localQueues(found.hosts, app)}
            rowKey={(one) => one.key}
            columns={LOCAL}
            empty={<p>No host has had a request for this application lately.</p>}
          />
        )}
      </Found>
      <AsCurl name="local queues" url={paths.status()} />
    </Section>
  );
}

function columns(app: string, rates: ReadonlyMap<string, number | null>): readonly Column<Queue>[] {
  return [
    { head: "Queue", cell: (one) => <To route={{ page: "queue", app, name: one.name, after: "" }}>{one.name}</To> },
    { head: "Kind", cell: (one) => (one.trigger ? "of a trigger" : "queue") },
    { head: "Target", cell: (one) => one.target },
    { head: "Waiting", kind: "number", cell: (one) => one.waiting.toLocaleString("en") },
    { head: "New", kind: "number", cell: (one) => rateText(rates.get(one.name) ?? null) },
    { head: "Dead letters", kind: "number", cell: (one) => <span className={one.deadLetters > 0 ? "failed" : ""}>{atMost(one.deadLetters, MOST_LETTERS)}</span> },
    { head: "At once on a host", kind: "number", cell: (one) => one.concurrency },
    { head: "Attempts", kind: "number", cell: (one) => one.retries + 1 },
  ];
}

/** Once it was looked at for a while. */
function rateText(perSecond: number | null): string {
  return perSecond === null ? "…" : rate(perSecond, 1);
}

const LOCAL: readonly Column<LocalQueue>[] = [
  { head: "Grain", cell: (one) => one.grain.grain },
  { head: "Host", cell: (one) => one.host },
  { head: "Version", kind: "number", cell: (one) => one.version },
  { head: "Waiting", kind: "number", cell: (one) => <Waiting queued={one.grain.queued} oldestMs={one.grain.oldestMs} /> },
  { head: "Running", kind: "number", cell: (one) => one.grain.running },
  { head: "Idle", kind: "number", cell: (one) => one.grain.idle },
];
