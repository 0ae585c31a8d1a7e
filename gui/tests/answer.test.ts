// What is read from the platform is waited for no longer than a minute; what changes something is not cut off.
import { afterEach, beforeEach, expect, test, vi } from "vitest";

const asked: Request[] = [];

/** No answer comes, until it is not waited for any more. */
const dumb = (request: Request, init?: RequestInit): Promise<Response> => {
  asked.push(request);
  const signal = init?.signal ?? request.signal;
  return new Promise((_, refuse) => signal.addEventListener("abort", () => refuse(signal.reason)));
};

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  vi.stubGlobal("document", { baseURI: "http://127.0.0.1/ui/#/" });
  vi.stubGlobal("fetch", dumb);
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("a read without an answer fails as one whose connection was lost; a change is waited for", async () => {
  const { client } = await import("../src/api/client");
  const ended: string[] = [];
  client.GET("/api/v1/hosts").catch((error: unknown) => ended.push(error instanceof TypeError ? error.message : "other"));
  client.DELETE("/api/v1/applications/{app}", { params: { path: { app: "a" } } }).catch(() => ended.push("delete"));
  await vi.waitUntil(() => asked.length === 2);
  await vi.advanceTimersByTimeAsync(59_000);
  expect(ended).toEqual([]);
  await vi.advanceTimersByTimeAsync(60_000);
  expect([ended, vi.getTimerCount()]).toEqual([["No answer came for a minute."], 0]);
});
