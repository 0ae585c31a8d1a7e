import { expect, it } from "vitest";
import { askedMs, isYoung } from "../src/model/executionId";

// An id begins with the time, 48 bits in ten digits of five bits each.
const ID = "01M8B8XV5Z3CMPJ4NX3GH5GZ86";
const ASKED = Date.UTC(2026, 10, 26, 6, 33, 15, 199);

it("reads when an execution was asked for", () => {
  expect(askedMs(ID)).toBe(ASKED);
  expect(askedMs("00000000000000000000000000")).toBe(0);
});

it("takes nothing else for an id", () => {
  for (const text of ["", ID.toLowerCase(), ID.slice(1), `${ID}0`, ID.replace("M", "U")]) {
    expect(askedMs(text)).toBeNull();
  }
});

it("waits for the record of a young one, also where clocks differ a little", () => {
  expect(isYoung(ID, ASKED + 900, 1000)).toBe(true);
  expect(isYoung(ID, ASKED - 900, 1000)).toBe(true);
  expect(isYoung(ID, ASKED + 1000, 1000)).toBe(false);
  expect(isYoung("mine", ASKED, 1000)).toBe(false);
});
