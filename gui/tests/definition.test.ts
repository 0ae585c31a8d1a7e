import { expect, test } from "vitest";
import { graphOf } from "../src/model/definition";
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
  const { boxes } = laidOutOf(toElk(graph), graph);
  expect(boxes.map((box) => [box.id, box.kind, box.parent])).toEqual([
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
