// What somebody has typed into files of a version and not deployed yet. It is kept over a reload and a refusal.

export interface Draft {
  /** The version whose files were edited. */
  readonly base: number;
  /** Text by path, of files that differ from the base's. */
  readonly files: Readonly<Record<string, string>>;
}

/** @param original text in the base; null: it is not there. @return null when nothing differs any more */
export function typed(draft: Draft | null, base: number, path: string, text: string, original: string | null): Draft | null {
  const { [path]: _, ...others } = draft?.files ?? {};
  const files = text === (original ?? "") ? others : { ...others, [path]: text };
  return Object.keys(files).length === 0 ? null : { base: draft?.base ?? base, files };
}

/** What is left to save when that much of it was: text that was typed meanwhile. */
export function saved(draft: Draft | null, sent: Readonly<Record<string, string>>, version: number): Draft | null {
  const left = Object.entries(draft?.files ?? {}).filter(([path, text]) => sent[path] !== text);
  return left.length === 0 ? null : { base: version, files: Object.fromEntries(left) };
}

/** Of a kept text that is no draft nothing is taken. */
export function readDraft(text: string | null): Draft | null {
  if (text === null) return null;
  try {
    const read: unknown = JSON.parse(text);
    if (typeof read !== "object" || read === null || !("base" in read) || !("files" in read)) return null;
    const { base, files } = read;
    if (typeof base !== "number" || typeof files !== "object" || files === null) return null;
    const texts = Object.entries(files).filter((entry): entry is [string, string] => typeof entry[1] === "string");
    return texts.length === 0 ? null : { base, files: Object.fromEntries(texts) };
  } catch {
    return null;
  }
}
