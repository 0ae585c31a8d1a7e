// Values of the data layer, for people: as text, and what was typed over one and is not saved.
import { withLf } from "./lines";
import { bytes } from "./show";

/** More than that is no text to be edited in a field, and is fetched when somebody wants to see it. */
export const MOST_EDITED = 256 * 1024;

/** A value as the platform has it. */
export interface StoredValue {
  /** Its ETag; "": there is none of that key. */
  readonly version: string;
  readonly contentType: string;
  /** In bytes. */
  readonly size: number;
  /** null: there are too many, and they were not fetched. */
  readonly bytes: Uint8Array | null;
}

/** What was typed over it. */
export interface ValueDraft {
  /** What it was typed into. */
  readonly version: string;
  readonly contentType: string;
  readonly text: string;
}

/** Its text, when it is one and not too long to be edited; else what it is. */
export function textOf(value: Pick<StoredValue, "contentType" | "size" | "bytes">): { readonly text: string } | { readonly instead: string } {
  const about = `${bytes(value.size)} of ${value.contentType || "no type"}`;
  if (value.bytes === null || value.size > MOST_EDITED) return { instead: `${about}: too long to be edited here.` };
  try {
    return { text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(value.bytes) };
  } catch {
    return { instead: `${about}: no text.` };
  }
}

export function isJson(contentType: string): boolean {
  return contentType.startsWith("application/json");
}

/** @return null when nothing differs any more; lines of a field end with "\n" */
export function typedValue(before: ValueDraft | null, stored: StoredValue, text: string): ValueDraft | null {
  const shown = textOf(stored);
  const over = before ?? stored;
  // Over another version nothing is dropped unseen: that it is the same now is found by `unlike`.
  if (over.version === stored.version && text === ("text" in shown ? withLf(shown.text) : "")) return null;
  return { version: over.version, contentType: over.contentType, text };
}

/** What is left of it: nothing, when the same was stored meanwhile, by whomever. */
export function unlike(draft: ValueDraft | null, stored: StoredValue): ValueDraft | null {
  if (draft === null || draft.version === stored.version || stored.version === "") return draft;
  const shown = textOf(stored);
  return stored.contentType === draft.contentType && "text" in shown && shown.text === draft.text ? null : draft;
}

/** What was typed while that text was saved, as the version that it is now. */
export function leftToSave(now: ValueDraft | null, sent: string, version: string): ValueDraft | null {
  return now === null || now.text === sent ? null : { ...now, version };
}

/** Somebody changed or deleted it since. */
export function isOvertaken(draft: ValueDraft | null, stored: StoredValue): draft is ValueDraft {
  return draft !== null && draft.version !== stored.version;
}

/** Of a kept text that is no draft nothing is taken. */
export function readValueDraft(text: string | null): ValueDraft | null {
  try {
    const read: unknown = JSON.parse(text ?? "null");
    if (typeof read !== "object" || read === null || !("version" in read) || !("contentType" in read) || !("text" in read)) return null;
    const { version, contentType, text: typed } = read;
    return typeof version === "string" && typeof contentType === "string" && typeof typed === "string" ? { version, contentType, text: typed } : null;
  } catch {
    return null;
  }
}
