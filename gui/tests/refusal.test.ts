// What refusals mean: what one says to somebody whose session is over, and until when; that there is no such application.
import { expect, test, vi } from "vitest";

const problem = (type: string) => ({ type: `https://sand.dev/problems/${type}`, title: "A key is needed", detail: "The command takes a key from SAND_KEY.", status: 401, source: "caller" as const, retryable: false });

/** Each test has a page of its own. */
async function page() {
  vi.resetModules();
  vi.stubGlobal("document", { baseURI: "http://127.0.0.1/ui/#/" });
  return { ...(await import("../src/api/key")), ...(await import("../src/api/client")) };
}

test("who had a session is told that it has ended, and nothing of keys", async () => {
  const { Refusal, hasSession } = await page();
  expect(new Refusal(401, problem("unauthenticated")).message).toContain("SAND_KEY");
  hasSession("token");
  const over = new Refusal(401, problem("unauthenticated"));
  expect([over.problem?.title, over.message.includes("SAND_KEY")]).toEqual(["Your session has ended", false]);
  const wrong = { ...problem("unauthenticated"), title: "Not signed in" };
  expect(new Refusal(401, wrong, "http://127.0.0.1/api/v1/sessions").problem, "a wrong password").toEqual(wrong);
});

test("what asked who somebody is is answered when he has signed in, and what was refused otherwise is not", async () => {
  const { Refusal, askForKey, hasSession, shownKey, visit } = await page();
  hasSession("token");
  const [asked, other] = [new Refusal(401, problem("unauthenticated")), new Refusal(409, null)];
  askForKey(shownKey());
  expect(asked.isAnswered(visit())).toBe(false);
  hasSession("another");
  expect([asked, other].map((one) => one.isAnswered(visit()))).toEqual([true, false]);
  expect(new Refusal(401, problem("unauthenticated")).isAnswered(visit()), "one that comes late was not done").toBe(false);
});

test("who has given a key that is not good, or is so no more, signs in by name all the same", async () => {
  const { askForKey, giveKey, isKeyed, isSignedIn, shownKey, signedIn, visit } = await page();
  giveKey("sand_none");
  const refused = shownKey();
  askForKey(refused);
  expect([refused, isKeyed(), isSignedIn()]).toEqual([{ Authorization: "Bearer sand_none" }, true, false]);
  signedIn("token");
  expect([shownKey(), isKeyed(), isSignedIn(), visit()]).toEqual([{ "Sand-Csrf": "token" }, false, true, 1]);
  askForKey(refused);
  expect(visit(), "the key's refusals that come late ask nobody").toBe(1);
  giveKey("sand_good");
  expect(shownKey()).toEqual({ Authorization: "Bearer sand_good" });
});

test("a page beside whose session another one was begun asks who is here, and says that what was typed can be sent again", async () => {
  const { hasSession, onOtherSession, refused, shownKey } = await page();
  let asked = 0;
  onOtherSession(async () => {
    asked += 1;
    await Promise.resolve();
    hasSession("the other's");
    return true;
  });
  hasSession("token");
  const other = await refused(403, problem("csrf"));
  expect([asked, shownKey(), other.problem?.title, other.message]).toEqual([1, { "Sand-Csrf": "the other's" }, "You have signed in anew meanwhile", "This page knows of it by now, and has what was typed: send it once more."]);
  for (const refusal of [problem("missing-scope"), problem("unauthenticated"), null]) await refused(403, refusal);
  expect(asked).toBe(1);
});

test("where it cannot be found out whose session it is, a page says what the platform says", async () => {
  const { hasSession, onOtherSession, refused } = await page();
  onOtherSession(() => Promise.resolve(false));
  expect((await refused(403, problem("csrf"))).problem).toEqual(problem("csrf"));
  hasSession("token");
  expect((await refused(403, problem("csrf"))).problem).toEqual(problem("csrf"));
});

test("of an application that does not exist that is known, and of no other refusal", async () => {
  const { Refusal, isNoApplication } = await page();
  const found = ["unknown-application", "unknown-version"].map((type) => isNoApplication(new Refusal(404, problem(type))));
  expect([...found, isNoApplication(new Refusal(404, null)), isNoApplication(new TypeError("lost")), isNoApplication(null)]).toEqual([true, false, false, false, false]);
});

test("a session that is looked at again is no new one", async () => {
  const { hasSession, visit } = await page();
  hasSession("token");
  hasSession("token");
  expect(visit()).toBe(0);
});

test("a problem without a type, of something on the way, is told as it is", async () => {
  const { Refusal } = await page();
  const { type: _, ...untyped } = problem("");
  expect(new Refusal(503, untyped as ReturnType<typeof problem>).message).toBe(untyped.detail);
});
