// What waits for instances of an application's grains on its hosts, for people.
import type { Schemas } from "../api/client";
import { bytes } from "./show";

export type LocalQueue = Schemas["LocalQueue"];
export type QueuedEvent = Schemas["QueuedEvent"];

/** Where there are several hosts the operator is told of each. */
export function keyOf({ host = "", version, grain }: LocalQueue): string {
  return `${host}/${version}/${grain}`;
}

export function longestFirst(queues: readonly LocalQueue[]): readonly LocalQueue[] {
  return [...queues].sort((a, b) => b.waiting - a.waiting || b.running - a.running || keyOf(a).localeCompare(keyOf(b)));
}

/** Of what hosts did not tell: who, and why; null: all of them have. */
export function silentText(silent: readonly Schemas["SilentHost"][]): string | null {
  return silent.length === 0 ? null : `Without ${silent.map(({ host, problem }) => `${host}: ${problem}`).join("; ")}.`;
}

/** The beginning of an input as text, and whether there is more of it; what is no text in its place. */
export function previewOf({ preview, isBase64Encoded, bytes: size, contentType }: QueuedEvent): { readonly text: string; readonly isCut: boolean } | { readonly instead: string } {
  if (isBase64Encoded) return { instead: `${bytes(size)} of ${contentType}: no text.` };
  if (preview === undefined) return { instead: "It has been handed out since." };
  return { text: preview, isCut: new TextEncoder().encode(preview).length < size };
}
