// What is the platform's own: who may use it, and who changed what.
import type { Route } from "../model/route";
import { Title, To } from "../parts/bits";
import { Account } from "./settings/Account";
import { Audit } from "./settings/Audit";
import { Keys } from "./settings/Keys";
import { Members } from "./settings/Members";
import { Quotas } from "./settings/Quotas";

type At = Extract<Route, { page: "settings" }>;

const PARTS: readonly (readonly [At["part"], string])[] = [
  ["keys", "API keys"],
  ["audit", "Audit log"],
  ["members", "Members"],
  ["quotas", "Quotas"],
  ["account", "Account"],
];

export const settingsAt = (part: At["part"]): At => ({ page: "settings", part, tenant: "", operation: "", application: "", before: "" });

export function Settings({ route }: { readonly route: At }) {
  return (
    <>
      <Title>Settings</Title>
      <nav className="pages" aria-label="Settings">
        {PARTS.map(([part, label]) =>
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
      <Part route={route} />
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
