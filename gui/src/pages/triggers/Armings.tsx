// Who armed and disarmed which trigger when.
import { useQuery } from "@tanstack/react-query";
import { armings, notesPath } from "../../api/notes";
import { isWithoutManagement } from "../../api/settings";
import { callerText } from "../../model/audit";
import { when } from "../../model/show";
import { Found, Section, StatusBadge } from "../../parts/bits";
import { AsCurl } from "../../parts/copy";
import { Table } from "../../parts/Table";
import { WithoutManagement } from "../../parts/WithoutManagement";

export function Armings({ app }: { readonly app: string }) {
  const query = useQuery(armings(app));
  return (
    <Section title="Armed and disarmed">
      {isWithoutManagement(query.error) ? (
        <WithoutManagement what="notes of who armed a trigger" />
      ) : (
        <Found query={query}>
          {({ armings: found }) => (
            <Table
              caption="Table of who armed and disarmed"
              rows={found}
              rowKey={(one) => found.indexOf(one)}
              columns={[
                { head: "When", cell: (one) => when(one.atMs) },
                { head: "Trigger", cell: (one) => one.trigger },
                { head: "Then", cell: (one) => <StatusBadge status={one.armed ? "armed" : "disarmed"} /> },
                { head: "Who", cell: (one) => callerText(one.by) },
              ]}
              empty={<p>Nobody has: each is as the sand.yaml says.</p>}
            />
          )}
        </Found>
      )}
      <AsCurl name="armings" url={notesPath(app, "armings")} />
    </Section>
  );
}
