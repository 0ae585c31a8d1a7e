// What an application has on the message bus: its queues and other topics on the global one, and its grains' queues on each host.
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { MOST_LETTERS, busPaths, topics } from "../api/bus";
import { paths } from "../api/queries";
import { status } from "../api/running";
import { useMay } from "../api/session";
import { type Seen, rateOf, seen } from "../model/arrivals";
import { rate } from "../model/figures";
import { type LocalQueue, localQueues } from "../model/hosts";
import { type Queue, type Topic, atMost, purposeText } from "../model/queue";
import { duration } from "../model/show";
import { Found, Section, Title, To } from "../parts/bits";
import { AsCurl } from "../parts/copy";
import { type Column, Table } from "../parts/Table";
import { Waiting } from "./Hosts";

export function Bus({ app }: { readonly app: string }) {
  const query = useQuery(topics(app));
  const queueRates = useRates(query.data?.queues, nameOf, query.dataUpdatedAt);
  const topicRates = useRates(query.data?.topics, topicOf, query.dataUpdatedAt);
  return (
    <>
      <Title>Queues</Title>
      <Found query={query}>
        {({ queues: found, topics: others }) => (
          <>
            <Table
              caption="Queues"
              rows={found}
              rowKey={nameOf}
              columns={columns(app, queueRates)}
              empty={
                <p>
                  <strong>The live version has none.</strong> Under <code>queues:</code> in its sand.yaml stand queues whose messages call a grain or workflow, with retries and dead letters.
                </p>
              }
            />
            <AsCurl name="queues" url={busPaths.queues(app)} command={["queues", "list", app]} />
            <Section title="Topics">
              <p className="quiet">What else the application has on the global bus. A journal is trimmed in steps: what has ended stays there for a while.</p>
              <Table caption="Table of topics" rows={others ?? []} rowKey={topicOf} columns={topicColumns(topicRates)} />
              <AsCurl name="topics" url={busPaths.topics(app)} command={["queues", "list", app, "--topics"]} />
            </Section>
          </>
        )}
      </Found>
      {useMay("operator") && <LocalQueues app={app} />}
    </>
  );
}

const nameOf = (queue: Queue): string => queue.name;
const topicOf = (topic: Topic): string => topic.topic;

/** Of each, from what was seen of it since the page was opened. @param name the same function each time */
function useRates<T extends { readonly sent: number }>(found: readonly T[] | undefined, name: (one: T) => string, atMs: number): ReadonlyMap<string, number | null> {
  const [samples, setSamples] = useState<ReadonlyMap<string, readonly Seen[]>>(new Map());
  useEffect(() => {
    if (found) setSamples((before) => new Map(found.map((one) => [name(one), seen(before.get(name(one)) ?? [], { atMs, sent: one.sent })])));
  }, [found, name, atMs]);
  return new Map([...samples].map(([key, all]) => [key, rateOf(all)]));
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
    { head: "Waiting", kind: "number", cell: (one) => <Waiting queued={one.waiting} oldestMs={one.oldestMs ?? 0} /> },
    { head: "New", kind: "number", cell: (one) => rateText(rates.get(one.name) ?? null) },
    { head: "Dead letters", kind: "number", cell: (one) => <span className={one.deadLetters > 0 ? "failed" : ""}>{atMost(one.deadLetters, MOST_LETTERS)}</span> },
    { head: "At once on a host", kind: "number", cell: (one) => one.concurrency },
    { head: "Attempts", kind: "number", cell: (one) => one.retries + 1 },
  ];
}

function topicColumns(rates: ReadonlyMap<string, number | null>): readonly Column<Topic>[] {
  return [
    { head: "Topic", cell: (one) => <code>{one.topic}</code> },
    { head: "For", cell: purposeText },
    { head: "Kept", kind: "number", cell: (one) => one.records.toLocaleString("en") },
    { head: "Oldest", kind: "number", cell: (one) => (one.oldestMs === undefined ? "–" : duration(one.oldestMs)) },
    { head: "New", kind: "number", cell: (one) => rateText(rates.get(one.topic) ?? null) },
    { head: "Partitions", kind: "number", cell: (one) => one.partitions },
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
