// Values of the data layer, for people.
import { bytes } from "./show";

/** More than that is no text to be edited in a field. */
const MOST_EDITED = 256 * 1024;

/** Its text, when it is one and not too long to be edited; else what it is. */
export function textOf(value: { readonly contentType: string; readonly bytes: Uint8Array }): { readonly text: string } | { readonly instead: string } {
  const about = `${bytes(value.bytes.length)} of ${value.contentType || "no type"}`;
  if (value.bytes.length > MOST_EDITED) return { instead: `${about}: too long to be edited here.` };
  try {
    return { text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(value.bytes) };
  } catch {
    return { instead: `${about}: no text.` };
  }
}

export function isJson(contentType: string): boolean {
  return contentType.startsWith("application/json");
}
