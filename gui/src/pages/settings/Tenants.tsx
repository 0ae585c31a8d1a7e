// Which tenant one acts in; and all of them, for who operates the platform.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { type Tenant, actIn, createTenant, deleteTenant, setTenantState, tenantPaths, tenants } from "../../api/tenants";
import { when } from "../../model/show";
import { Found, Section, Trouble } from "../../parts/bits";
import { Button } from "../../parts/Button";
import { Confirm } from "../../parts/Confirm";
import { AsCurl } from "../../parts/copy";
import { Meant } from "../../parts/Meant";
import { useOnce } from "../../parts/once";
import { type Column, Table } from "../../parts/Table";

/** @param mine those that he belongs to */
export function ActsIn({ tenant, mine }: { readonly tenant: string; readonly mine: readonly string[] }) {
  const cache = useQueryClient();
  // What is on any page is the other tenant's now.
  const go = useMutation({ mutationFn: actIn, onSuccess: () => cache.resetQueries() });
  const goOnce = useOnce(go);
  return (
    <>
      <Meant label="Acts in tenant" isLabelled scope={null} value={tenant} options={[...new Set([tenant, ...mine])]} isPending={go.isPending} onMeant={goOnce}>
        {(other) => `Go to ${other}`}
      </Meant>
      {go.error && <Trouble error={go.error} />}
    </>
  );
}

export function Tenants() {
  const cache = useQueryClient();
  const [name, setName] = useState("");
  const onSettled = () => Promise.all([cache.invalidateQueries({ queryKey: ["tenants"] }), cache.invalidateQueries({ queryKey: ["who"] })]);
  const make = useMutation({ mutationFn: () => createTenant(name), onSuccess: () => setName(""), onSettled });
  const makeOnce = useOnce(make);
  const change = useMutation({ mutationFn: ({ tenant, state }: Pick<Tenant, "tenant" | "state">) => setTenantState(tenant, state), onSettled });
  const changeOnce = useOnce(change);
  const end = useMutation({ mutationFn: deleteTenant, onSettled });
  const endOnce = useOnce(end);
  const columns: readonly Column<Tenant>[] = [
    { head: "Tenant", cell: (one) => one.tenant },
    { head: "State", cell: (one) => one.state },
    { head: "Since", cell: (one) => (one.createdMs ? when(one.createdMs) : "the beginning") },
    {
      head: "Change",
      quiet: true,
      kind: "deeds",
      cell: (one) =>
        one.tenant === "default" ? null : (
          <>
            {one.state === "active" ? (
              <Confirm scope="operator" label="Suspend" title={`Suspend ${one.tenant}?`} small disabled={change.isPending} onConfirm={() => changeOnce({ tenant: one.tenant, state: "suspended" })}>
                <p>Its keys and sessions open nothing any more; what it has stays, and what runs goes on.</p>
              </Confirm>
            ) : (
              <Button scope="operator" type="button" aria-label={`Resume ${one.tenant}`} disabled={change.isPending} onClick={() => changeOnce({ tenant: one.tenant, state: "active" })}>
                Resume
              </Button>
            )}
            <Confirm scope="operator" label="Delete" title={`Delete ${one.tenant}?`} name={one.tenant} small disabled={end.isPending} onConfirm={() => endOnce(one.tenant)}>
              <p>Its keys, its invitations and its members' places go with it for good; accounts stay. One that has applications is not deleted: these are deleted first.</p>
            </Confirm>
          </>
        ),
    },
  ];
  return (
    <Section title="Tenants">
      {change.error && <Trouble error={change.error} />}
      {end.error && <Trouble error={end.error} />}
      <Found query={useQuery(tenants())}>
        {({ tenants: all }) => <Table caption="Table of tenants" rows={all} rowKey={(one) => one.tenant} columns={columns} empty={<p>There are none.</p>} />}
      </Found>
      <form
        className="filters"
        onSubmit={(event) => {
          event.preventDefault();
          makeOnce();
        }}
      >
        <label>
          New tenant <input value={name} autoCapitalize="none" spellCheck={false} required pattern="[a-z][a-z0-9]{1,19}" title="a to z and digits, two to twenty" onChange={(event) => setName(event.target.value)} />
        </label>
        <Button scope="operator" type="submit" aria-disabled={make.isPending}>
          Make
        </Button>
      </form>
      {make.error && <Trouble error={make.error} />}
      <AsCurl url={tenantPaths.tenants()} command={["tenant", "list"]} />
      <AsCurl name="delete one" method="DELETE" url={tenantPaths.tenant("TENANT")} command={["tenant", "delete", "TENANT"]} />
    </Section>
  );
}
