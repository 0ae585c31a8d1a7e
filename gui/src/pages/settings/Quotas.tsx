// What a tenant may have at most, and what it has. Limits are the operator's to set.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { isWithoutManagement, quotas, setQuotas, settingsPaths } from "../../api/settings";
import { who } from "../../api/session";
import { MOST, QUOTAS, type Quota, isBytes, limitOf, typedAs } from "../../model/quota";
import { options } from "../../model/command";
import type { Route } from "../../model/route";
import { bytes } from "../../model/show";
import { Facts, Found, Section, Trouble } from "../../parts/bits";
import { AsCurl } from "../../parts/copy";
import { replace } from "../../parts/router";
import { useOnce } from "../../parts/once";
import { TenantChoice } from "./TenantChoice";
import { WithoutManagement } from "../../parts/WithoutManagement";

export type Limits = Readonly<Record<Quota, number | null>>;

export function Quotas({ route }: { readonly route: Extract<Route, { page: "settings" }> }) {
  const here = useQuery(who()).data;
  const tenant = route.tenant || (here?.tenant ?? "default");
  const found = useQuery(quotas(tenant));
  if (isWithoutManagement(found.error)) {
    return <WithoutManagement what="quotas" />;
  }
  return (
    <Section title="Quotas">
      <div className="filters">
        <TenantChoice chosen={route.tenant} onChoose={(one) => replace({ ...route, tenant: one })} />
      </div>
      <Found query={found}>
        {({ limits, use }) => (
          <>
            <Facts facts={QUOTAS.map(([quota, label]) => [label, inWords(quota, limits[quota] ?? null, quota === "requestsPerSecond" ? undefined : use?.[quota])])} />
            {here?.scopes.includes("operator") && (
              <Change key={`${tenant} ${JSON.stringify(limits)}`} tenant={tenant} limits={each((quota) => limits[quota] ?? null)} />
            )}
          </>
        )}
      </Found>
      <AsCurl url={settingsPaths.quotas(tenant)} command={["quotas", "show", ...options({ tenant: route.tenant })]} />
    </Section>
  );
}

function Change({ tenant, limits }: { readonly tenant: string; readonly limits: Limits }) {
  const cache = useQueryClient();
  const [typed, setTyped] = useState<Readonly<Record<Quota, string>>>(each((quota) => typedAs(quota, limits[quota])));
  const wanted = each((quota) => limitOf(quota, typed[quota]));
  const wrong = QUOTAS.find(([quota]) => wanted[quota] === undefined);
  const set = useMutation({
    mutationFn: () => setQuotas(tenant, each((quota) => wanted[quota] ?? null)),
    onSettled: () => cache.invalidateQueries({ queryKey: ["quotas", tenant] }),
  });
  const setOnce = useOnce(set);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (!wrong) setOnce();
      }}
    >
      <div className="filters">
        {QUOTAS.map(([quota, label]) => (
          <label key={quota}>
            {label} <input size={8} placeholder="no limit" value={typed[quota]} onChange={(event) => setTyped({ ...typed, [quota]: event.target.value })} />
          </label>
        ))}
        <button type="submit" aria-disabled={set.isPending} disabled={wrong !== undefined} aria-describedby="quota-fault">
          Set them
        </button>
      </div>
      <p id="quota-fault" className="quiet">
        {wrong && `${wrong[1]}: a number${isBytes(wrong[0]) ? ", with B, KiB, MiB, GiB or TiB behind it," : ""} up to ${typedAs(wrong[0], MOST[wrong[0]])}.`}
      </p>
      {set.error && <Trouble error={set.error} />}
    </form>
  );
}

function inWords(quota: Quota, limit: number | null, used: number | undefined): string {
  const show = (count: number) => (isBytes(quota) ? bytes(count) : String(count));
  return `${limit === null ? "no limit" : show(limit)}${used === undefined ? "" : `, ${show(used)} ${quota === "applications" ? "there" : "used"}`}`;
}

function each<T>(of: (quota: Quota) => T): Record<Quota, T> {
  const all: Partial<Record<Quota, T>> = {};
  for (const [quota] of QUOTAS) all[quota] = of(quota);
  return all as Record<Quota, T>;
}
