// Numbers and values as text.
import { members } from "./members";

/** Most of a value that is put on the page; all of it can be had by its address. */
export const SHOWN_CHARACTERS = 64 * 1024;

/** Ends of lines and tabs are what they look like. */
const UNSEEN = /(?!\r?\n|\t)[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

/** Text that somebody else has written, as it is put on a page: characters that are not seen, but change what is, as JSON would escape them. */
export function visible(text: string): string {
  return text.replace(UNSEEN, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

const BREAKS: Readonly<Record<string, string>> = { "\r": "\\r", "\n": "\\n", "\t": "\\t" };

/** As `visible`, what stands in one line, where ends of lines and tabs would look like blanks. */
export function visibleName(name: string): string {
  return visible(name.replace(/[\r\n\t]/g, (character) => BREAKS[character] ?? character));
}

export function duration(ms: number): string {
  if (ms < 1) return `${Math.round(ms * 1000)} µs`;
  if (ms < 1000) return `${ms.toFixed(ms < 10 ? 2 : 1)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(2)} s`;
  const minutes = Math.floor(ms / 60_000);
  return minutes < 60 ? `${minutes} min ${Math.floor((ms % 60_000) / 1000)} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

const UNITS = [["d", 86_400_000], ["h", 3_600_000], ["m", 60_000], ["s", 1000]] as const;

/** As it would stand in a sand.yaml: whole, in the largest unit that has it so. */
export function written(ms: number): string {
  const [unit, of] = UNITS.find(([, one]) => ms > 0 && ms % one === 0) ?? ["ms", 1];
  return `${ms / of}${unit}`;
}

/** To the microsecond, which is what the platform measures; behind a second's point in threes, with a space that does not break. @param isMs it was told in whole milliseconds */
export function exactly(ms: number, isMs = false): string {
  const us = Math.round(ms * 1000);
  const digits = (count: number): string => String(count % 1000).padStart(3, "0");
  if (us < 1_000_000) return isMs ? `${Math.round(ms)} ms` : us < 1000 ? `${us} µs` : `${Math.floor(us / 1000)}.${digits(us)} ms`;
  const seconds = Math.floor(us / 1_000_000);
  const rest = `${seconds % 60}.${digits(Math.floor(us / 1000))}${isMs ? "" : `\u202f${digits(us)}`} s`;
  if (seconds < 60) return rest;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes} min ${rest}` : `${Math.floor(minutes / 60)} h ${minutes % 60} min ${rest}`;
}

export function bytes(count: number): string {
  if (count < 1024) return `${count} B`;
  const units = ["KiB", "MiB", "GiB", "TiB"];
  let value = count;
  let unit = "B";
  for (const next of units) {
    if (value < 1024) break;
    value /= 1024;
    unit = next;
  }
  return `${value.toFixed(value < 10 ? 1 : 0)} ${unit}`;
}

export function when(epochMs: number): string {
  const at = new Date(epochMs);
  const pad = (value: number, width = 2): string => String(value).padStart(width, "0");
  const day = `${at.getFullYear()}-${pad(at.getMonth() + 1)}-${pad(at.getDate())}`;
  return `${day} ${pad(at.getHours())}:${pad(at.getMinutes())}:${pad(at.getSeconds())}.${pad(at.getMilliseconds(), 3)}`;
}

/** JSON indented, anything else as it is; cut where it is too long to show. */
export function value(text: string, most = SHOWN_CHARACTERS): { readonly text: string; readonly cut: boolean } {
  const pretty = text.length > most ? text : indented(text);
  return pretty.length > most ? { text: pretty.slice(0, most), cut: true } : { text: pretty, cut: false };
}

/** Deeper values are indented no further: a value of brackets alone would become one of spaces alone. */
const DEEPEST = 20;

/** Only white space is put in: numbers beyond a double's digits, and repeated keys, stay as they were written. */
function indented(text: string): string {
  if (jsonFault(text) !== null) return text;
  let depth = 0;
  const line = (): string => `\n${"  ".repeat(Math.min(depth, DEEPEST))}`;
  return text.replace(/"(?:[^"\\]|\\.)*"|\[\s*\]|\{\s*\}|[[{]|[\]}]|,|:|\s+/g, (token) => {
    if (token[0] === '"') return token;
    if (token.trim() === "") return "";
    if (token.length > 1) return token.replace(/\s/g, "");
    if (token === "[" || token === "{") return ((depth += 1), token + line());
    if (token === "]" || token === "}") return ((depth -= 1), line() + token);
    return token === "," ? token + line() : ": ";
  });
}

const NOT_FIELDS = new Set(["message", "level", "time"]);

/** A line of a grain's logger is a JSON object: its message, then its fields. Any other is as it was printed. */
export function logText(text: string): string {
  const found = text.startsWith("{") ? members(text) : null;
  const message = found?.find(([name]) => name === "message")?.[1];
  if (!found || !message?.startsWith('"')) return text;
  const fields = found.filter(([name]) => !NOT_FIELDS.has(name)).map(([name, field]) => `${name}=${field}`);
  return [JSON.parse(message) as string, ...fields].join(" ");
}

/** Why a text is no JSON, or null. */
export function jsonFault(text: string): string | null {
  try {
    JSON.parse(text);
    return null;
  } catch (fault) {
    return fault instanceof Error ? fault.message : String(fault);
  }
}

/** A count with its noun. */
export function many(count: number, one: string, more = `${one}s`): string {
  return `${count.toLocaleString("en")} ${count === 1 ? one : more}`;
}

/** How long ago, or in how long, roughly. */
export function ago(epochMs: number, nowMs: number): string {
  const ms = nowMs - epochMs;
  const text = roughly(Math.abs(ms));
  return ms >= 0 ? `${text} ago` : `in ${text}`;
}

function roughly(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} h` : `${Math.round(hours / 24)} days`;
}
