import { expect, test } from "vitest";
import { graphOf } from "../src/model/definition";
import { PALETTE, addAfter, canFollow, canRemove, connect, leadsTo, remove } from "../src/model/edit";
import { stateInBox, stateKey } from "../src/model/layout";
import { JsonFault, at, nearest, treeOf } from "../src/model/jsonTree";

const TEXT = `{
  "Comment": "kept  as it is",
  "StartAt": "A",
  "States": {
    "A": {"Type": "Task", "Resource": "a", "TimeoutSeconds": 12345678901234567890, "Next": "B/~"},
    "B/~": {
      "Type": "Choice",
      "Choices": [{"Variable": "$.x", "IsNull": true, "Next": "A"}],
      "Default": "C"
    },
    "C": {"Type": "Map", "ItemProcessor": {"StartAt": "D", "States": {"D": {"Type": "Pass", "End": true}}}, "End": true}
  }
}
`;
const ways = (text: string): readonly string[] => graphOf(text).transitions.map((one) => `${one.from} > ${one.to}`);
const ENDS = ["Succeed", "Fail"];
/** As the graph lists ways: by the state that they begin at, each in the order in which they are written. */
const byPlace = (text: string) => (a: string, b: string): number => ways(text).indexOf(a) - ways(text).indexOf(b);
const names = (text: string): readonly string[] => graphOf(text).states.map((one) => one.id);

test("each state's pointer leads to where it is written", () => {
  const root = treeOf(TEXT);
  for (const state of graphOf(TEXT).states) {
    const node = at(root, state.pointer);
    expect(TEXT.slice(node?.start, node?.from)).toBe(`${JSON.stringify(state.name)}: `);
    expect(JSON.parse(TEXT.slice(node?.from, node?.to))).toMatchObject({ Type: state.type });
  }
  const inner = nearest(root, "/States/A/Retry/0");
  expect(TEXT.slice(inner.start, inner.start + 4)).toBe('"A":');
});

test("a text that is no JSON says where, as JSON.parse says that", () => {
  const wrong = ["", "{", '{"a" 1}', '{"a": 1,}', "[1 2]", '{"a": tru}', '"\u0001"', "01", "{} x", '{a: 1}', "[,]", `${"[".repeat(2_000)}`];
  for (const text of wrong) {
    expect(() => JSON.parse(text)).toThrow();
    expect(() => treeOf(text), text).toThrow(JsonFault);
  }
  for (const text of ["0", ' [ ] ', '{"": {"": []}}', '"\\u00e4\\""', "-1.5e+3", '{"a": 1, "a": 2}']) expect(treeOf(text).to).toBeLessThanOrEqual(text.length);
});

test("a state of each type goes in behind another, and what followed follows it", () => {
  for (const type of Object.keys(PALETTE).filter((one) => !ENDS.includes(one))) {
    const { text, name } = addAfter(TEXT, "/States/A", type, "a");
    expect(names(text).filter((one) => !names(TEXT).includes(one))[0]).toBe(name);
    expect(ways(text)).toContain(`A > ${name}`);
    expect(ways(text)).toContain(`${name} > B/~`);
    expect(text).toContain('"Comment": "kept  as it is"');
    expect(text).toContain("12345678901234567890");
  }
  const { text } = addAfter(TEXT, "/States/A", "Pass", "");
  expect(text).toContain('"Next": "Pass"},\n    "Pass": {"Type": "Pass", "Next": "B/~"},\n    "B/~": {');
});

test("behind the last one, and inside a Map", () => {
  expect(ways(addAfter(TEXT, "/States/C", "Wait", "").text)).toContain("C > Wait");
  expect(ways(addAfter(TEXT, "/States/C/ItemProcessor/States/D", "Pass", "").text)).toContain("D > Pass");
});

test("a state behind a Choice is one that it chooses, or what else is not chosen", () => {
  const { text, name } = addAfter(TEXT, "/States/B~1~0", "Pass", "");
  expect(ways(text)).toEqual([...ways(TEXT), `B/~ > ${name}`, `${name} > C`].sort(byPlace(text)));
  expect(JSON.parse(text).States["B/~"].Choices).toHaveLength(2);
  const bare = '{"StartAt": "A", "States": {"A": {"Type": "Choice", "Choices": []}}}';
  expect(JSON.parse(addAfter(bare, "/States/A", "Fail", "").text).States.A.Default).toBe("Fail");
  expect(JSON.parse(addAfter('{"StartAt": "A", "States": {"A": {"Type": "Choice", "Default": "A"}}}', "/States/A", "Fail", "").text).States.A.Choices[0].Next).toBe("Fail");
});

const ONLY_JSONPATH = ["Variable", "IsPresent", "InputPath", "OutputPath", "ResultPath", "Parameters", "ResultSelector", "ItemsPath", "Result"];
const RULE = { Condition: "{% $exists($states.input.value) %}", Next: "B" };

test("in a definition in JSONata nothing is put in that is JSONPath's, wherever it goes", () => {
  const text = `{"QueryLanguage": "JSONata", "StartAt": "M", "States": {
    "M": {"Type": "Map", "ItemProcessor": {"StartAt": "A", "States": {"A": {"Type": "Pass", "Next": "B"}, "B": {"Type": "Pass", "End": true}}}, "End": true}}}`;
  for (const pointer of ["/States/M", "/States/M/ItemProcessor/States/A"]) {
    for (const type of Object.keys(PALETTE).filter((one) => canFollow(text, pointer, one))) {
      const made = JSON.parse(addAfter(text, pointer, type, "a").text);
      expect(objects(made).flatMap((one) => Object.keys(one)).filter((key) => ONLY_JSONPATH.includes(key)), type).toEqual([]);
    }
  }
  const inner = JSON.parse(addAfter(text, "/States/M/ItemProcessor/States/A", "Choice", "").text).States.M.ItemProcessor.States;
  expect(inner.Choice).toEqual({ Type: "Choice", Choices: [RULE], Default: "B" });
});

test("one more rule of a Choice is in the Choice's language", () => {
  const choice = (whole: string, own: string): string => `{${whole}"StartAt": "A", "States": {"A": {"Type": "Choice", ${own}"Choices": [], "Default": "E"}, "E": {"Type": "Succeed"}}}`;
  const [jsonata, jsonPath] = ['"QueryLanguage": "JSONata", ', '"QueryLanguage": "JSONPath", '];
  const rule = (text: string): Json => JSON.parse(addAfter(text, "/States/A", "Pass", "").text).States.A.Choices[0];
  for (const text of [choice(jsonata, ""), choice("", jsonata), choice(jsonPath, jsonata)]) expect(rule(text)).toEqual({ ...RULE, Next: "Pass" });
  for (const text of [choice("", ""), choice(jsonPath, ""), choice("", jsonPath)]) expect(rule(text)).toEqual({ Variable: "$.value", IsPresent: true, Next: "Pass" });
});

test("an end goes behind what ends, and nothing behind an end: nothing is cut off", () => {
  for (const type of ENDS) {
    expect(addAfter(TEXT, "/States/A", type, "")).toEqual({ text: TEXT, name: "" });
    expect(ways(addAfter(TEXT, "/States/C", type, "").text)).toContain(`C > ${type}`);
  }
  const ended = addAfter(TEXT, "/States/C", "Succeed", "").text;
  expect(["Pass", "Fail"].map((type) => canFollow(ended, "/States/Succeed", type))).toEqual([false, false]);
  const one = '{"StartAt": "S", "States": {"S": {"Type": "Succeed"}}}';
  expect(ways(addAfter(one, null, "Pass", "").text)).toEqual(["Pass > S"]);
});

test("a Choice at the end has an end to lead to", () => {
  const { text } = addAfter(TEXT, "/States/C", "Choice", "");
  expect(ways(text)).toEqual(expect.arrayContaining(["C > Choice", "Choice > Succeed"]));
  expect(ways(text)).not.toContain("Choice > Choice");
  expect(JSON.parse(addAfter('{"States": {}}', null, "Choice", "").text).States.Succeed).toEqual({ Type: "Succeed" });
});

test("a name is taken once, wherever", () => {
  const once = addAfter(TEXT, "/States/A", "Pass", "").text;
  const twice = addAfter(once, "/States/C/ItemProcessor/States/D", "Pass", "");
  expect(twice.name).toBe("Pass2");
  expect(new Set(names(twice.text)).size).toBe(names(twice.text).length);
});

test("the first state of all", () => {
  for (const text of ['{"StartAt": "", "States": {}}', '{"States": {}}']) {
    const made = addAfter(text, null, "Task", 'a"b').text;
    expect(JSON.parse(made)).toEqual({ StartAt: "Task", States: { Task: { Type: "Task", Resource: 'a"b', End: true } } });
  }
});

test("a state that goes leaves what led to it with what came behind it", () => {
  const simple = '{"StartAt": "A", "States": {"A": {"Type": "Pass", "Next": "B"}, "B": {"Type": "Pass", "Next": "C"}, "C": {"Type": "Pass", "End": true}}}';
  expect(ways(remove(simple, "/States/B"))).toEqual(["A > C"]);
  expect(JSON.parse(remove(simple, "/States/A")).StartAt).toBe("B");
  expect(JSON.parse(remove(simple, "/States/C")).States.B).toEqual({ Type: "Pass", End: true });
  const inner = "/States/C/ItemProcessor/States/D";
  expect([canRemove(TEXT, inner), remove(TEXT, inner), canRemove(TEXT, "/States/C")]).toEqual([false, TEXT, true]);
});

test("nothing leads to a state that went", () => {
  const machine = (way: string): string => `{"StartAt": "A", "States": {"A": {"Type": "Task", ${way}}, "B": {"Type": "Succeed"}, "C": {"Type": "Succeed"}}}`;
  const catcher = (to: string): string => `{"ErrorEquals": ["x"], "Next": "${to}"}`;
  const after = (way: string): Record<string, unknown> => JSON.parse(remove(machine(way), "/States/B")).States.A;
  expect(after('"Next": "B"')).toEqual({ Type: "Task", End: true });
  expect(after(`"Catch": [${catcher("B")}, ${catcher("C")}, ${catcher("B")}], "Next": "B"`)).toEqual({ Type: "Task", Catch: [JSON.parse(catcher("C"))], End: true });
  expect(after(`"Next": "C", "Catch": [${catcher("B")}, ${catcher("B")}]`)).toEqual({ Type: "Task", Next: "C" });
  expect(after('"Choices": [{"Next": "B"}, {"Next": "B"}, {"Next": "C"}], "Default": "B"')).toEqual({ Type: "Task", Choices: [{ Next: "C" }] });
  // Behind a Choice comes what else is not chosen; where that is oneself, nothing.
  expect(ways(remove(TEXT, "/States/B~1~0"))).toEqual(["A > C"]);
  expect(JSON.parse(remove(TEXT, "/States/A"))).toMatchObject({ StartAt: "B/~", States: { "B/~": { Choices: [], Default: "C" } } });
});

test("ways are led elsewhere, or end", () => {
  expect(["/States/A", "/States/B~1~0", "/States/C", "/States/none"].map((one) => leadsTo(TEXT, one))).toEqual(["B/~", "C", null, null]);
  expect(JSON.parse(connect(TEXT, "/States/B~1~0", null)).States["B/~"]).toEqual({ Type: "Choice", Choices: [{ Variable: "$.x", IsNull: true, Next: "A" }] });
  expect(ways(connect(TEXT, "/States/A", "C"))).toContain("A > C");
  expect(ways(connect(TEXT, "/States/B~1~0", "A"))).not.toContain("B/~ > C");
  expect(JSON.parse(connect(TEXT, "/States/A", null)).States.A.End).toBe(true);
  expect(JSON.parse(connect('{"States": {"A": {"Next": "B", "End": true}}}', "/States/A", "C")).States.A).toEqual({ Next: "C" });
  expect(connect(TEXT, "/States/none", "A")).toBe(TEXT);
});

test("two thousand changes at random leave a text that is JSON, with the states that there were meant to be", () => {
  let seed = 7;
  const draw = (most: number): number => ((seed = (seed * 1103515245 + 12345) % 2147483648), seed % most);
  let text = TEXT;
  for (let i = 0; i < 2_000; i++) {
    const states = graphOf(text).states;
    const state = states[draw(states.length)];
    if (!state) break;
    const types = Object.keys(PALETTE);
    if (states.length < 12 || draw(2) === 0) text = addAfter(text, state.pointer, types[draw(types.length)] ?? "Pass", "a").text;
    else text = draw(3) > 0 ? remove(text, state.pointer) : connect(text, state.pointer, states.filter((one) => one.region === state.region)[draw(2)]?.name ?? null);
    expect(() => treeOf(text)).not.toThrow();
    const now = graphOf(text).states.map((one) => one.id);
    expect(new Set(now).size).toBe(now.length);
    expect(dangling(JSON.parse(text))).toEqual([]);
    if (now.length === 0 || now.length > 40) text = TEXT;
  }
});

test("what is only added to can be come to, every state", () => {
  let seed = 3;
  const draw = (most: number): number => ((seed = (seed * 1103515245 + 12345) % 2147483648), (seed >> 8) % most);
  for (let round = 0; round < 20; round++) {
    let text = TEXT;
    for (let i = 0; i < 30; i++) {
      const states = graphOf(text).states;
      text = addAfter(text, states[draw(states.length)]?.pointer ?? null, Object.keys(PALETTE)[draw(8)] ?? "", "a").text;
    }
    const led = new Set(graphOf(text).transitions.filter((one) => one.from !== one.to).map((one) => one.to));
    const starts = new Set(machines(JSON.parse(text)).map((one) => one.StartAt));
    expect(graphOf(text).states.filter((one) => !led.has(one.id) && !starts.has(one.name))).toEqual([]);
  }
});

test("what is dropped into a box goes behind its state, or behind the last one of its region", () => {
  const graph = graphOf(addAfter(TEXT, "/States/C/ItemProcessor/States/D", "Wait", "").text);
  expect(stateInBox(graph, stateKey("A"))?.name).toBe("A");
  expect(stateInBox(graph, `region:${graph.regions[0]?.id}`)?.name).toBe("Wait");
  expect(stateInBox(graph, stateKey("none"))).toBeNull();
});

type Json = Record<string, unknown>;
const objects = (value: unknown): readonly Json[] => (typeof value !== "object" || value === null ? [] : [value as Json, ...Object.values(value).flatMap(objects)]);
const machines = (root: Json): readonly Json[] => objects(root).filter((one) => "States" in one && "StartAt" in one);

/** Names that ways lead to, and that no state beside has. */
function dangling(root: Json): readonly unknown[] {
  return machines(root).flatMap(({ StartAt, States }) => {
    const all = States as Record<string, Json>;
    const ways = Object.values(all).flatMap((one) => [one.Next, one.Default, ...[one.Choices, one.Catch].flatMap((list) => ((list ?? []) as Json[]).map((way) => way.Next))]);
    return [...(Object.keys(all).length > 0 ? [StartAt] : []), ...ways].filter((name) => name !== undefined && !(String(name) in all));
  });
}
