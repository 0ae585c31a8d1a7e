// What is the platform's own: who may use it, and who changed what.
import type { Route } from "../model/route";
import { Title, To } from "../parts/bits";
import { Account } from "./settings/Account";
import { Audit } from "./settings/Audit";
import { Keys } from "./settings/Keys";
import { Members } from "./settings/Members";

type At = Extract<Route, { page: "settings" }>;

const PARTS: readonly (readonly [At["part"], string])[] = [
  ["keys", "API keys"],
  ["audit", "Audit log"],
  ["members", "Members"],
  ["account", "Account"],
];

export const settingsAt = (part: At["part"]): At => ({ page: "settings", part, operation: "", application: "", before: "" });

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
      {route.part === "keys" ? <Keys /> : route.part === "audit" ? <Audit route={route} /> : route.part === "members" ? <Members /> : <Account />}
    </>
  );
}
