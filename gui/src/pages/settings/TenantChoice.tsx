// Whose the page is: who operates the platform looks at any tenant's, all others at that in which they act.
import { useQuery } from "@tanstack/react-query";
import { who } from "../../api/session";
import { tenants } from "../../api/tenants";

/** @param chosen "": the one in which he acts */
export function TenantChoice({ chosen, onChoose }: { readonly chosen: string; readonly onChoose: (tenant: string) => void }) {
  const here = useQuery(who()).data;
  const operates = here?.scopes.includes("operator") === true;
  const all = useQuery({ ...tenants(), enabled: operates }).data?.tenants.map((one) => one.tenant) ?? [];
  if (!operates) return null;
  const own = here.tenant;
  return (
    <label>
      Tenant{" "}
      <select value={chosen || own} onChange={(event) => onChoose(event.target.value === own ? "" : event.target.value)}>
        {[...new Set([own, ...all, ...(chosen ? [chosen] : [])])].map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
    </label>
  );
}
