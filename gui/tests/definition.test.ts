import { expect, test } from "vitest";
import { graphOf } from "../src/model/definition";
import { neighbour } from "../src/model/neighbours";
import { STATE_WIDTH, laidOutOf, pathOf, toElk } from "../src/model/layout";

const MACHINE = JSON.stringify({
  StartAt: "Which",
  States: {
    Which: { Type: "Choice", Choices: [{ Next: "Fan" }, { Next: "Fan" }], Default: "Nowhere" },
    Fan: {
      Type: "Parallel",
      Branches: [
        { StartAt: "A", States: { A: { Type: "Task", Resource: "a", End: true } } },
        { StartAt: "Each", States: { Each: { Type: "Map", ItemProcessor: { StartAt: "B", States: { B: { Type: "Pass", End: true } } }, End: true } } },
      ],
      Catch: [{ ErrorEquals: ["States.Timeout", "Mine"], Next: "Sorry" }],
      Next: "Sorry",
    },
    Sorry: { Type: "Fail" },
  },
});

test("states stand in the region that they are written in", () => {
  const graph = graphOf(MACHINE);
  expect(graph.states.map((state) => [state.id, state.region])).toEqual([
    ["Which", null],
    ["Fan", null],
    ["A", "Fan/branch 1"],
    ["Each", "Fan/branch 2"],
    ["B", "Each/each item"],
    ["Sorry", null],
  ]);
});

test("ways from one state to another are one, which says all its reasons; one that leads nowhere is none", () => {
  expect(graphOf(MACHINE).transitions).toEqual([
    { id: "Which → Fan", from: "Which", to: "Fan", label: "choice 1, choice 2", onError: false },
    { id: "Fan → Sorry", from: "Fan", to: "Sorry", label: "States.Timeout | Mine", onError: false },
  ]);
});

test("what is no state machine is an empty graph", () => {
  for (const text of ["{}", "[]", "null", '{"States": [1]}', '{"States": {"A": 3}}']) expect(graphOf(text).transitions).toEqual([]);
  expect(() => graphOf("{")).toThrow(SyntaxError);
});

test("each state and region has one box, parents first", () => {
  const graph = graphOf(MACHINE);
  const { boxes } = laidOutOf(toElk(graph));
  expect(boxes.map((box) => [box.id, box.kind, box.parent?.split(":")[1] ?? null])).toEqual([
    ["Which", "state", null],
    ["Fan", "state", null],
    ["Fan/branch 1", "region", "Fan"],
    ["A", "state", "Fan/branch 1"],
    ["Fan/branch 2", "region", "Fan"],
    ["Each", "state", "Fan/branch 2"],
    ["Each/each item", "region", "Each"],
    ["B", "state", "Each/each item"],
    ["Sorry", "state", null],
  ]);
  expect(boxes[0]?.width).toBe(STATE_WIDTH);
});

test("a way's corners are rounded, and short ones less", () => {
  const corner = [{ x: 0, y: 0 }, { x: 0, y: 20 }, { x: 4, y: 20 }];
  expect(pathOf(corner)).toBe("M0,0L0,12Q0,20 2,20L4,20");
  expect(pathOf([])).toBe("");
});

test("states of one name, or with the name of a region, are different boxes", () => {
  const inner = (next: string) => ({ StartAt: "A", States: { A: { Type: "Pass", Next: next }, [next]: { Type: "Pass", End: true } } });
  const graph = graphOf(
    JSON.stringify({ States: { root: { Type: "Parallel", Branches: [inner("B"), inner("C")], Next: "root/branch 1" }, "root/branch 1": { Type: "Succeed" } } }),
  );
  expect(graph.states.map((state) => state.id)).toEqual(["root", "A", "B", "A (root/branch 2)", "C", "root/branch 1"]);
  expect(graph.transitions.map((edge) => edge.id)).toContain("A (root/branch 2) → C");
  const { boxes } = laidOutOf(toElk(graph));
  expect(new Set(boxes.map((box) => box.key)).size).toBe(boxes.length);
});

test("states with the names that objects have", () => {
  const graph = graphOf('{"States": {"__proto__": {"Type": "Pass", "Next": "constructor"}, "constructor": {"Type": "Pass", "Next": "toString"}}}');
  expect(graph.states.map((state) => state.id)).toEqual(["__proto__", "constructor"]);
  expect(graph.transitions.map((edge) => edge.to)).toEqual(["constructor"]);
});

test("arrow keys follow the ways of a graph, and reach every state", () => {
  const graph = graphOf(MACHINE);
  const to = (id: string, key: string): string | null => neighbour(graph, id, `Arrow${key}`);
  expect([to("Which", "Down"), to("Fan", "Down"), to("Sorry", "Up"), to("A", "Up"), to("Each", "Down"), to("Which", "Up")]).toEqual(["Fan", "Sorry", "Fan", "Fan", "B", null]);
  const all = ["Which"];
  for (let next = to("Which", "Right"); next !== null; next = to(next, "Right")) all.push(next);
  expect(all).toEqual(graph.states.map((state) => state.id));
  expect([to("Which", "Left"), to("nobody", "Down"), neighbour(graph, "Which", "a")]).toEqual([null, null, null]);
});
