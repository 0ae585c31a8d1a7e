// An application's versions, and which one is live.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { answered, client } from "../../api/client";
import { versions } from "../../api/queries";
import { when } from "../../model/show";
import { Found, Section, Trouble } from "../../parts/bits";
import { useOnce } from "../../parts/once";
import { Table } from "../../parts/Table";

export function Versions({ app }: { readonly app: string }) {
  const cache = useQueryClient();
  const move = useMutation({
    mutationFn: (number: number) =>
      answered(client.PUT("/api/v1/applications/{app}/aliases/{alias}", { params: { path: { app, alias: "live" } }, body: { version: number } })),
    onSuccess: () => Promise.all(["versions", "application"].map((name) => cache.invalidateQueries({ queryKey: [name, app] }))),
  });
  const moveOnce = useOnce(move);
  return (
    <Section title="Versions">
      {move.error && <Trouble error={move.error} />}
      <Found query={useQuery(versions(app))}>
        {({ versions: found, aliases }) => (
          <Table
            caption="Table of versions"
            rows={found}
            rowKey={(one) => one.version}
            empty="None is kept."
            columns={[
              { head: "Version", cell: (one) => one.version },
              { head: "Aliases", cell: (one) => aliasesOf(aliases, one.version).join(", ") || "–" },
              { head: "Deployed", cell: (one) => when(one.createdMs) },
              {
                head: "Change",
                quiet: true,
                kind: "deeds",
                cell: (one) =>
                  aliases.live !== one.version && (
                    <button type="button" className="small" disabled={move.isPending} onClick={() => moveOnce(one.version)}>
                      Make version {one.version} live
                    </button>
                  ),
              },
            ]}
          />
        )}
      </Found>
    </Section>
  );
}

function aliasesOf(aliases: Readonly<Record<string, number>>, version: number): readonly string[] {
  return Object.entries(aliases).flatMap(([alias, at]) => (at === version ? [alias] : []));
}
