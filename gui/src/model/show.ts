// Numbers and values as text.

/** Most of a value that is put on the page; all of it can be had by its address. */
export const SHOWN_CHARACTERS = 64 * 1024;

export function duration(ms: number): string {
  if (ms < 1) return `${Math.round(ms * 1000)} µs`;
  if (ms < 1000) return `${ms.toFixed(ms < 10 ? 2 : 1)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(2)} s`;
  const minutes = Math.floor(ms / 60_000);
  return minutes < 60 ? `${minutes} min ${Math.floor((ms % 60_000) / 1000)} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
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

/** Only white space is put in: numbers beyond a double's digits, and repeated keys, stay as they were written. */
function indented(text: string): string {
  if (jsonFault(text) !== null) return text;
  let depth = 0;
  const line = (): string => `\n${"  ".repeat(depth)}`;
  return text.replace(/"(?:[^"\\]|\\.)*"|\[\s*\]|\{\s*\}|[[{]|[\]}]|,|:|\s+/g, (token) => {
    if (token[0] === '"') return token;
    if (token.trim() === "") return "";
    if (token.length > 1) return token.replace(/\s/g, "");
    if (token === "[" || token === "{") return ((depth += 1), token + line());
    if (token === "]" || token === "}") return ((depth -= 1), line() + token);
    return token === "," ? token + line() : ": ";
  });
}

/** A line of a grain's logger is a JSON object: its message, then its fields. Any other is as it was printed. */
export function logText(text: string): string {
  if (!text.startsWith("{")) return text;
  try {
    const { message, level: _level, time: _time, ...fields } = JSON.parse(text) as Record<string, unknown>;
    if (typeof message !== "string") return text;
    return [message, ...Object.entries(fields).map(([name, field]) => `${name}=${JSON.stringify(field)}`)].join(" ");
  } catch {
    return text;
  }
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
