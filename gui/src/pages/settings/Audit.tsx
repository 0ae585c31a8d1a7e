// Who changed what, the newest first.
import { useQuery } from "@tanstack/react-query";
import { type AuditEntry, ENTRIES, audit, settingsPaths } from "../../api/settings";
import { callerText, detailsText, operationText, outcomeText } from "../../model/audit";
import { options } from "../../model/command";
import type { Route } from "../../model/route";
import { when } from "../../model/show";
import { Found, Section, To, ToApplication } from "../../parts/bits";
import { AsCurl } from "../../parts/copy";
import { replace } from "../../parts/router";
import { type Column, Table } from "../../parts/Table";
import { TenantChoice } from "./TenantChoice";

export function Audit({ route }: { readonly route: Extract<Route, { page: "settings" }> }) {
  const { tenant, operation, application, before } = route;
  const filter = { tenant, operation, application, before };
  return (
    <Section title="Audit log">
      <div className="filters">
        <TenantChoice chosen={tenant} onChoose={(one) => replace({ ...route, tenant: one, before: "" })} />
        <label>
          Operation <input type="search" value={operation} spellCheck={false} placeholder="moveAlias" onChange={(event) => replace({ ...route, operation: event.target.value.trim(), before: "" })} />
        </label>
        <label>
          Application <input type="search" value={application} spellCheck={false} onChange={(event) => replace({ ...route, application: event.target.value.trim(), before: "" })} />
        </label>
      </div>
      <Found query={useQuery(audit(filter))}>
        {({ entries, next }) => (
          <>
            <Table
              caption="Table of changes"
              rows={entries}
              rowKey={(one) => one.id}
              columns={COLUMNS}
              empty={
                <p>
                  <strong>Nothing like that was changed.</strong> Deployments, deletions, changes of aliases, triggers, secrets, keys and data are noted before they are made.
                </p>
              }
            />
            <div className="pages">
              {before !== "" && <To route={{ ...route, before: "" }}>The newest</To>}
              {next && <To route={{ ...route, before: next }}>Earlier changes</To>}
            </div>
          </>
        )}
      </Found>
      <AsCurl
        url={settingsPaths.audit(filter)}
        command={["audit", ...options({ limit: String(ENTRIES), ...filter })]}
      />
    </Section>
  );
}

const COLUMNS: readonly Column<AuditEntry>[] = [
  { head: "When", cell: (one) => when(one.atMs) },
  { head: "What", kind: "words", cell: (one) => <span title={one.operation}>{operationText(one.operation)}</span> },
  { head: "Application", kind: "words", cell: (one) => (one.application ? <ToApplication app={one.application} /> : "–") },
  { head: "Details", kind: "text", cell: (one) => detailsText(one.details) || "–" },
  { head: "Who", kind: "words", cell: (one) => callerText(one.caller) },
  { head: "From", kind: "words", cell: (one) => one.address ?? "–" },
  { head: "Outcome", kind: "words", cell: (one) => outcomeText(one) },
];
