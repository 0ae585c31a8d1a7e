// What the audit log says, in words.

export interface AuditFilter {
  /** "" is the one that one acts in. */
  readonly tenant: string;
  readonly operation: string;
  readonly application: string;
  /** `next` of the page before. */
  readonly before: string;
}

interface Outcome {
  readonly status?: number | null;
  readonly problem?: string | null;
}

/** What came of it. Without a status it is under way, or whoever made it was lost and nobody knows. */
export function outcomeText({ status, problem }: Outcome): string {
  if (status === null || status === undefined) return "not known";
  if (status < 400) return "done";
  return problem ? `refused: ${problem}` : `refused: ${status}`;
}

/** Of `moveAlias`: "move alias". */
export function operationText(operation: string): string {
  return operation.replaceAll(/([a-z])([A-Z])/g, "$1 $2").toLowerCase();
}

export function callerText(caller: string): string {
  if (caller === "local") return "this machine";
  if (caller === "operator") return "the operator";
  return caller.startsWith("key:") ? `key ${caller.slice("key:".length)}` : caller;
}

/** Since when somebody is a member, and by whom; who came by an invitation made his account himself, as nobody yet. */
export function sinceText(since: string, by: string): string {
  return by === "anybody" ? since : `${since}, by ${callerText(by)}`;
}

/** Names of what was changed, as they are read in a line. */
export function detailsText(details: Readonly<Record<string, string>>): string {
  return Object.entries(details)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name} ${value}`)
    .join(", ");
}
