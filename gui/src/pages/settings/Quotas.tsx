// What the tenant may have at most, and what it has. Limits are the operator's to set.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { isWithoutManagement, quotas, setQuotas, settingsPaths } from "../../api/settings";
import { who } from "../../api/session";
import { MOST, QUOTAS, type Quota, limitOf } from "../../model/quota";
import { Facts, Found, Section, Trouble } from "../../parts/bits";
import { AsCurl } from "../../parts/copy";
import { useOnce } from "../../parts/once";
import { Empty } from "../../parts/Table";

export type Limits = Readonly<Record<Quota, number | null>>;

export function Quotas() {
  const here = useQuery(who()).data;
  const tenant = here?.tenant ?? "default";
  const found = useQuery(quotas(tenant));
  if (isWithoutManagement(found.error)) {
    return (
      <Empty>
        <p>
          <strong>This platform has no quotas.</strong> They are kept by its management application: start it with <code>--management on</code>.
        </p>
      </Empty>
    );
  }
  return (
    <Section title="Quotas">
      <Found query={found}>
        {({ limits, use }) => (
          <>
            <Facts facts={QUOTAS.map(([quota, label]) => [label, `${limits[quota] ?? "no limit"}${quota === "applications" && use?.applications !== undefined ? `, ${use.applications} there` : ""}`])} />
            {here?.scopes.includes("operator") && (
              <Change
                key={JSON.stringify(limits)}
                tenant={tenant}
                limits={{ applications: limits.applications ?? null, requestsPerSecond: limits.requestsPerSecond ?? null }}
              />
            )}
          </>
        )}
      </Found>
      <AsCurl url={settingsPaths.quotas(tenant)} command={["quotas", "show"]} />
    </Section>
  );
}

function Change({ tenant, limits }: { readonly tenant: string; readonly limits: Limits }) {
  const cache = useQueryClient();
  const [typed, setTyped] = useState<Readonly<Record<Quota, string>>>({ applications: text(limits.applications), requestsPerSecond: text(limits.requestsPerSecond) });
  const wanted = { applications: limitOf("applications", typed.applications), requestsPerSecond: limitOf("requestsPerSecond", typed.requestsPerSecond) };
  const isWrong = Object.values(wanted).includes(undefined);
  const set = useMutation({
    mutationFn: () => setQuotas(tenant, { applications: wanted.applications ?? null, requestsPerSecond: wanted.requestsPerSecond ?? null }),
    onSettled: () => cache.invalidateQueries({ queryKey: ["quotas", tenant] }),
  });
  const setOnce = useOnce(set);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (!isWrong) setOnce();
      }}
    >
      <div className="filters">
        {QUOTAS.map(([quota, label]) => (
          <label key={quota}>
            {label} <input inputMode="numeric" size={8} placeholder="no limit" value={typed[quota]} onChange={(event) => setTyped({ ...typed, [quota]: event.target.value })} />
          </label>
        ))}
        <button type="submit" aria-disabled={set.isPending} disabled={isWrong} aria-describedby="quota-fault">
          Set them
        </button>
      </div>
      <p id="quota-fault" className="quiet">
        {isWrong && `A limit is a number: at most ${MOST.applications} applications, ${MOST.requestsPerSecond} requests a second.`}
      </p>
      {set.error && <Trouble error={set.error} />}
    </form>
  );
}

const text = (limit: number | null): string => (limit === null ? "" : String(limit));
