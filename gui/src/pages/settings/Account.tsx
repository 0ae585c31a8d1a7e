// Who is here; the first account of an open platform; and the way out.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { cameIn, sessionPaths, signOut, signUp, who } from "../../api/session";
import { when } from "../../model/show";
import { Facts, Found, Section, Trouble } from "../../parts/bits";
import { AsCurl } from "../../parts/copy";
import { useOnce } from "../../parts/once";
import { WithoutManagement } from "../../parts/WithoutManagement";
import { Password, Sessions } from "./Sessions";
import { ActsIn, Tenants } from "./Tenants";
import { Users } from "./Users";

export function Account() {
  const here = useQuery(who());
  return (
    <>
      <Who />
      {here.data?.kind === "session" && (
        <>
          {here.data.scopes.includes("operator") && (
            <>
              <Tenants />
              <Users me={here.data.user ?? ""} />
            </>
          )}
          <Sessions />
          <Password />
        </>
      )}
    </>
  );
}

function Who() {
  return (
    <Section title="Account">
      <Found query={useQuery(who())}>
        {(found) =>
          found === null ? (
            <WithoutManagement what="accounts" />
          ) : found.kind === "session" ? (
            <SignedIn user={found.user ?? ""} scopes={found.scopes} expiresMs={found.expiresMs ?? 0} tenant={found.tenant} mine={Object.keys(found.tenants ?? {})} />
          ) : found.kind === "local" ? (
            <First />
          ) : (
            <p>You are here with a key, which may {found.scopes.join(", ")}.</p>
          )
        }
      </Found>
      <AsCurl url={sessionPaths.session()} />
    </Section>
  );
}

interface Session {
  readonly user: string;
  readonly scopes: readonly string[];
  readonly expiresMs: number;
  readonly tenant: string;
  readonly mine: readonly string[];
}

function SignedIn({ user, scopes, expiresMs, tenant, mine }: Session) {
  const cache = useQueryClient();
  const leave = useMutation({ mutationFn: signOut, onSuccess: () => cache.resetQueries() });
  const leaveOnce = useOnce(leave);
  return (
    <>
      <Facts
        facts={[
          ["Signed in as", user],
          ["May", scopes.join(", ")],
          ["Until", expiresMs ? when(expiresMs) : null],
        ]}
      />
      <ActsIn tenant={tenant} mine={mine} />
      {leave.error && <Trouble error={leave.error} />}
      <button type="button" aria-disabled={leave.isPending} onClick={() => leaveOnce()}>
        Sign out
      </button>
    </>
  );
}

/** It closes the platform: from then on everybody is asked who he is. */
function First() {
  const cache = useQueryClient();
  const [name, setName] = useState("");
  const [password, setPassword] = useState("");
  const make = useMutation({ mutationFn: () => signUp(name, password, ""), onSuccess: () => cameIn(cache), onSettled: () => setPassword("") });
  const makeOnce = useOnce(make);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        makeOnce();
      }}
    >
      <p>
        <strong>Whoever is on this machine may do everything here.</strong> With a first account the platform is closed: it asks everybody for a name and password, or a key.
      </p>
      <div className="filters">
        <label>
          Name <input value={name} autoComplete="username" autoCapitalize="none" spellCheck={false} required pattern="[a-z][a-z0-9._\-]{1,62}" title="a to z, digits, . _ -, from two characters on" onChange={(event) => setName(event.target.value)} />
        </label>
        <label>
          Password <input type="password" value={password} autoComplete="new-password" required minLength={10} maxLength={1024} onChange={(event) => setPassword(event.target.value)} />
        </label>
        <button type="submit" aria-disabled={make.isPending}>
          Make the first account
        </button>
      </div>
      {make.error && <Trouble error={make.error} />}
    </form>
  );
}
