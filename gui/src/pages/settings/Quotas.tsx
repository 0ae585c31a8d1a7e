// What a tenant may have at most, and what it has. Limits are the operator's to set.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { isWithoutManagement, quotas, setQuotas, settingsPaths } from "../../api/settings";
import { who } from "../../api/session";
import { type Limits, MOST, QUOTAS, type Quota, isBytes, typedAs, wantedOf } from "../../model/quota";
import { options } from "../../model/command";
import type { Route } from "../../model/route";
import { bytes } from "../../model/show";
import { Facts, Found, Section, Trouble } from "../../parts/bits";
import { AsCurl } from "../../parts/copy";
import { replace } from "../../parts/router";
import { useOnce } from "../../parts/once";
import { TenantChoice } from "./TenantChoice";
import { WithoutManagement } from "../../parts/WithoutManagement";

type Typed = Readonly<Partial<Record<Quota, string>>>;

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
            {here?.scopes.includes("operator") && <Change key={tenant} tenant={tenant} limits={each((quota) => limits[quota] ?? null)} />}
          </>
        )}
      </Found>
      <AsCurl url={settingsPaths.quotas(tenant)} command={["quotas", "show", ...options({ tenant: route.tenant })]} />
    </Section>
  );
}

function Change({ tenant, limits }: { readonly tenant: string; readonly limits: Limits }) {
  const cache = useQueryClient();
  const [typed, setTyped] = useState<Typed>({});
  const { changes, wrong } = wantedOf(limits, typed);
  const isOff = wrong !== null || Object.keys(changes).length === 0;
  const set = useMutation({
    mutationFn: (sent: { readonly typed: Typed; readonly changes: Partial<Limits> }) => setQuotas(tenant, sent.changes),
    onSettled: async (_, error, sent) => {
      await cache.invalidateQueries({ queryKey: ["quotas", tenant] });
      // What was set is not typed any more: it follows what others set from then on.
      if (!error) setTyped((now) => Object.fromEntries(Object.entries(now).filter(([quota, text]) => sent.typed[quota as Quota] !== text)));
    },
  });
  const setOnce = useOnce(set);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (!isOff) setOnce({ typed, changes });
      }}
    >
      <div className="filters">
        {QUOTAS.map(([quota, label]) => (
          <label key={quota}>
            {label} <input size={8} placeholder="no limit" value={typed[quota] ?? typedAs(quota, limits[quota])} onChange={(event) => setTyped({ ...typed, [quota]: event.target.value })} />
          </label>
        ))}
        <button type="submit" aria-disabled={set.isPending || isOff} aria-describedby="quota-fault">
          Set them
        </button>
      </div>
      <p id="quota-fault" className="quiet">
        {wrong && `${new Map(QUOTAS).get(wrong)}: a number${isBytes(wrong) ? ", with B, KiB, MiB, GiB or TiB behind it," : ""} up to ${typedAs(wrong, MOST[wrong])}.`}
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
