// Who made which version live when, and moved other aliases.
import { useQuery } from "@tanstack/react-query";
import { moves, notesPath } from "../../api/notes";
import { isWithoutManagement } from "../../api/settings";
import { callerText } from "../../model/audit";
import { when } from "../../model/show";
import { Found, Section } from "../../parts/bits";
import { AsCurl } from "../../parts/copy";
import { Table } from "../../parts/Table";
import { WithoutManagement } from "../../parts/WithoutManagement";

export function Moves({ app }: { readonly app: string }) {
  const query = useQuery(moves(app));
  return (
    <Section title="Moves of aliases">
      {isWithoutManagement(query.error) ? (
        <WithoutManagement what="notes of who moved an alias" />
      ) : (
        <Found query={query}>
          {({ moves: found }) => (
            <Table
              caption="Table of moves of aliases"
              rows={found}
              // Several may be of one moment.
              rowKey={(one) => found.indexOf(one)}
              columns={[
                { head: "When", cell: (one) => when(one.atMs) },
                { head: "Alias", cell: (one) => one.alias },
                { head: "To", cell: (one) => (one.version === null ? "removed" : `version ${one.version}`) },
                { head: "Who", cell: (one) => callerText(one.by) },
              ]}
              empty={<p>None was moved by hand. What a deployment made live is in the audit log.</p>}
            />
          )}
        </Found>
      )}
      <AsCurl name="moves" url={notesPath(app, "moves")} />
    </Section>
  );
}
