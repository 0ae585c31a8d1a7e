// Invitations: made and shown this once, listed without their text, taken back.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { type Invitation, ROLES, type Role, invitations, invite, peoplePaths, withdraw } from "../../api/people";
import { callerText } from "../../model/audit";
import { options } from "../../model/command";
import { when } from "../../model/show";
import { Found, Section, Trouble } from "../../parts/bits";
import { Button } from "../../parts/Button";
import { AsCurl, Copy } from "../../parts/copy";
import { useOnce } from "../../parts/once";
import { type Column, Table } from "../../parts/Table";

const MAY: Readonly<Record<Role, string>> = { viewer: "reads", developer: "reads, calls and deploys", owner: "all of that, and members, keys, the audit log, deleting applications" };

/** @param isOwn of the tenant in which who looks acts */
export function Invitations({ tenant, isOwn }: { readonly tenant: string; readonly isOwn: boolean }) {
  const cache = useQueryClient();
  const [role, setRole] = useState<Role>("developer");
  const onSettled = () => cache.invalidateQueries({ queryKey: ["invitations", tenant] });
  const make = useMutation({ mutationFn: () => invite(tenant, role), gcTime: 0, onSettled });
  const back = useMutation({ mutationFn: (id: string) => withdraw(tenant, id), onSettled });
  const makeOnce = useOnce(make);
  const backOnce = useOnce(back);
  const columns: readonly Column<Invitation>[] = [
    { head: "For", cell: (one) => `a new ${one.role}` },
    { head: "Made", cell: (one) => `${when(one.createdMs)} by ${callerText(one.by)}` },
    { head: "Good until", cell: (one) => when(one.expiresMs) },
    {
      head: "Change",
      quiet: true,
      kind: "deeds",
      cell: (one) => (
        <Button scope="admin" type="button" className="small" aria-disabled={back.isPending} onClick={() => backOnce(one.id)}>
          Take back
        </Button>
      ),
    },
  ];
  return (
    <Section title="Invitations">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          makeOnce();
        }}
      >
        <div className="filters">
          <label>
            Invite a new{" "}
            <select value={role} onChange={(event) => setRole(event.target.value as Role)}>
              {ROLES.map((one) => (
                <option key={one}>{one}</option>
              ))}
            </select>
          </label>
          <span className="quiet">{MAY[role]}</span>
          <Button scope="admin" type="submit" aria-disabled={make.isPending}>
            Make an invitation
          </Button>
        </div>
      </form>
      {make.error && <Trouble error={make.error} />}
      {back.error && <Trouble error={back.error} />}
      <div role="status">
        {make.data && (
          <div>
            <p>
              <strong>Give this to one person, by a way that you trust.</strong> It makes one account, is good for a week, and is shown this once.
            </p>
            <p className="command made">
              <code>{make.data.invitation}</code> <Copy text={make.data.invitation} label="the invitation" />
            </p>
          </div>
        )}
      </div>
      <Found query={useQuery(invitations(tenant))}>
        {({ invitations: all }) => <Table caption="Table of invitations" rows={all} rowKey={(one) => one.id} columns={columns} empty={<p>Nobody is invited.</p>} />}
      </Found>
      <AsCurl name="invite" method="POST" url={peoplePaths.invitations(tenant)} body={JSON.stringify({ role })} command={["account", "invite", "--role", role, ...options({ tenant: isOwn ? "" : tenant })]} />
    </Section>
  );
}
