// A JSON text as a tree that is folded: what is not open is not looked into, so that a text of a million keys costs a look over its
// characters and no object for each. Everything shown is cut out of the text as it was written, with every digit.

/** So many of a container stand together; of more each hundred is folded into one row, and each hundred of these. */
const TOGETHER = 100;
/** From that length on a value is shown as a tree. */
const FOLDED_FROM = 2 * 1024;
/** Up to that length it was made sure that it is JSON throughout. */
const LOOKED_THROUGH = 1 << 20;
/** A container of no more characters is shown as it is while it is closed; of a scalar so many at most. */
const INLINE_CHARACTERS = 60;
const SCALAR_CHARACTERS = 2_000;

export interface Row {
  /** Names it among all rows of the tree. */
  readonly id: string;
  /** From 1. */
  readonly level: number;
  /** The key, the place in an array, or the first and last of a stretch of these; "" of the whole. */
  readonly label: string;
  readonly text: string;
  readonly kind: "object" | "array" | "stretch" | "scalar";
  /** null: there is nothing to open. */
  readonly isOpen: boolean | null;
  /** Among its siblings, from 1. */
  readonly position: number;
  readonly siblings: number;
}

/** The members of a container: of each where its key begins (-1 in an array), and where its value begins and ends. */
interface Members {
  readonly count: number;
  readonly places: Int32Array;
}

/** It is long enough to be folded, and a container. */
export function isFolded(text: string): boolean {
  if (text.length < FOLDED_FROM || !/^\s*[[{]/.test(text)) return false;
  if (text.length > LOOKED_THROUGH) return isWhole(text);
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function isWhole(text: string): boolean {
  const end = valueEnd(text, space(text, 0));
  return end > 0 && space(text, end) === text.length;
}

export class FoldedJson {
  private readonly known = new Map<number, Members>();
  private readonly root: number;
  private readonly end: number;

  constructor(private readonly text: string) {
    this.root = space(text, 0);
    this.end = valueEnd(text, this.root);
  }

  /** The rows that are to be seen. @param open ids of those that are opened */
  rows(open: ReadonlySet<string>): readonly Row[] {
    const rows: Row[] = [];
    this.value(rows, open, "$", 1, "", this.root, this.end < 0 ? this.text.length : this.end, 1, 1);
    return rows;
  }

  private value(rows: Row[], open: ReadonlySet<string>, id: string, level: number, label: string, from: number, to: number, position: number, siblings: number): void {
    const first = this.text[from];
    const kind = first === "{" ? "object" : first === "[" ? "array" : "scalar";
    const count = kind === "scalar" ? 0 : this.members(from).count;
    const isOpen = count === 0 ? null : open.has(id);
    rows.push({ id, level, label, kind, isOpen, position, siblings, text: isOpen === true && label !== "" ? "" : this.brief(kind, from, to, count) });
    if (isOpen === true) this.stretch(rows, open, id, level + 1, from, 0, count);
  }

  /** Rows of the members from `begin` on, below `end`. @param of the id of the container */
  private stretch(rows: Row[], open: ReadonlySet<string>, of: string, level: number, container: number, begin: number, end: number): void {
    let step = 1;
    while (Math.ceil((end - begin) / step) > TOGETHER) step *= TOGETHER;
    const siblings = Math.ceil((end - begin) / step);
    const { places } = this.members(container);
    for (let at = begin; at < end; at += step) {
      const position = (at - begin) / step + 1;
      if (step === 1) {
        this.value(rows, open, `${of}/${at}`, level, this.label(places, at), places[at * 3 + 1] ?? 0, places[at * 3 + 2] ?? 0, position, siblings);
        continue;
      }
      const last = Math.min(at + step, end) - 1;
      const own = `${of}/${at}-${last}`;
      const isOpen = open.has(own);
      rows.push({ id: own, level, label: `${this.label(places, at)} … ${this.label(places, last)}`, kind: "stretch", isOpen, position, siblings, text: "" });
      if (isOpen) this.stretch(rows, open, of, level + 1, container, at, last + 1);
    }
  }

  private label(places: Int32Array, at: number): string {
    const key = places[at * 3] ?? -1;
    if (key < 0) return String(at);
    const written = this.text.slice(key, stringEnd(this.text, key));
    try {
      return JSON.parse(written) as string;
    } catch {
      return written;
    }
  }

  private brief(kind: Row["kind"], from: number, to: number, count: number): string {
    const length = to - from;
    if (kind === "scalar") {
      const text = this.text.slice(from, from + Math.min(length, SCALAR_CHARACTERS));
      return length > SCALAR_CHARACTERS ? `${text}… (${length.toLocaleString("en")} characters)` : text;
    }
    if (length <= INLINE_CHARACTERS) return this.text.slice(from, to).replace(/\s*\n\s*/g, " ");
    return kind === "object" ? `{ ${count.toLocaleString("en")} ${count === 1 ? "key" : "keys"} }` : `[ ${count.toLocaleString("en")} ]`;
  }

  private members(from: number): Members {
    const before = this.known.get(from);
    if (before) return before;
    const found = membersAt(this.text, from);
    this.known.set(from, found);
    return found;
  }
}

function membersAt(text: string, from: number): Members {
  const isObject = text[from] === "{";
  const places: number[] = [];
  let at = space(text, from + 1);
  while (at < text.length && text[at] !== "}" && text[at] !== "]") {
    let key = -1;
    if (isObject) {
      key = at;
      at = space(text, stringEnd(text, at));
      at = space(text, at + 1); // ":"
    }
    const end = valueEnd(text, at);
    if (end <= at) break; // it is no JSON
    places.push(key, at, end);
    at = space(text, end);
    if (text[at] === ",") at = space(text, at + 1);
  }
  return { count: places.length / 3, places: Int32Array.from(places) };
}

function space(text: string, at: number): number {
  let next = at;
  while (next < text.length && text.charCodeAt(next) <= 32) next += 1;
  return next;
}

/** Behind the string that begins there. */
function stringEnd(text: string, at: number): number {
  let quote = text.indexOf('"', at + 1);
  while (quote > 0) {
    let slashes = 0;
    while (text.charCodeAt(quote - 1 - slashes) === 92) slashes += 1;
    if (slashes % 2 === 0) return quote + 1;
    quote = text.indexOf('"', quote + 1);
  }
  return text.length;
}

/** What ends a scalar, and what matters inside a container. */
const ENDS_SCALAR = /[\s,\]}]/g;
const MATTERS = /["[\]{}]/g;

/** Behind the value that begins there; -1: it does not end. */
function valueEnd(text: string, from: number): number {
  const first = text[from];
  if (first === '"') return stringEnd(text, from);
  if (first !== "{" && first !== "[") return next(ENDS_SCALAR, text, from) ?? text.length;
  let depth = 0;
  for (let at = next(MATTERS, text, from); at !== undefined; ) {
    const code = text.charCodeAt(at);
    if (code === 34) {
      at = next(MATTERS, text, stringEnd(text, at));
      continue;
    }
    depth += code === 123 || code === 91 ? 1 : -1;
    if (depth === 0) return at + 1;
    at = next(MATTERS, text, at + 1);
  }
  return -1;
}

function next(pattern: RegExp, text: string, from: number): number | undefined {
  pattern.lastIndex = from;
  return pattern.test(text) ? pattern.lastIndex - 1 : undefined;
}
