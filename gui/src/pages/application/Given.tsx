// Names of the environment variables and secrets that an application's grains have; values are in its files, or nobody's to see.
import { type GrainSpec, type Given as Row, givenTo } from "../../model/grains";
import { Section, To } from "../../parts/bits";
import { type Column, Table } from "../../parts/Table";

export function Given({ app, grains }: { readonly app: string; readonly grains: Readonly<Record<string, GrainSpec>> }) {
  const rows = givenTo(grains);
  if (rows.length === 0) return null;
  return (
    <Section title="Environment">
      <Table caption="Table of names of environment variables and secrets" rows={rows} rowKey={(one) => one.grain} columns={columns(app)} />
    </Section>
  );
}

function columns(app: string): readonly Column<Row>[] {
  return [
    { head: "Grain", cell: (one) => <To route={{ page: "grain", app, name: one.grain }}>{one.grain}</To> },
    { head: "Variables", kind: "text", cell: (one) => <Names names={one.environment} /> },
    { head: "Secrets that it may read", kind: "text", cell: (one) => <Names names={one.secrets} /> },
  ];
}

function Names({ names }: { readonly names: readonly string[] }) {
  return names.length === 0 ? "–" : <code>{names.join(", ")}</code>;
}
