// The members of a JSON object as they were written: numbers with all their digits, keys that stand twice, names that objects have.

/** @return name and value's text of each, or null when the text is no JSON object */
export function members(text: string): readonly (readonly [string, string])[] | null {
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) return null;
  } catch {
    return null;
  }
  const found: [string, string][] = [];
  let depth = 0;
  let name: string | null = null;
  let from = 0;
  const close = (to: number): void => {
    if (name !== null) found.push([name, text.slice(from, to).trim()]);
    name = null;
    from = to + 1;
  };
  // The text is known to be valid: outside of strings these characters alone tell where a member ends.
  for (const { 0: token, index } of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\],:]/g)) {
    if (token === "{" || token === "[") {
      if (++depth === 1) from = index + 1;
    } else if (token === "}" || token === "]") {
      if (--depth === 0) close(index);
    } else if (depth === 1 && token === ",") {
      close(index);
    } else if (depth === 1 && token === ":" && name === null) {
      name = JSON.parse(text.slice(from, index).trim()) as string;
      from = index + 1;
    }
  }
  return found;
}

/** A record's own entry: names of grains and states may be those of an object's own properties. */
export function own<T>(record: Readonly<Record<string, T>> | undefined, name: string): T | undefined {
  return record && Object.hasOwn(record, name) ? record[name] : undefined;
}

/** The elements of a JSON array as they were written, or null when the text is none. */
export function elements(text: string): readonly string[] | null {
  const whole = text.trim();
  if (!whole.startsWith("[")) return null;
  const found: string[] = [];
  let depth = 0;
  let from = 0;
  const close = (to: number): void => {
    const element = whole.slice(from, to).trim();
    if (element !== "") found.push(element);
    from = to + 1;
  };
  for (const { 0: token, index } of whole.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\],]/g)) {
    if (token === "[" || token === "{") {
      if (++depth === 1) from = index + 1;
    } else if (token === "]" || token === "}") {
      if (--depth === 0) close(index);
    } else if (depth === 1 && token === ",") {
      close(index);
    }
  }
  return found;
}
