// What is in a file on its way to the platform: a text where it is one, byte by byte; else its bytes, which no text could carry unaltered.

/** As edits have it (`POST …/edits`). */
export type Content = string | { readonly base64: string };

const PIECE = 0x8000;

export function contentOf(bytes: Uint8Array): Content {
  try {
    // A mark of the byte order is one of the file's characters.
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    let text = "";
    for (let at = 0; at < bytes.length; at += PIECE) text += String.fromCharCode(...bytes.subarray(at, at + PIECE));
    return { base64: btoa(text) };
  }
}

export function bytesOf(content: Content): Uint8Array<ArrayBuffer> {
  return typeof content === "string" ? new TextEncoder().encode(content) : Uint8Array.from(atob(content.base64), (character) => character.charCodeAt(0));
}
