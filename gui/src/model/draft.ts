// What somebody has typed into files of a version and not deployed yet. It is kept over a reload and a refusal.
import { hasCrlf, withCrlf, withLf } from "./lines";

/** A version whose files are edited. */
export interface Base {
  readonly base: number;
  /** The content address of its files: a version of this number may be another tomorrow, of a platform that began anew. */
  readonly bundle: string;
}

export interface Draft extends Base {
  /** Text by path, of files that differ from the base's; lines end with "\n". */
  readonly files: Readonly<Record<string, string>>;
  /** Of these files lines end with "\r\n" when they are sent. */
  readonly crlf?: readonly string[];
}

/** @param original text in the base; null: it is not there. @return null when nothing differs any more */
export function typed(draft: Draft | null, at: Base, path: string, text: string, original: string | null): Draft | null {
  const { [path]: _, ...others } = draft?.files ?? {};
  const files = text === withLf(original ?? "") ? others : { ...others, [path]: text };
  const crlf = [...(draft?.crlf ?? []).filter((one) => one !== path), ...(hasCrlf(original ?? "") ? [path] : [])];
  return drafted(draft ?? at, files, crlf);
}

/** What is left to save when that much of it was: text that was typed meanwhile. */
export function saved(draft: Draft | null, sent: Readonly<Record<string, string>>, at: Base): Draft | null {
  const left = Object.entries(draft?.files ?? {}).filter(([path, text]) => sent[path] !== text);
  return drafted(at, Object.fromEntries(left), draft?.crlf ?? []);
}

/** Without what is so already in a version that somebody made meanwhile, who may have been the same one. */
export function without(draft: Draft, theirs: Readonly<Record<string, string | null | undefined>>): Draft | null {
  const left = Object.entries(sentFiles(draft)).filter(([path, text]) => theirs[path] !== text);
  return drafted(draft, Object.fromEntries(left.map(([path]) => [path, draft.files[path] ?? ""])), draft.crlf ?? []);
}

/** The files as they are to be in the next version. */
export function sentFiles({ files, crlf = [] }: Pick<Draft, "files" | "crlf">): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(files).map(([path, text]) => [path, crlf.includes(path) ? withCrlf(text) : text]));
}

/** Another version is there by now than it was typed into. */
export function isBehind(draft: Draft, live: Base): boolean {
  return draft.base !== live.base || draft.bundle !== live.bundle;
}

function drafted({ base, bundle }: Base, files: Draft["files"], crlf: readonly string[]): Draft | null {
  const ends = crlf.filter((path) => path in files);
  return Object.keys(files).length === 0 ? null : { base, bundle, files, ...(ends.length > 0 && { crlf: ends }) };
}

/** Of a kept text that is no draft nothing is taken. */
export function readDraft(text: string | null): Draft | null {
  if (text === null) return null;
  try {
    const read: unknown = JSON.parse(text);
    if (typeof read !== "object" || read === null || !("base" in read) || !("bundle" in read) || !("files" in read)) return null;
    const { base, bundle, files } = read;
    if (typeof base !== "number" || typeof bundle !== "string" || typeof files !== "object" || files === null) return null;
    const texts = Object.entries(files).filter((entry): entry is [string, string] => typeof entry[1] === "string");
    const crlf: readonly unknown[] = "crlf" in read && Array.isArray(read.crlf) ? read.crlf : [];
    return drafted({ base, bundle }, Object.fromEntries(texts), crlf.filter((path) => typeof path === "string"));
  } catch {
    return null;
  }
}
