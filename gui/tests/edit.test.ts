import { expect, test } from "vitest";
import { graphOf } from "../src/model/definition";
import { PALETTE, addAfter, connect, remove } from "../src/model/edit";
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
  for (const type of Object.keys(PALETTE)) {
    const { text, name } = addAfter(TEXT, "/States/A", type, "a");
    expect(names(text).filter((one) => !names(TEXT).includes(one))[0]).toBe(name);
    expect(ways(text)).toContain(`A > ${name}`);
    expect(ways(text).includes(`${name} > B/~`)).toBe(!["Succeed", "Fail"].includes(type));
    expect(text).toContain('"Comment": "kept  as it is"');
    expect(text).toContain("12345678901234567890");
  }
  const { text } = addAfter(TEXT, "/States/A", "Pass", "");
  expect(text).toContain('"Next": "Pass"},\n    "Pass": {"Type": "Pass", "Next": "B/~"},\n    "B/~": {');
});

test("behind the last one, inside a Map, and behind a Choice, whose ways stay", () => {
  expect(ways(addAfter(TEXT, "/States/C", "Wait", "").text)).toContain("C > Wait");
  expect(ways(addAfter(TEXT, "/States/C/ItemProcessor/States/D", "Pass", "").text)).toContain("D > Pass");
  expect(ways(addAfter(TEXT, "/States/B~1~0", "Pass", "").text)).toEqual(ways(TEXT));
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
  expect(names(remove(TEXT, "/States/C/ItemProcessor/States/D"))).toEqual(["A", "B/~", "C"]);
});

test("ways are led elsewhere, or end", () => {
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
    else text = draw(3) > 0 ? remove(text, state.pointer) : connect(text, state.pointer, states[draw(states.length)]?.name ?? null);
    expect(() => treeOf(text)).not.toThrow();
    const now = graphOf(text).states.map((one) => one.id);
    expect(new Set(now).size).toBe(now.length);
    if (now.length === 0 || now.length > 40) text = TEXT;
  }
});
