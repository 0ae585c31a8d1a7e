// What is the platform's own: who may use it, and who changed what.
import { useQuery } from "@tanstack/react-query";
import { who } from "../api/session";
import type { Route } from "../model/route";
import { partsOf, whyNotPart } from "../model/settings";
import { Title, To } from "../parts/bits";
import { Account } from "./settings/Account";
import { Audit } from "./settings/Audit";
import { Keys } from "./settings/Keys";
import { Members } from "./settings/Members";
import { Quotas } from "./settings/Quotas";

type At = Extract<Route, { page: "settings" }>;

export const settingsAt = (part: At["part"]): At => ({ page: "settings", part, tenant: "", operation: "", application: "", before: "" });

export function Settings({ route }: { readonly route: At }) {
  const { data: here, isPending } = useQuery(who());
  const why = whyNotPart(route.part, here);
  return (
    <>
      <Title>Settings</Title>
      <nav className="pages" aria-label="Settings">
        {partsOf(here).map(({ part, label }) =>
          part === route.part ? (
            <strong key={part} aria-current="page">
              {label}
            </strong>
          ) : (
            <To key={part} route={settingsAt(part)}>
              {label}
            </To>
          ),
        )}
      </nav>
      {/* What he may not read is not asked for while it is not known who he is. */}
      {why !== null ? <p>{why}</p> : !isPending && <Part route={route} />}
    </>
  );
}

function Part({ route }: { readonly route: At }) {
  switch (route.part) {
    case "keys":
      return <Keys />;
    case "audit":
      return <Audit route={route} />;
    case "members":
      return <Members route={route} />;
    case "quotas":
      return <Quotas route={route} />;
    case "account":
      return <Account />;
  }
}
