import { expect, test } from "vitest";
import { type Box, STATE_HEIGHT, STATE_WIDTH } from "../src/model/layout";
import { LEAST_ZOOM, type Rect, type View, firstView, placesOf, showing } from "../src/model/view";

const state = (id: string, x: number, y: number, parent: string | null = null): Box => ({ key: id, id, kind: "state", parent, x, y, width: STATE_WIDTH, height: STATE_HEIGHT });
const ROOM = { width: 300, height: 300 };

/** A chain of so many states, one below the other. */
const chain = (count: number) => placesOf(Array.from({ length: count }, (_, i) => state(`${i}`, 12, 12 + i * 104)));

const seen = ({ x, y, zoom }: View, place: Rect): Rect => ({ x: x + place.x * zoom, y: y + place.y * zoom, width: place.width * zoom, height: place.height * zoom });
const isInside = (at: Rect): boolean => at.x >= 0 && at.y >= 0 && at.x + at.width <= ROOM.width && at.y + at.height <= ROOM.height;

test("a box in another one stands where both say", () => {
  const places = placesOf([{ ...state("outer", 10, 20), height: 200 }, state("inner", 5, 60, "outer")]);
  expect(places.get("inner")).toEqual({ x: 15, y: 80, width: STATE_WIDTH, height: STATE_HEIGHT });
});

test("a graph for which there is room is seen as a whole, in the middle and no larger than it is", () => {
  const few = chain(2);
  expect(firstView(few, { width: 1000, height: 1000 }, undefined).zoom).toBe(1);
  for (const count of [2, 4]) {
    const places = chain(count);
    const all = [...places.values()].map((place) => seen(firstView(places, ROOM, undefined), place));
    expect(all.every(isInside)).toBe(true);
    expect(all[0]?.y).toBeCloseTo(ROOM.height - (all.at(-1)?.y ?? 0) - (all.at(-1)?.height ?? 0));
  }
});

test("of a larger one states are as high as what is pressed has to be, and the one that matters is seen", () => {
  const places = chain(20);
  for (const [near, first] of [[undefined, true], ["0", true], ["10", false], ["19", false]] as const) {
    const view = firstView(places, ROOM, near === undefined ? undefined : places.get(near));
    expect(view.zoom).toBe(LEAST_ZOOM);
    expect(view.zoom * STATE_HEIGHT).toBeGreaterThanOrEqual(24);
    expect(isInside(seen(view, places.get(near ?? "0") as Rect))).toBe(true);
    expect(isInside(seen(view, places.get("0") as Rect))).toBe(first);
  }
  const last = seen(firstView(places, ROOM, places.get("19")), places.get("19") as Rect);
  expect(last.y + last.height, "no room is left empty behind the last").toBeGreaterThan(ROOM.height - 20);
});

test("what is chosen is brought into view, and nothing moves for what is seen", () => {
  const places = chain(20);
  const view = firstView(places, ROOM, undefined);
  expect(showing(view, ROOM, places.get("1") as Rect)).toBe(view);
  for (const id of ["12", "19", "0"]) expect(isInside(seen(showing(view, ROOM, places.get(id) as Rect), places.get(id) as Rect))).toBe(true);
});

test("an empty graph is seen from its corner", () => {
  expect(firstView(new Map(), ROOM, undefined)).toEqual({ x: 0, y: 0, zoom: 1 });
});
