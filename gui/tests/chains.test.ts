// What is laid out without ELK, beside what ELK makes of it.
import ELK from "elkjs/lib/elk.bundled.js";
import { expect, test } from "vitest";
import { chained } from "../src/model/chains";
import { graphOf } from "../src/model/definition";
import { type ElkShape, type LaidOut, laidOutOf, toElk } from "../src/model/layout";

type Fields = Record<string, unknown>;

/** One state after the other. */
function chain(...states: readonly (readonly [string, Fields])[]): Fields {
  const entries = states.map(([name, fields], i) => [name, { ...fields, ...(i + 1 < states.length ? { Next: states[i + 1]?.[0] } : { End: true }) }]);
  return { StartAt: states[0]?.[0], States: Object.fromEntries(entries) };
}
const task = (name: string): readonly [string, Fields] => [name, { Type: "Task", Resource: "g" }];
const map = (name: string, inside: Fields): readonly [string, Fields] => [name, { Type: "Map", ItemProcessor: inside }];
const parallel = (name: string, ...branches: readonly Fields[]): readonly [string, Fields] => [name, { Type: "Parallel", Branches: branches }];
const graph = (definition: Fields) => graphOf(JSON.stringify(definition));

/** All of it to half a pixel: a middle may fall between two. */
function shown({ boxes, ways }: LaidOut): unknown {
  const half = (value: number): number => Math.round(value * 2) / 2;
  return {
    boxes: boxes.map((box) => ({ ...box, x: half(box.x), y: half(box.y), width: half(box.width), height: half(box.height) })).sort((a, b) => a.key.localeCompare(b.key)),
    ways: Object.fromEntries([...ways].map(([id, way]) => [id, way.points.map((at) => [half(at.x), half(at.y)])])),
  };
}

test.each([
  ["one state", chain(task("A"))],
  ["three", chain(task("A"), task("B"), task("C"))],
  ["a map", chain(map("All", chain(task("A"), task("B"))))],
  ["a map of a map, between two", chain(task("A"), map("All", chain(task("B"), map("Each", chain(task("C"), task("D"))))), task("E"))],
])("as ELK does it: %s", async (_, definition) => {
  const wanted = graph(definition);
  const own = chained(wanted);
  expect(own).not.toBeNull();
  const elk = laidOutOf((await new ELK().layout(toElk(wanted) as Parameters<InstanceType<typeof ELK>["layout"]>[0])) as ElkShape);
  expect(shown(own as LaidOut)).toEqual(shown(elk));
});

test("branches stand side by side within their state, and parents come before what is in them", () => {
  const own = chained(graph(chain(task("A"), parallel("P", chain(task("B"), task("C")), chain(task("D"))), task("E")))) as LaidOut;
  const box = (key: string) => own.boxes.find((one) => one.key === key);
  const [left, right, owner] = [box("region:P/branch 1"), box("region:P/branch 2"), box("state:P")];
  expect([left?.parent, right?.parent]).toEqual(["state:P", "state:P"]);
  expect((left?.x ?? 0) + (left?.width ?? 0) + 20).toBe(right?.x);
  expect((right?.x ?? 0) + (right?.width ?? 0) + 12).toBe(owner?.width);
  expect(owner?.height).toBe(60 + (left?.height ?? 0) + 12);
  const seen = new Set<string | null>([null]);
  for (const one of own.boxes) {
    expect(seen.has(one.parent)).toBe(true);
    seen.add(one.key);
  }
  expect([...own.ways.keys()]).toEqual(["A → P", "B → C", "P → E"]);
});

test("what branches, comes together, goes back, stands alone, has a label or many branches is ELK's", () => {
  const choice = { StartAt: "C", States: { C: { Type: "Choice", Choices: [{ Next: "A" }], Default: "B" }, A: { Type: "Succeed" }, B: { Type: "Succeed" } } };
  const caught = { StartAt: "A", States: { A: { Type: "Task", Catch: [{ ErrorEquals: ["States.ALL"], Next: "B" }], End: true }, B: { Type: "Fail" } } };
  const alone = { StartAt: "A", States: { A: { Type: "Succeed" }, B: { Type: "Succeed" } } };
  const back = { StartAt: "A", States: { A: { Type: "Pass", Next: "B" }, B: { Type: "Pass", Next: "A" } } };
  const loop = { StartAt: "A", States: { A: { Type: "Pass", Next: "B" }, B: { Type: "Pass", Next: "B" } } };
  const self = { StartAt: "A", States: { A: { Type: "Pass", Next: "A" } } };
  const many = chain(parallel("P", ...["A", "B", "C", "D"].map((name) => chain(task(name)))));
  for (const definition of [choice, caught, alone, back, loop, self, many]) expect(chained(graph(definition)), JSON.stringify(definition)).toBeNull();
  expect(chained(graph({}))).toEqual({ boxes: [], ways: new Map() });
});
