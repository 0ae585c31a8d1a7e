// Everybody who has an account, for who operates the platform: whether they may sign in, and another password for who has forgotten his.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { type User, changeUser, peoplePaths, users } from "../../api/people";
import { when } from "../../model/show";
import { Found, Section, Trouble } from "../../parts/bits";
import { Button } from "../../parts/Button";
import { Confirm } from "../../parts/Confirm";
import { AsCurl } from "../../parts/copy";
import { useOnce } from "../../parts/once";
import { type Column, Table } from "../../parts/Table";

interface Change {
  readonly user: string;
  readonly disabled?: boolean;
  readonly operator?: boolean;
}

/** @param me who looks: nobody shuts himself out */
export function Users({ me }: { readonly me: string }) {
  const cache = useQueryClient();
  const change = useMutation({ mutationFn: ({ user, ...to }: Change) => changeUser(user, to), onSettled: () => cache.invalidateQueries({ queryKey: ["users"] }) });
  const changeOnce = useOnce(change);
  const columns: readonly Column<User>[] = [
    { head: "Account", cell: (one) => one.user },
    { head: "Operates the platform", cell: (one) => (one.operator ? "yes" : "") },
    {
      head: "Tenants",
      cell: (one) =>
        Object.entries(one.tenants)
          .map(([tenant, role]) => `${tenant}: ${role}`)
          .join(", "),
    },
    { head: "Since", cell: (one) => when(one.createdMs) },
    { head: "State", cell: (one) => (one.disabled ? "may not sign in" : "active") },
    {
      head: "Change",
      quiet: true,
      kind: "deeds",
      cell: (one) =>
        one.user === me ? null : (
          <>
            {one.disabled ? (
              <Button scope="operator" type="button" aria-label={`Let in ${one.user}`} disabled={change.isPending} onClick={() => changeOnce({ user: one.user, disabled: false })}>
                Let in
              </Button>
            ) : (
              <Confirm scope="operator" label="Shut out" title={`Shut ${one.user} out?`} small disabled={change.isPending} onConfirm={() => changeOnce({ user: one.user, disabled: true })}>
                <p>His sessions are over at once, and he cannot sign in any more. Keys that he made stay: they are their tenants'.</p>
              </Confirm>
            )}
            <Confirm
              scope="operator"
              label={one.operator ? "Operate no more" : "Let operate"}
              title={one.operator ? `${one.user} operates the platform no more?` : `Let ${one.user} operate the platform?`}
              small
              disabled={change.isPending}
              onConfirm={() => changeOnce({ user: one.user, operator: !one.operator })}
            >
              <p>{one.operator ? "What tenants let him do stays. His sessions are over." : "Who operates it may do everything, in all tenants."}</p>
            </Confirm>
          </>
        ),
    },
  ];
  const all = useQuery(users());
  return (
    <Section title="Accounts">
      {change.error && <Trouble error={change.error} />}
      <Found query={all}>{({ users: found }) => <Table caption="Table of accounts" rows={found} rowKey={(one) => one.user} columns={columns} empty={<p>There are none.</p>} />}</Found>
      <p className="quiet">Who is to have one is invited to a tenant, under Members.</p>
      <Forgotten names={(all.data?.users ?? []).map(({ user }) => user).filter((user) => user !== me)} />
      <AsCurl url={peoplePaths.users()} command={["account", "list"]} />
      <AsCurl name="shut out" method="PUT" url={peoplePaths.user("USER")} body='{"disabled":true}' command={["account", "change", "USER", "--disable"]} />
    </Section>
  );
}

/** Another password for somebody, who is told it in another way. */
function Forgotten({ names }: { readonly names: readonly string[] }) {
  const [chosen, setUser] = useState("");
  const [password, setPassword] = useState("");
  const user = names.includes(chosen) ? chosen : (names[0] ?? "");
  // Without arguments, which the cache would keep.
  const give = useMutation({ mutationFn: () => changeUser(user, { new: password }), onSettled: () => setPassword("") });
  const giveOnce = useOnce(give);
  if (names.length === 0) {
    return null;
  }
  return (
    <form
      className="filters"
      onSubmit={(event) => {
        event.preventDefault();
        giveOnce();
      }}
    >
      <label>
        Another password for{" "}
        <select value={user} onChange={(event) => setUser(event.target.value)}>
          {names.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </label>
      <label>
        New password <input type="password" value={password} autoComplete="new-password" required minLength={10} maxLength={1024} onChange={(event) => setPassword(event.target.value)} />
      </label>
      <Button scope="operator" type="submit" aria-disabled={give.isPending}>
        Give it
      </Button>
      <span role="status" className="quiet">
        {give.isSuccess && "done: the sessions of before are over"}
      </span>
      {give.error && <Trouble error={give.error} />}
    </form>
  );
}
