// API keys: listed, made, revoked. A key itself is on the page that made it, until that is left, and nowhere else.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type ApiKey, isWithoutManagement, keys, revokeKey, settingsPaths } from "../../api/settings";
import { isOver } from "../../model/apiKey";
import { callerText } from "../../model/audit";
import { ago, when } from "../../model/show";
import { Found, Section, Trouble } from "../../parts/bits";
import { Confirm } from "../../parts/Confirm";
import { AsCurl } from "../../parts/copy";
import { useOnce } from "../../parts/once";
import { WithoutManagement } from "../../parts/WithoutManagement";
import { type Column, Table } from "../../parts/Table";
import { NewKey } from "./NewKey";

export function Keys() {
  const cache = useQueryClient();
  const found = useQuery(keys());
  const revoke = useMutation({ mutationFn: revokeKey, onSettled: () => cache.invalidateQueries({ queryKey: ["keys"] }) });
  const revokeOnce = useOnce(revoke);
  if (isWithoutManagement(found.error)) {
    return <WithoutManagement what="API keys" />;
  }
  return (
    <>
      <Section title="API keys">
        {revoke.error && <Trouble error={revoke.error} />}
        <Found query={found}>
          {({ keys: all }) => (
            <Table
              caption="Table of API keys"
              rows={all}
              rowKey={(one) => one.id}
              columns={columns(revoke.isPending, revokeOnce)}
              empty={
                <p>
                  <strong>There is none.</strong> With a key a program does what the key's scopes say, and nothing else.
                </p>
              }
            />
          )}
        </Found>
        <AsCurl name="list" url={settingsPaths.keys()} command={["keys", "list"]} />
        <AsCurl name="revoke" method="DELETE" url={settingsPaths.key("ID")} command={["keys", "revoke", "ID"]} />
      </Section>
      <NewKey />
    </>
  );
}

function columns(isPending: boolean, revoke: (id: string) => void): readonly Column<ApiKey>[] {
  return [
    { head: "Key", cell: (one) => one.name },
    { head: "Id", cell: (one) => <code>{one.id}</code> },
    { head: "May", cell: (one) => one.scopes.join(", ") },
    { head: "Made", cell: (one) => `${when(one.createdMs)} by ${callerText(one.by)}` },
    { head: "Good until", cell: (one) => <Until expiresMs={one.expiresMs ?? null} /> },
    { head: "Last used", cell: (one) => (one.usedMs ? <span title={when(one.usedMs)}>{ago(one.usedMs, Date.now())}</span> : "never") },
    {
      head: "Change",
      quiet: true,
      kind: "deeds",
      cell: (one) => (
        <Confirm scope="admin" label="Revoke" title={`Revoke ${one.name}?`} small disabled={isPending} onConfirm={() => revoke(one.id)}>
          <p>Whoever uses this key is refused from then on, and it does not come back.</p>
        </Confirm>
      ),
    },
  ];
}

function Until({ expiresMs }: { readonly expiresMs: number | null }) {
  if (expiresMs === null) return <>it is revoked</>;
  return <>{isOver(expiresMs, Date.now()) ? `over since ${when(expiresMs)}` : when(expiresMs)}</>;
}
