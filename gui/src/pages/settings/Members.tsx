// Who belongs to the tenant and as what, and who is invited.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type Member, ROLES, type Role, members, peoplePaths, removeMember, setRole } from "../../api/people";
import { who } from "../../api/session";
import { sinceText } from "../../model/audit";
import type { Route } from "../../model/route";
import { when } from "../../model/show";
import { Found, Section, Trouble } from "../../parts/bits";
import { Confirm } from "../../parts/Confirm";
import { AsCurl } from "../../parts/copy";
import { Meant } from "../../parts/Meant";
import { replace } from "../../parts/router";
import { useOnce } from "../../parts/once";
import { type Column, Empty, Table } from "../../parts/Table";
import { Invitations } from "./Invitations";
import { TenantChoice } from "./TenantChoice";

export function Members({ route }: { readonly route: Extract<Route, { page: "settings" }> }) {
  return (
    <Found query={useQuery(who())}>
      {(found) =>
        found === null || found.kind === "local" ? (
          <Empty>
            <p>
              <strong>This platform has no accounts.</strong> With a first one, made under Account, it gets members.
            </p>
          </Empty>
        ) : (
          <>
            <div className="filters">
              <TenantChoice chosen={route.tenant} onChoose={(tenant) => replace({ ...route, tenant })} />
            </div>
            <OfTenant key={`members of ${route.tenant}`} tenant={route.tenant || found.tenant} />
            <Invitations key={`invitations of ${route.tenant}`} tenant={route.tenant || found.tenant} isOwn={route.tenant === ""} />
          </>
        )
      }
    </Found>
  );
}

function OfTenant({ tenant }: { readonly tenant: string }) {
  const cache = useQueryClient();
  const onSettled = () => cache.invalidateQueries({ queryKey: ["members", tenant] });
  const change = useMutation({ mutationFn: ({ user, role }: { readonly user: string; readonly role: Role }) => setRole(tenant, user, role), onSettled });
  const remove = useMutation({ mutationFn: (user: string) => removeMember(tenant, user), onSettled });
  const changeOnce = useOnce(change);
  const removeOnce = useOnce(remove);
  const columns: readonly Column<Member>[] = [
    { head: "Member", cell: (one) => one.user },
    {
      head: "Role",
      cell: (one) => (
        <Meant label={`Role of ${one.user}`} scope="admin" value={one.role} options={ROLES} isPending={change.isPending} onMeant={(role) => changeOnce({ user: one.user, role })}>
          {(role) => (
            <>
              Make <span className="unseen">{one.user}</span> {role}
            </>
          )}
        </Meant>
      ),
    },
    { head: "Since", cell: (one) => sinceText(when(one.sinceMs), one.by) },
    {
      head: "Change",
      quiet: true,
      kind: "deeds",
      cell: (one) => (
        <Confirm scope="admin" label="Take out" title={`Take ${one.user} out?`} small disabled={remove.isPending} onConfirm={() => removeOnce(one.user)}>
          <p>The account stays, and reaches nothing of this tenant any more.</p>
        </Confirm>
      ),
    },
  ];
  return (
    <Section title="Members">
      {change.error && <Trouble error={change.error} />}
      {remove.error && <Trouble error={remove.error} />}
      <Found query={useQuery(members(tenant))}>
        {({ members: all }) => <Table caption={`Table of members of ${tenant}`} rows={all} rowKey={(one) => one.user} columns={columns} empty={<p>Nobody belongs to it.</p>} />}
      </Found>
      <AsCurl name="list" url={peoplePaths.members(tenant)} />
      <AsCurl name="change a role" method="PUT" url={peoplePaths.member(tenant, "USER")} body='{"role":"developer"}' />
    </Section>
  );
}
