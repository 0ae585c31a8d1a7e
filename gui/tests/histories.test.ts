// Every history of event/vectors/history, folded: when an execution has ended, none of its states runs any more.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { graphOf } from "../src/model/definition";
import type { HistoryEvent } from "../src/model/history";
import { type StateStatus, progressOf } from "../src/model/progress";

interface Vector {
  readonly name: string;
  readonly definition: unknown;
  readonly events: readonly string[];
}

const FILE = new URL("../../event/vectors/history/branches.json", import.meta.url);
const { vectors } = JSON.parse(readFileSync(FILE, "utf8")) as { readonly vectors: readonly Vector[] };

/** The vectors name types alone. In these definitions a state's type, and which of that type was entered last, say which it is. */
function eventsOf(vector: Vector): HistoryEvent[] {
  const waiting = Map.groupBy(graphOf(JSON.stringify(vector.definition)).states, (state) => state.type);
  const entered = new Map<number, string>();
  const map = waiting.get("Map")?.[0]?.id;
  return vector.events.map((line, i) => {
    const [previous = "0", type = ""] = line.split(" ");
    const id = i + 1;
    const stateType = /^(.*)State(Entered|Exited)$/.exec(type)?.[1] ?? "";
    let name: string | undefined;
    if (type.endsWith("StateEntered")) {
      const of = waiting.get(stateType) ?? [];
      // Each iteration or attempt enters the same one again; of several, the next in the order of the definition.
      name = (of.length > 1 ? of.shift() : of[0])?.id ?? "";
      entered.set(id, `${stateType}/${name}`);
    } else if (type.endsWith("StateExited")) {
      name = [...entered.values()].findLast((one) => one.startsWith(`${stateType}/`))?.split("/")[1];
    } else if (type.startsWith("MapIteration")) {
      name = map;
    }
    return { id, previousEventId: Number(previous), timestamp: "", type, ...(name !== undefined && { someEventDetails: { name } }) };
  });
}

function statuses(name: string): Record<string, StateStatus> {
  const vector = vectors.find((one) => one.name === name);
  if (!vector) throw new Error(name);
  return Object.fromEntries([...progressOf(eventsOf(vector)).states].map(([state, { status }]) => [state, status]));
}

test.each(vectors.map((vector) => [vector.name, vector] as const))("%s: nothing runs when it has ended", (_, vector) => {
  const { states } = progressOf(eventsOf(vector));
  expect(states.size).toBeGreaterThan(0);
  expect([...states].filter(([, state]) => state.status === "running")).toEqual([]);
});

test.each(vectors.map((vector) => [vector.name, vector] as const))("%s: at no point is anything folded that was not entered", (_, vector) => {
  const events = eventsOf(vector);
  for (let length = 0; length <= events.length; length++) {
    for (const state of progressOf(events.slice(0, length)).states.values()) expect(state.exited).toBeLessThanOrEqual(state.entered);
  }
});

test("what a Parallel catches, what it had in it, and where that led", () => {
  expect(statuses("caught-expression-in-a-branch")).toEqual({ P: "caught", U: "failed", H: "succeeded" });
  expect(statuses("task-that-ends-its-branch")).toEqual({ P: "caught", S: "failed", H: "succeeded" });
});

test("a Parallel that begins again, fails at last", () => {
  expect(statuses("parallel-begins-again")).toEqual({ P: "failed", Boom: "failed" });
  const vector = vectors.find((one) => one.name === "parallel-begins-again");
  expect(progressOf(eventsOf(vector as Vector)).states.get("P")).toMatchObject({ retries: 1, entered: 1 });
});

test("Maps: one by one, over nothing, with an iteration that fails", () => {
  expect(statuses("map-iterations-one-by-one")).toEqual({ M: "succeeded", I: "succeeded" });
  expect(statuses("map-over-nothing")).toEqual({ M: "succeeded" });
  expect(statuses("map-iteration-that-fails")).toEqual({ M: "failed", U: "failed" });
  expect(statuses("distributed-map")).toEqual({ D: "succeeded" });
});
