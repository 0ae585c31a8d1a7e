// The application's triggers in short: what fires, whether it is armed, and what it calls.
import { useQuery } from "@tanstack/react-query";
import { triggers } from "../../api/bus";
import { type Trigger, firesText } from "../../model/queue";
import { Section, StatusBadge, To, Trouble } from "../../parts/bits";
import { type Column, Table } from "../../parts/Table";

export function Fires({ app }: { readonly app: string }) {
  const { data, error } = useQuery(triggers(app));
  if (error === null && (data === undefined || data.triggers.length === 0)) return null;
  return (
    <Section title="Triggers" aside={<To route={{ page: "triggers", app }}>Arm and disarm</To>}>
      {error && <Trouble error={error} />}
      {data && <Table caption="Table of triggers" rows={data.triggers} rowKey={(one) => one.name} columns={columns(app)} />}
    </Section>
  );
}

function columns(app: string): readonly Column<Trigger>[] {
  return [
    { head: "Trigger", cell: (one) => <To route={{ page: "queue", app, name: one.name, after: "" }}>{one.name}</To> },
    { head: "State", cell: (one) => <StatusBadge status={one.armed ? "armed" : "disarmed"} /> },
    { head: "Fires", cell: (one) => <code>{firesText(one)}</code> },
    { head: "Target", cell: (one) => one.target },
  ];
}
