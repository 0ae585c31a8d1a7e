// Topics of the global bus: what each keeps, since when, and how fast that comes and goes. On an application's page of queues, and on
// that of all topics.
import { useMay } from "../../api/session";
import { rate } from "../../model/figures";
import { type Topic, purposeText } from "../../model/queue";
import { duration } from "../../model/show";
import { To } from "../../parts/bits";
import { type Column, Table } from "../../parts/Table";

export function TopicTable({ topics }: { readonly topics: readonly Topic[] }) {
  // What records say is of all tenants.
  const operates = useMay("operator");
  const name: Column<Topic> = { head: "Topic", cell: ({ topic }) => (operates ? <To route={{ page: "topic", name: topic }}>{topic}</To> : <code>{topic}</code>) };
  return <Table caption="Table of topics" rows={topics} rowKey={(one) => one.topic} columns={[name, ...COLUMNS]} empty={<p>There is none.</p>} />;
}

const COLUMNS: readonly Column<Topic>[] = [
  { head: "For", cell: purposeText },
  { head: "Kept", kind: "number", cell: (one) => one.records.toLocaleString("en") },
  { head: "Oldest", kind: "number", cell: (one) => (one.oldestMs === undefined ? "–" : duration(one.oldestMs)) },
  { head: "In", kind: "number", cell: (one) => rateText(one.inPerSecond) },
  { head: "Out", kind: "number", cell: (one) => rateText(one.outPerSecond) },
  { head: "Partitions", kind: "number", cell: (one) => one.partitions },
];

/** A platform that has just started has none yet. */
function rateText(perSecond: number | undefined): string {
  return perSecond === undefined ? "…" : rate(perSecond, 1);
}
