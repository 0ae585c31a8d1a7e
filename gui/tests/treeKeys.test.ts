import { expect, test } from "vitest";
import { moved } from "../src/model/treeKeys";

const ROWS = [
  { level: 1, isOpen: true },
  { level: 2, isOpen: true },
  { level: 3, isOpen: null },
  { level: 2, isOpen: false },
];

test("arrows lead along the rows, in and out, and open and close", () => {
  expect([moved(ROWS, 0, "ArrowUp"), moved(ROWS, 0, "ArrowDown"), moved(ROWS, 3, "ArrowDown")]).toEqual([{ to: 0 }, { to: 1 }, { to: 3 }]);
  expect([moved(ROWS, 1, "ArrowRight"), moved(ROWS, 3, "ArrowRight"), moved(ROWS, 1, "ArrowLeft")]).toEqual([{ to: 2 }, { open: true }, { open: false }]);
  expect([moved(ROWS, 2, "ArrowLeft"), moved(ROWS, 3, "ArrowLeft")]).toEqual([{ to: 1 }, { to: 0 }]);
  expect([moved(ROWS, 2, "Home"), moved(ROWS, 0, "End"), moved(ROWS, 3, "Enter"), moved(ROWS, 1, " ")]).toEqual([{ to: 0 }, { to: 3 }, { open: true }, { open: false }]);
  expect([moved(ROWS, 0, "Tab"), moved(ROWS, 0, "a"), moved([], 0, "End")]).toEqual([null, null, null]);
});
