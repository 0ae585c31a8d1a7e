// Changes of a workflow's definition by its states: the text as it was written, but for what is changed. A state is named by its
// JSON Pointer (StateNode.pointer). What is no state machine comes back as it was.
import { type JsonNode, at, member, treeOf } from "./jsonTree";

/** A first form of each type of state, without what follows. */
export const PALETTE: Readonly<Record<string, string>> = {
  Task: '"Type": "Task", "Resource": "GRAIN"',
  Pass: '"Type": "Pass"',
  Choice: '"Type": "Choice", "Choices": [{"Variable": "$.value", "IsPresent": true, "Next": "NEXT"}]',
  Wait: '"Type": "Wait", "Seconds": 1',
  Parallel: '"Type": "Parallel", "Branches": [{"StartAt": "INNER", "States": {"INNER": {"Type": "Pass", "End": true}}}]',
  Map: '"Type": "Map", "ItemProcessor": {"StartAt": "INNER", "States": {"INNER": {"Type": "Pass", "End": true}}}',
  Succeed: '"Type": "Succeed"',
  Fail: '"Type": "Fail", "Error": "Failed", "Cause": "why"',
};

const ENDS = ["Succeed", "Fail"];

export interface Edited {
  readonly text: string;
  /** Of the state that was added. */
  readonly name: string;
}

interface Splice {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** A state of that type behind another, or the first one where there is none. @param resource of a Task */
export function addAfter(text: string, pointer: string | null, type: string, resource: string): Edited {
  const root = treeOf(text);
  const form = PALETTE[type];
  const states = pointer === null ? member(root, "States") : at(root, pointer.slice(0, pointer.lastIndexOf("/")));
  const before = pointer === null ? undefined : at(root, pointer);
  if (form === undefined || !states || states.kind !== "object" || (pointer !== null && !before)) return { text, name: "" };
  const taken = new Set(namesIn(root));
  const name = fresh(taken, type);
  const inner = fresh(taken.add(name), `${type}Item`);
  const follows = before && typeOf(text, before) !== "Choice" && !ENDS.includes(typeOf(text, before)) ? followed(text, before) : null;
  const next = ENDS.includes(type) ? "" : type === "Choice" ? (follows?.next ? `, "Default": ${JSON.stringify(follows.next)}` : "") : follows?.next ? `, "Next": ${JSON.stringify(follows.next)}` : ', "End": true';
  const body = form
    .replaceAll("INNER", inner)
    .replaceAll('"GRAIN"', () => JSON.stringify(resource))
    .replaceAll('"NEXT"', () => JSON.stringify(follows?.next ?? name));
  const written = `${JSON.stringify(name)}: {${body}${next}}`;
  const splices: Splice[] = [];
  if (before) {
    splices.push({ from: before.to, to: before.to, text: `,${gapBefore(text, before, states)}${written}` });
    if (follows) splices.push(...leadTo(text, before, name));
  } else if (states.members.length === 0) {
    splices.push({ from: states.from, to: states.to, text: `{\n    ${written}\n  }` });
    const start = member(root, "StartAt");
    if (start) splices.push({ from: start.from, to: start.to, text: JSON.stringify(name) });
    else splices.push({ from: states.start, to: states.start, text: `"StartAt": ${JSON.stringify(name)}, ` });
  } else {
    const last = states.members.at(-1)?.[1];
    if (last) splices.push({ from: last.to, to: last.to, text: `,${gapBefore(text, last, states)}${written}` });
  }
  return { text: spliced(text, splices), name };
}

/** Without that state: what led to it leads to what came behind it, or ends there. */
export function remove(text: string, pointer: string): string {
  const root = treeOf(text);
  const [states, state, name] = [at(root, pointer.slice(0, pointer.lastIndexOf("/"))), at(root, pointer), lastPart(pointer)];
  if (!states || !state) return text;
  const { next } = followed(text, state);
  const index = states.members.findIndex(([, one]) => one === state);
  const splices: Splice[] = [cut(states, index)];
  for (const [, other] of states.members) {
    if (other === state) continue;
    const own = member(other, "Next");
    if (own && stringAt(text, own) === name) splices.push(...(next === null || next === name ? endHere(other) : [{ from: own.from, to: own.to, text: JSON.stringify(next) }]));
    if (next === null || next === name) continue;
    for (const place of placesToGo(other)) if (place !== own && stringAt(text, place) === name) splices.push({ from: place.from, to: place.to, text: JSON.stringify(next) });
  }
  const machine = pointer.split("/").slice(0, -2).join("/");
  const start = member(at(root, machine), "StartAt");
  if (start && stringAt(text, start) === name) {
    const first = next ?? states.members.find(([key]) => key !== name)?.[0];
    if (first !== undefined) splices.push({ from: start.from, to: start.to, text: JSON.stringify(first) });
  }
  return spliced(text, splices);
}

/** Leads it to a state of the same machine; of a Choice, what else is not chosen. null: it ends there. */
export function connect(text: string, pointer: string, to: string | null): string {
  const state = at(treeOf(text), pointer);
  if (!state || state.kind !== "object" || ENDS.includes(typeOf(text, state))) return text;
  return spliced(text, to === null ? endHere(state) : leadTo(text, state, to));
}

function leadTo(text: string, state: JsonNode, to: string): readonly Splice[] {
  const key = typeOf(text, state) === "Choice" ? "Default" : "Next";
  return set(state, key === "Next" ? ["Next", "End"] : ["Default"], `${JSON.stringify(key)}: ${JSON.stringify(to)}`);
}

function endHere(state: JsonNode): readonly Splice[] {
  return set(state, ["Next", "End"], '"End": true');
}

/** In place of the members of these names, or behind the last. */
function set(state: JsonNode, names: readonly string[], written: string): readonly Splice[] {
  const found = state.members.filter(([key]) => names.includes(key)).map(([, node]) => node);
  const [first, ...others] = found;
  const last = state.members.at(-1)?.[1];
  if (first) {
    return [{ from: first.start, to: first.to, text: written }, ...others.map((one) => cut(state, state.members.findIndex(([, node]) => node === one)))];
  }
  return last ? [{ from: last.to, to: last.to, text: `, ${written}` }] : [{ from: state.from, to: state.to, text: `{${written}}` }];
}

/** A member with the comma that goes with it. */
function cut(owner: JsonNode, index: number): Splice {
  const [node, before, behind] = [owner.members[index]?.[1], owner.members[index - 1]?.[1], owner.members[index + 1]?.[1]];
  if (!node) return { from: 0, to: 0, text: "" };
  if (before) return { from: before.to, to: node.to, text: "" };
  return { from: node.start, to: behind ? behind.start : node.to, text: "" };
}

function followed(text: string, state: JsonNode): { readonly next: string | null } {
  const next = member(state, "Next");
  return { next: next ? stringAt(text, next) : null };
}

/** Every value of a state that names another. */
function placesToGo(state: JsonNode): readonly JsonNode[] {
  const listed = ["Choices", "Catch"].flatMap((key) => member(state, key)?.members ?? []).map(([, one]) => member(one, "Next"));
  return [member(state, "Next"), member(state, "Default"), ...listed].filter((node) => node !== undefined);
}

function typeOf(text: string, state: JsonNode): string {
  const type = member(state, "Type");
  return (type && stringAt(text, type)) ?? "";
}

function stringAt(text: string, node: JsonNode): string | null {
  const value: unknown = JSON.parse(text.slice(node.from, node.to));
  return typeof value === "string" ? value : null;
}

/** Names of states anywhere in it: each has to be the only one of its name. */
function namesIn(node: JsonNode): readonly string[] {
  return node.members.flatMap(([key, value]) => [...(key === "States" ? value.members.map(([name]) => name) : []), ...namesIn(value)]);
}

function fresh(taken: ReadonlySet<string>, type: string): string {
  if (!taken.has(type)) return type;
  let n = 2;
  while (taken.has(`${type}${n}`)) n += 1;
  return `${type}${n}`;
}

/** The white space that stands before a member, so that the next one stands as it does. */
function gapBefore(text: string, node: JsonNode, owner: JsonNode): string {
  const from = Math.max(owner.from + 1, text.lastIndexOf("\n", node.start));
  const gap = text.slice(from, node.start);
  return from > owner.from && /^\s*$/.test(gap) && gap !== "" ? gap : " ";
}

function lastPart(pointer: string): string {
  return pointer.slice(pointer.lastIndexOf("/") + 1).replaceAll("~1", "/").replaceAll("~0", "~");
}

function spliced(text: string, splices: readonly Splice[]): string {
  return [...splices].sort((a, b) => b.from - a.from || b.to - a.to).reduce((now, one) => now.slice(0, one.from) + one.text + now.slice(one.to), text);
}

