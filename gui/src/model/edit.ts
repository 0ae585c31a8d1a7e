// Changes of a workflow's definition by its states: the text as it was written, but for what is changed. A state is named by its
// JSON Pointer (StateNode.pointer). What is no state machine comes back as it was.
import { type JsonNode, at, member, treeOf } from "./jsonTree";

/** A first form of each type of state, without what follows. */
export const PALETTE: Readonly<Record<string, string>> = {
  Task: '"Type": "Task", "Resource": "GRAIN"',
  Pass: '"Type": "Pass"',
  Choice: '"Type": "Choice", "Choices": [{RULE, "Next": "NEXT"}]',
  Wait: '"Type": "Wait", "Seconds": 1',
  Parallel: '"Type": "Parallel", "Branches": [{"StartAt": "INNER", "States": {"INNER": {"Type": "Pass", "End": true}}}]',
  Map: '"Type": "Map", "ItemProcessor": {"StartAt": "INNER", "States": {"INNER": {"Type": "Pass", "End": true}}}',
  Succeed: '"Type": "Succeed"',
  Fail: '"Type": "Fail", "Error": "Failed", "Cause": "why"',
};

/** A first rule of a Choice, in either language. */
const RULES = { JSONPath: '"Variable": "$.value", "IsPresent": true', JSONata: '"Condition": "{% $exists($states.input.value) %}"' } as const;

/** Nothing follows these. */
export const ENDS: readonly string[] = ["Succeed", "Fail"];

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

/** Whether a state of that type can stand behind it, and whatever followed it can still be come to. */
export function canFollow(text: string, pointer: string, type: string): boolean {
  const before = at(treeOf(text), pointer);
  if (!before || ENDS.includes(typeOf(text, before))) return false;
  return !ENDS.includes(type) || isChoice(text, before) || nextOf(text, before) === null;
}

/**
 * A state of that type behind another; behind a Choice as what it chooses. With none it is the first one.
 * @param resource of a Task
 */
export function addAfter(text: string, pointer: string | null, type: string, resource: string): Edited {
  const root = treeOf(text);
  const form = PALETTE[type];
  const states = pointer === null ? member(root, "States") : at(root, pointer.slice(0, pointer.lastIndexOf("/")));
  const before = pointer === null ? undefined : at(root, pointer);
  const start = member(root, "StartAt");
  const isFirst = states?.members.length === 0;
  const then = before ? nextOf(text, before) : start && !isFirst ? stringAt(text, start) : null;
  const isEnd = ENDS.includes(type);
  const fits = pointer === null ? isFirst || !isEnd : canFollow(text, pointer, type);
  if (form === undefined || !states || states.kind !== "object" || !fits) return { text, name: "" };
  const taken = new Set(namesIn(root));
  const name = fresh(taken, type);
  const inner = fresh(taken.add(name), `${type}Item`);
  // A Choice leads somewhere: where nothing follows, to an end of its own.
  const end = type === "Choice" && then === null ? fresh(taken, "Succeed") : null;
  const next = then ?? end;
  const rest = isEnd ? "" : next === null ? ', "End": true' : `, ${JSON.stringify(type === "Choice" ? "Default" : "Next")}: ${JSON.stringify(next)}`;
  const body = form
    .replaceAll("INNER", inner)
    .replace("RULE", () => RULES[languageOf(text, root)])
    .replaceAll('"GRAIN"', () => JSON.stringify(resource))
    .replaceAll('"NEXT"', () => JSON.stringify(next));
  const made = [`${JSON.stringify(name)}: {${body}${rest}}`, ...(end === null ? [] : [`${JSON.stringify(end)}: {${PALETTE.Succeed}}`])];
  const splices: Splice[] = [];
  const beside = before ?? states.members.at(-1)?.[1];
  if (beside) splices.push({ from: beside.to, to: beside.to, text: made.map((one) => `,${gapBefore(text, beside, states)}${one}`).join("") });
  else splices.push({ from: states.from, to: states.to, text: `{\n    ${made.join(",\n    ")}\n  }` });
  if (before) splices.push(...(isChoice(text, before) && then !== null ? choose(text, root, before, name) : leadTo(text, before, name)));
  else if (start) splices.push({ from: start.from, to: start.to, text: JSON.stringify(name) });
  else splices.push({ from: states.start, to: states.start, text: `"StartAt": ${JSON.stringify(name)}, ` });
  return { text: spliced(text, splices), name };
}

/** The last state inside another stays: a region has one. */
export function canRemove(text: string, pointer: string): boolean {
  const states = at(treeOf(text), pointer.slice(0, pointer.lastIndexOf("/")));
  return pointer.split("/").length <= 3 || (states?.members.length ?? 0) > 1;
}

/** Without that state: what led to it leads to what came behind it, or does not lead anywhere. */
export function remove(text: string, pointer: string): string {
  const root = treeOf(text);
  const [states, state, name] = [at(root, pointer.slice(0, pointer.lastIndexOf("/"))), at(root, pointer), lastPart(pointer)];
  if (!states || !state || !canRemove(text, pointer)) return text;
  const behind = nextOf(text, state);
  const next = behind === name ? null : behind;
  const splices: Splice[] = [...cuts(states, [states.members.findIndex(([, one]) => one === state)])];
  for (const [key, other] of states.members) if (other !== state) splices.push(...leadPast(text, other, name, next === key ? null : next));
  const machine = pointer.split("/").slice(0, -2).join("/");
  const start = member(at(root, machine), "StartAt");
  if (start && stringAt(text, start) === name) {
    const first = next ?? states.members.find(([key]) => key !== name)?.[0];
    if (first !== undefined) splices.push({ from: start.from, to: start.to, text: JSON.stringify(first) });
  }
  return spliced(text, splices);
}

/** Every way of a state that led to one of that name. @param to null: there is nowhere to lead */
function leadPast(text: string, state: JsonNode, name: string, to: string | null): readonly Splice[] {
  const leads = (node: JsonNode | undefined): node is JsonNode => node !== undefined && stringAt(text, node) === name;
  const elsewhere = (node: JsonNode): Splice => ({ from: node.from, to: node.to, text: JSON.stringify(to) });
  const splices: Splice[] = [];
  const gone: number[] = [];
  state.members.forEach(([key, node], i) => {
    if (key === "Next" && leads(node)) splices.push(...(to === null ? endHere(state) : [elsewhere(node)]));
    if (key === "Default" && leads(node)) to === null ? gone.push(i) : splices.push(elsewhere(node));
    if (key !== "Choices" && key !== "Catch") return;
    const ways = node.members.map(([, one]) => member(one, "Next"));
    const found = ways.flatMap((way, j) => (leads(way) ? [j] : []));
    if (to !== null) splices.push(...ways.filter(leads).map(elsewhere));
    else if (key === "Catch" && found.length > 0 && found.length === ways.length) gone.push(i);
    else splices.push(...cuts(node, found));
  });
  return [...splices, ...cuts(state, gone)];
}

/** Leads it to a state of the same machine; of a Choice, what else is not chosen. null: it ends there. */
export function connect(text: string, pointer: string, to: string | null): string {
  const state = at(treeOf(text), pointer);
  if (!state || state.kind !== "object" || ENDS.includes(typeOf(text, state))) return text;
  if (to !== null) return spliced(text, leadTo(text, state, to));
  return spliced(text, isChoice(text, state) ? cuts(state, state.members.flatMap(([key], i) => (key === "Default" ? [i] : []))) : endHere(state));
}

/** What follows it; of a Choice, where else is not chosen. */
export function leadsTo(text: string, pointer: string): string | null {
  const state = at(treeOf(text), pointer);
  return state ? nextOf(text, state) : null;
}

/** One more of a Choice's. */
function choose(text: string, root: JsonNode, state: JsonNode, name: string): readonly Splice[] {
  const [choices, written] = [member(state, "Choices"), `{${RULES[languageOf(text, root, state)]}, "Next": ${JSON.stringify(name)}}`];
  const last = choices?.members.at(-1)?.[1];
  return last ? [{ from: last.to, to: last.to, text: `, ${written}` }] : set(state, ["Choices"], `"Choices": [${written}]`);
}

function leadTo(text: string, state: JsonNode, to: string): readonly Splice[] {
  const key = isChoice(text, state) ? "Default" : "Next";
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
    return [{ from: first.start, to: first.to, text: written }, ...cuts(state, others.map((one) => state.members.findIndex(([, node]) => node === one)))];
  }
  return last ? [{ from: last.to, to: last.to, text: `, ${written}` }] : [{ from: state.from, to: state.to, text: `{${written}}` }];
}

/** Members with the commas that go with them. */
function cuts(owner: JsonNode, gone: readonly number[]): readonly Splice[] {
  const [nodes, stays] = [owner.members.map(([, node]) => node), owner.members.findIndex((_, i) => !gone.includes(i))];
  const [first, last] = [nodes[0], nodes.at(-1)];
  if (!first || !last || gone.length === 0) return [];
  if (stays < 0) return [{ from: first.start, to: last.to, text: "" }];
  const before = stays > 0 ? [{ from: first.start, to: nodes[stays]?.start ?? 0, text: "" }] : [];
  return [...before, ...gone.filter((i) => i > stays).map((i) => ({ from: nodes[i - 1]?.to ?? 0, to: nodes[i]?.to ?? 0, text: "" }))];
}

/** Of a state that is there, or of a new one: its own, or the whole definition's; machines inside have none. */
function languageOf(text: string, root: JsonNode, state?: JsonNode): keyof typeof RULES {
  const written = member(state, "QueryLanguage") ?? member(root, "QueryLanguage");
  return written && stringAt(text, written) === "JSONata" ? "JSONata" : "JSONPath";
}

function nextOf(text: string, state: JsonNode): string | null {
  const next = member(state, isChoice(text, state) ? "Default" : "Next");
  return next ? stringAt(text, next) : null;
}

function isChoice(text: string, state: JsonNode): boolean {
  return typeOf(text, state) === "Choice";
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

