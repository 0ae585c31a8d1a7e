// Who is here, asked anew where the cookie turns out to be another session's than this page's.
import { QueryClient } from "@tanstack/react-query";
import { afterEach, expect, test, vi } from "vitest";

const ADA = { kind: "session", user: "ada", tenant: "red", scopes: ["read"] };

/** Each test has a page of its own. @param answers of the platform to whoever asks who is here, one after the other */
async function page(...answers: (() => Promise<Response>)[]) {
  vi.resetModules();
  vi.stubGlobal("document", { baseURI: "http://127.0.0.1/ui/#/" });
  vi.stubGlobal("window", { addEventListener: () => {}, setTimeout });
  vi.stubGlobal("sessionStorage", { getItem: () => null, setItem: () => {}, removeItem: () => {}, key: () => null, length: 0 });
  vi.stubGlobal("BroadcastChannel", class { postMessage() {} });
  const asked = vi.fn(() => answers.shift()?.() ?? Promise.reject(new TypeError("no more")));
  vi.stubGlobal("fetch", asked);
  const key = await import("../src/api/key");
  const session = await import("../src/api/session");
  const cache = new QueryClient();
  cache.setQueryData(["who"], { ...ADA, csrf: "old" });
  key.hasSession("old");
  session.watchSession(cache);
  return { asked, cache, key };
}

const as = (csrf: string) => () => Promise.resolve(Response.json({ ...ADA, csrf }));

afterEach(() => {
  vi.useRealTimers();
});

test("a page knows of the other session once it has asked, and what it shows is asked for again", async () => {
  const { cache, key } = await page(as("new"));
  cache.setQueryData(["list"], 1);
  expect(await key.otherSession()).toBe(true);
  expect(key.shownKey()).toEqual({ "Sand-Csrf": "new" });
  expect(cache.getQueryState(["list"])?.isInvalidated).toBe(true);
});

test("nobody who was refused goes on before the page knows, though others are refused meanwhile", async () => {
  let answer = (_: Response): void => {};
  const { asked, key } = await page(() => new Promise((done) => (answer = done)), as("newest"));
  const shown: unknown[] = [];
  const note = (knows: boolean) => shown.push([knows, key.shownKey()["Sand-Csrf"]]);
  const first = key.otherSession().then(note);
  await vi.waitFor(() => expect(asked).toHaveBeenCalledTimes(1));
  const others = [key.otherSession().then(note), key.otherSession().then(note)];
  await new Promise((done) => setTimeout(done, 20));
  expect(shown).toEqual([]);
  answer(await as("new")());
  await Promise.all([first, ...others]);
  expect(shown).toEqual([[true, "new"], [true, "newest"], [true, "newest"]]);
  expect(asked).toHaveBeenCalledTimes(2);
});

test("what cannot be found out is not said to be known", async () => {
  const { key } = await page(() => Promise.reject(new TypeError("lost")));
  expect(await key.otherSession()).toBe(false);
});

test("a platform that does not answer is not waited for for ever", async () => {
  const { key } = await page(() => new Promise(() => {}));
  vi.useFakeTimers();
  const knows = key.otherSession();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(await knows).toBe(false);
});

test("where the session is the same after all, nothing is asked for again", async () => {
  const { cache, key } = await page(as("old"));
  cache.setQueryData(["list"], 1);
  await key.otherSession();
  expect(cache.getQueryState(["list"])?.isInvalidated).toBe(false);
});
