import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { gathering } from "../src/model/gather";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("told all the time, it is asked again and again, one question at a time", async () => {
  let asked = 0;
  let open = 0;
  const gathered = gathering(async () => {
    asked += 1;
    open += 1;
    expect(open).toBe(1);
    await new Promise((done) => setTimeout(done, 300));
    open -= 1;
  }, 100);
  for (let ms = 0; ms < 4_000; ms += 10) {
    gathered.tell();
    await vi.advanceTimersByTimeAsync(10);
  }
  expect(asked).toBe(10);
});

test("what is told during a question is asked behind it, and nothing after the end", async () => {
  let asked = 0;
  const gathered = gathering(async () => void (asked += 1), 100);
  gathered.tell();
  await vi.advanceTimersByTimeAsync(100);
  gathered.tell();
  await vi.advanceTimersByTimeAsync(100);
  expect(asked).toBe(2);
  gathered.tell();
  gathered.stop();
  gathered.tell();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(asked).toBe(2);
});
