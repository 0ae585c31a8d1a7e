// A workflow's definition (Amazon States Language) as a graph: states, the regions inside a Parallel or Map, and what can follow
// what. A deployed definition has each name once, so that a state's name is its id; in one that nobody has checked yet, the second
// of a name has its region's in its id too.
import { pointerTo } from "./jsonTree";

export interface StateNode {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  /** What a Task calls. */
  readonly resource: string | null;
  /** The region it stands in, or null at the top. */
  readonly region: string | null;
  /** Where it is in the definition. */
  readonly pointer: string;
}

/** A branch of a Parallel, or the inside of a Map. */
export interface Region {
  readonly id: string;
  readonly owner: string;
  readonly label: string;
}

export interface Transition {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly label: string;
  readonly onError: boolean;
}

export interface Graph {
  readonly states: readonly StateNode[];
  readonly regions: readonly Region[];
  readonly transitions: readonly Transition[];
}

type Json = Record<string, unknown>;

export const EMPTY: Graph = { states: [], regions: [], transitions: [] };

/** @throws SyntaxError when the text is no JSON */
export function graphOf(definition: string): Graph {
  const states: StateNode[] = [];
  const regions: Region[] = [];
  const transitions = new Map<string, Transition>();

  function connect(from: string, to: string | undefined, label: string, onError: boolean): void {
    if (to === undefined) return;
    const id = transitionId(from, to);
    const known = transitions.get(id);
    const both = known && known.label && label ? `${known.label}, ${label}` : known?.label || label;
    transitions.set(id, { id, from, to, label: both, onError: onError && (known?.onError ?? true) });
  }

  const taken = new Set<string>();
  function idOf(name: string, region: string | null): string {
    let id = name;
    for (let n = 1; taken.has(id); n++) id = `${name} (${region ?? "top"}${n > 1 ? ` ${n}` : ""})`;
    taken.add(id);
    return id;
  }

  function machine(body: Json, region: string | null, pointer: string): void {
    const own = Object.entries(object(body.States)).map(([name, state]) => ({ name, id: idOf(name, region), fields: object(state) }));
    const ids = new Map(own.map(({ name, id }) => [name, id]));
    for (const { name, id, fields } of own) {
      const here = pointer + pointerTo("States", name);
      const go = (to: unknown, label: string, onError = false): void => connect(id, ids.get(String(to)), label, onError);
      states.push({ id, name, type: String(fields.Type ?? "?"), resource: typeof fields.Resource === "string" ? fields.Resource : null, region, pointer: here });
      go(fields.Next, "");
      list(fields.Choices).forEach((choice, i) => go(object(choice).Next, `choice ${i + 1}`));
      go(fields.Default, "default");
      for (const catcher of list(fields.Catch)) go(object(catcher).Next, list(object(catcher).ErrorEquals).join(" | "), true);
      list(fields.Branches).forEach((branch, i) => inside(id, object(branch), `branch ${i + 1}`, `${here}/Branches/${i}`));
      const each = fields.ItemProcessor === undefined ? "Iterator" : "ItemProcessor";
      if (fields[each] !== undefined) inside(id, object(fields[each]), "each item", `${here}/${each}`);
    }
  }

  function inside(owner: string, body: Json, label: string, pointer: string): void {
    const id = `${owner}/${label}`;
    regions.push({ id, owner, label });
    machine(body, id, pointer);
  }

  machine(object(JSON.parse(definition)), null, "");
  return { states, regions, transitions: [...transitions.values()] };
}

export function transitionId(from: string, to: string): string {
  return `${from} → ${to}`;
}

function object(value: unknown): Json {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
