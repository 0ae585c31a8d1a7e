// Events that a grain or a workflow is tested with: their names, what was typed into one since it was saved, and when that can be saved.
import { withLf } from "./lines";

/** As the platform has it. */
export interface Listed {
  readonly name: string;
  /** Else it is a file alone. */
  readonly saved: boolean;
  readonly file: string | null;
}

/** What is kept under a name. */
export interface KeptEvent {
  /** The version that was saved; null: a file, or nothing any more. */
  readonly tag: string | null;
  readonly text: string;
}

/** What was typed over it. */
export interface EventDraft {
  /** What it was typed into. */
  readonly tag: string | null;
  readonly text: string;
}

export const MOST_BYTES = 256 * 1024;
const NAME = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$/;

/** @return null when nothing differs any more; lines of a field end with "\n" */
export function typedEvent(before: EventDraft | null, kept: KeptEvent, text: string): EventDraft | null {
  return text === withLf(kept.text) ? null : { tag: before === null ? kept.tag : before.tag, text };
}

/** What is left when that text was saved as that version. */
export function leftOf(now: EventDraft | null, sent: string, tag: string | null): EventDraft | null {
  return now === null || now.text === sent ? null : { ...now, tag };
}

/** Somebody else saved or deleted it since, and otherwise than it was typed here. */
export function isOvertaken(draft: EventDraft | null, kept: KeptEvent): boolean {
  return draft !== null && draft.tag !== kept.tag;
}

export function readEventDraft(text: string | null): EventDraft | null {
  try {
    const read: unknown = JSON.parse(text ?? "null");
    if (typeof read !== "object" || read === null || !("tag" in read) || !("text" in read)) return null;
    const { tag, text: typed } = read;
    return typeof typed === "string" && (typeof tag === "string" || tag === null) ? { tag, text: typed } : null;
  } catch {
    return null;
  }
}

/** Why nothing can be saved under that name, or null; of no name nothing is said yet. @param chosen the event that is edited, "" for none */
export function nameFault(name: string, chosen: string, events: readonly Listed[]): string | null {
  if (name === "") return null;
  if (!NAME.test(name)) return "A name has letters, digits, _, - and dots, and no dot or - first: at most 64 of them.";
  const isTaken = name !== chosen && events.some((one) => one.name === name);
  return isTaken ? `There is a ${name} already: choose it to change it, or take another name.` : null;
}

/** Why that is too long to be kept, or null. */
export function sizeFault(text: string): string | null {
  const size = new TextEncoder().encode(text).length;
  return size > MOST_BYTES ? `It has ${size.toLocaleString("en")} bytes, and ${MOST_BYTES.toLocaleString("en")} are kept at most.` : null;
}

export function optionOf({ name, saved, file }: Listed, version: number): string {
  return saved || file === null ? name : `${name} (file of version ${version})`;
}

/** The words behind `sand` that call with what is in the field: by its name where that is what is kept. */
export function invokeWords(target: string, input: string, name: string): readonly string[] {
  return ["invoke", target, "--async", ...(name === "" ? ["--data", input] : ["--event", name])];
}
