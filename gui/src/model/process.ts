// A cloud process, as facts.
import type { Schemas } from "../api/client";
import { bytes, duration, many } from "./show";

export type Process = Schemas["Process"];
export type Metrics = Schemas["ProcessMetrics"];

/** A key of its state, with what its value is. */
export type Entry = Schemas["ProcessStateEntry"];
export type Unread = Schemas["UnreadMessage"];

export const PROCESS_ID = /^[A-Za-z0-9._~-]{1,128}$/;

/** Of what it may have in state and mailbox, how much it has; null: nothing is said of a limit. */
export function memoryShare(process: Process): number | null {
  if (!process.memoryBytes) return null;
  return ((process.residentBytes ?? process.stateBytes ?? 0) + (process.mailboxBytes ?? 0)) / process.memoryBytes;
}

export function stateText(process: Process): string {
  const where = process.overflowBytes ? `, ${bytes(process.overflowBytes)} of it in the global data layer alone` : "";
  return `${many(process.stateKeys ?? 0, "key")}, ${bytes(process.stateBytes ?? 0)}${where}`;
}

export function mailboxText(process: Process): string {
  return process.unread ? `${many(process.unread, "message")}, ${bytes(process.mailboxBytes ?? 0)}` : "empty";
}

/** What a message of that key invokes; null: it is to be received. */
export function invokes(key: string): string | null {
  const [, grain, invocation] = /^invoke:([^:]*):(.*)$/s.exec(key) ?? [];
  return grain === undefined ? null : `invokes ${grain}${invocation ? ` with the key ${invocation}` : ""}`;
}

export function functionsText(process: Process): string {
  const waiting = process.waiting ? `, ${process.waiting} waiting` : "";
  return `${process.running ?? 0} of ${process.concurrency ?? "?"}${waiting}`;
}

export function dedicatedText(dedicated: Process["dedicated"]): string | null {
  if (!dedicated) return null;
  const facts = [
    dedicated.memoryBytes ? bytes(dedicated.memoryBytes) : null,
    dedicated.cpus ? `${dedicated.cpus} CPUs` : null,
    dedicated.pids ? `${dedicated.pids} processes` : null,
    dedicated.image ? `image ${dedicated.image}` : null,
    dedicated.packages?.length ? `packages ${dedicated.packages.join(", ")}` : null,
  ];
  return facts.filter((fact) => fact !== null).join("; ") || "of its own";
}

/** What it has done since it was made. */
export function doneFacts(metrics: Metrics): readonly (readonly [string, string | null])[] {
  const invocations = metrics.invocations ?? 0;
  const plane = metrics.dataPlane;
  return [
    ["Functions ended", `${invocations.toLocaleString("en")}${metrics.failures ? `, ${metrics.failures} failed` : ""}`],
    ["Busy", invocations === 0 ? "never" : `${duration(metrics.busyMs ?? 0)}, ${duration((metrics.busyMs ?? 0) / invocations)} each`],
    ["Messages", `${metrics.sent ?? 0} sent, ${metrics.received ?? 0} received`],
    ["Swaps", `${metrics.swapsOut ?? 0} out, ${metrics.swapsIn ?? 0} in`],
    ["Checkpoints", String(metrics.checkpoints ?? 0)],
    ["Data plane", plane ? `${many(plane.connections ?? 0, "connection")}, ${many(plane.invocations ?? 0, "invocation")}${plane.failures ? `, ${plane.failures} failed` : ""}` : null],
    ["Over the data plane", plane && (plane.bytesIn || plane.bytesOut) ? `${bytes(plane.bytesIn ?? 0)} in, ${bytes(plane.bytesOut ?? 0)} out` : null],
  ];
}
