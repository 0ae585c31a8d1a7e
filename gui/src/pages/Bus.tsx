// What an application has on the message bus: its queues and other topics on the global one, and its grains' queues on each host.
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { MOST_LETTERS, busPaths, localQueues, topics } from "../api/bus";
import { isGone } from "../api/client";
import { type Rates, type Seen, WINDOW_MS, ratesOf, seen } from "../model/arrivals";
import { rate } from "../model/figures";
import { type LocalQueue, keyOf, longestFirst, silentText } from "../model/localQueue";
import { type Queue, atMost } from "../model/queue";
import { Found, Section, Title, To } from "../parts/bits";
import { AsCurl } from "../parts/copy";
import { type Column, Table } from "../parts/Table";
import { Waiting } from "./Hosts";
import { TopicTable } from "./topic/TopicTable";

export function Bus({ app }: { readonly app: string }) {
  const query = useQuery(topics(app));
  const queueRates = useRates(query.data?.queues, nameOf, doneOf, query.dataUpdatedAt);
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
            {found.length > 0 && <p className="quiet">In and out: messages that came and that were worked off, in the last {WINDOW_MS / 1000} seconds that this page was open.</p>}
            <AsCurl name="queues" url={busPaths.queues(app)} command={["queues", "list", app]} />
            <Section title="Topics">
              <p className="quiet">What else the application has on the global bus. A journal is trimmed in steps: what has ended stays there for a while.</p>
              <TopicTable topics={others ?? []} />
              <AsCurl name="topics" url={busPaths.topics(app)} command={["queues", "list", app, "--topics"]} />
            </Section>
          </>
        )}
      </Found>
      {!isGone(query.error) && <LocalQueues app={app} />}
    </>
  );
}

const nameOf = (queue: Queue): string => queue.name;

const doneOf = (queue: Queue): number => queue.sent - queue.waiting;

/** Of each, from what was seen of it since the page was opened. @param name and done: the same functions each time */
function useRates<T extends { readonly sent: number }>(found: readonly T[] | undefined, name: (one: T) => string, done: (one: T) => number, atMs: number): ReadonlyMap<string, Rates | null> {
  const [samples, setSamples] = useState<ReadonlyMap<string, readonly Seen[]>>(new Map());
  useEffect(() => {
    if (found) setSamples((before) => new Map(found.map((one) => [name(one), seen(before.get(name(one)) ?? [], { atMs, sent: one.sent, done: done(one) })])));
  }, [found, name, done, atMs]);
  return new Map([...samples].map(([key, all]) => [key, ratesOf(all)]));
}

function LocalQueues({ app }: { readonly app: string }) {
  return (
    <Section title="Events that wait for an instance">
      <Found query={useQuery(localQueues(app))}>
        {({ queues, silent, rateWindowMs }) => (
          <>
            <p className="quiet">
              The local bus: a queue for each grain. In and out: events that came and that were handed to an instance, in the last {rateWindowMs / 1000} seconds; also those that did not wait.
            </p>
            {silentText(silent) !== null && <p role="status">{silentText(silent)}</p>}
            <Table
              caption="Local queues"
              rows={longestFirst(queues)}
              rowKey={keyOf}
              columns={localColumns(app, queues.some((one) => one.host !== undefined))}
              empty={<p>No host has had a request for this application lately.</p>}
            />
          </>
        )}
      </Found>
      <AsCurl name="local queues" url={busPaths.local(app)} command={["queues", "list", app, "--local"]} />
    </Section>
  );
}

/** @param hasHosts others than the operator are told of all hosts as one */
function localColumns(app: string, hasHosts: boolean): readonly Column<LocalQueue>[] {
  const host: Column<LocalQueue> = { head: "Host", cell: (one) => one.host ?? "" };
  return [
    { head: "Grain", cell: (one) => <To route={{ page: "localQueue", app, name: one.grain }}>{one.grain}</To> },
    ...(hasHosts ? [host] : []),
    { head: "Version", kind: "number", cell: (one) => one.version },
    { head: "Waiting", kind: "number", cell: (one) => <Waiting queued={one.waiting} oldestMs={one.oldestMs ?? 0} /> },
    { head: "In", kind: "number", cell: (one) => rate(one.inPerSecond, 1) },
    { head: "Out", kind: "number", cell: (one) => rate(one.outPerSecond, 1) },
    { head: "Running", kind: "number", cell: (one) => one.running },
    { head: "Idle", kind: "number", cell: (one) => one.idle },
  ];
}

function columns(app: string, rates: ReadonlyMap<string, Rates | null>): readonly Column<Queue>[] {
  return [
    { head: "Queue", cell: (one) => <To route={{ page: "queue", app, name: one.name, after: "" }}>{one.name}</To> },
    { head: "Kind", cell: (one) => (one.trigger ? "of a trigger" : "queue") },
    { head: "Target", cell: (one) => one.target },
    { head: "Waiting", kind: "number", cell: (one) => <Waiting queued={one.waiting} oldestMs={one.oldestMs ?? 0} /> },
    { head: "In", kind: "number", cell: (one) => rateText(rates.get(one.name)?.inPerSecond) },
    { head: "Out", kind: "number", cell: (one) => rateText(rates.get(one.name)?.outPerSecond) },
    { head: "Dead letters", kind: "number", cell: (one) => <span className={one.deadLetters > 0 ? "failed" : ""}>{atMost(one.deadLetters, MOST_LETTERS)}</span> },
    { head: "At once on a host", kind: "number", cell: (one) => one.concurrency },
    { head: "Attempts", kind: "number", cell: (one) => one.retries + 1 },
  ];
}

/** Once it was looked at for a while. */
function rateText(perSecond: number | undefined): string {
  return perSecond === undefined ? "…" : rate(perSecond, 1);
}
