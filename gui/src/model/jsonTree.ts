// Where each value of a JSON text stands in it, by JSON Pointer: a scanner of its own, since JSON.parse forgets places.

export interface JsonNode {
  /** Of the value. */
  readonly from: number;
  readonly to: number;
  /** Where its member begins, with the key; of an element its own beginning. */
  readonly start: number;
  readonly kind: "object" | "array" | "scalar";
  readonly members: readonly (readonly [string, JsonNode])[];
}

export class JsonFault extends Error {
  constructor(
    message: string,
    readonly offset: number,
  ) {
    super(message);
  }
}

const DEEPEST = 500;
const SCALAR = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

/** @throws JsonFault that says where it is none */
export function treeOf(text: string): JsonNode {
  let at = 0;

  function space(): void {
    while (at < text.length && " \t\r\n".includes(text.charAt(at))) at += 1;
  }

  function fault(wanted: string): never {
    throw new JsonFault(at >= text.length ? `The text ends where ${wanted} is expected.` : `Here ${wanted} is expected, not ${JSON.stringify(text.charAt(at))}.`, at);
  }

  function scalar(wanted: string): string {
    SCALAR.lastIndex = at;
    const found = SCALAR.exec(text)?.[0];
    if (found === undefined) return fault(wanted);
    at += found.length;
    return found;
  }

  function expect(token: string): void {
    space();
    if (text[at] !== token) fault(JSON.stringify(token));
    at += 1;
  }

  function value(depth: number, start: number): JsonNode {
    space();
    const from = at;
    const open = text[at];
    if (open !== "{" && open !== "[") {
      scalar("a value");
      return { from, to: at, start: Math.min(start, from), kind: "scalar", members: [] };
    }
    if (depth > DEEPEST) throw new JsonFault("It is nested too deep.", at);
    const close = open === "{" ? "}" : "]";
    const members: (readonly [string, JsonNode])[] = [];
    at += 1;
    space();
    if (text[at] === close) at += 1;
    else {
      for (;;) {
        space();
        const begin = at;
        let name = String(members.length);
        if (open === "{") {
          if (text[at] !== '"') fault("a key in quotes");
          name = JSON.parse(scalar("a key in quotes")) as string;
          expect(":");
        }
        members.push([name, value(depth + 1, begin)]);
        space();
        if (text[at] === close) break;
        if (text[at] !== ",") fault(`"," or "${close}"`);
        at += 1;
      }
      at += 1;
    }
    return { from, to: at, start: Math.min(start, from), kind: open === "{" ? "object" : "array", members };
  }

  const root = value(0, text.length);
  space();
  if (at < text.length) fault("the end");
  return root;
}

/** The last of a name counts, as in JSON.parse. */
export function member(node: JsonNode | undefined, name: string): JsonNode | undefined {
  return node?.members.findLast(([key]) => key === name)?.[1];
}

/** What a pointer names, or the nearest around it that is there. */
export function nearest(root: JsonNode, pointer: string): JsonNode {
  let node = root;
  for (const part of partsOf(pointer)) {
    const next = member(node, part);
    if (!next) break;
    node = next;
  }
  return node;
}

export function at(root: JsonNode, pointer: string): JsonNode | undefined {
  return partsOf(pointer).reduce<JsonNode | undefined>((node, part) => member(node, part), root);
}

export function pointerTo(...parts: readonly string[]): string {
  return parts.map((part) => `/${part.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

function partsOf(pointer: string): readonly string[] {
  return pointer.split("/").slice(1).map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
}
