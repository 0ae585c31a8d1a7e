import { expect, test } from "vitest";
import { elements } from "../src/model/members";
import { type Letter, type Queue, type Trigger, atMost, failureText, firesText, lettersOf, payloadShown, peekedOf, purposeText, waitingText } from "../src/model/queue";

const LETTER = { id: "1", enqueuedMs: 1, diedMs: 2, attempts: 3, failure: { error: "E", cause: "why" }, contentType: "application/json" };

test("letters keep their payloads as they were written", () => {
  const answer = `{"deadLetters": [${JSON.stringify(LETTER).slice(0, -1)}, "payload": {"n": 12345678901234567890, "payload": [1, "]"]}}, {"id": "2", "payload": null}], "next": "2"}`;
  const { letters, next } = lettersOf(answer);
  expect(letters.map((letter) => letter.payloadText)).toEqual(['{"n": 12345678901234567890, "payload": [1, "]"]}', "null"]);
  expect(letters[0]).toMatchObject(LETTER);
  expect(next).toBe("2");
  expect(lettersOf('{"deadLetters": [], "next": null}')).toEqual({ letters: [], next: null });
});

test("messages that wait keep theirs, and say when it is too long to be told", () => {
  const waiting = { id: "1", enqueuedMs: 1, attempts: 1, bytes: 30, contentType: "application/json" };
  const answer = `{"messages": [${JSON.stringify(waiting).slice(0, -1)}, "payload": {"n": 12345678901234567890}}, ${JSON.stringify({ ...waiting, attempts: 0, bytes: 1e6 })}], "more": true}`;
  const { messages, more } = peekedOf(answer);
  expect(messages.map((message) => message.payloadText)).toEqual(['{"n": 12345678901234567890}', null]);
  expect(messages.map((message) => waitingText(message, { retries: 2 } as Queue))).toEqual(["1 of 3 attempts failed", "no attempt has failed"]);
  expect([more, peekedOf('{"messages": [], "more": false}')]).toEqual([true, { messages: [], more: false }]);
});

test("a payload that is no JSON: its text, or how much it is", () => {
  const letter = (bytes: readonly number[]): Letter => ({ ...LETTER, isBase64Encoded: true, payloadText: JSON.stringify(btoa(String.fromCharCode(...bytes))), contentType: "x/y" });
  expect(payloadShown(letter([0x68, 0xc3, 0xa9, 0x0a]))).toBe("hé\n");
  expect(payloadShown(letter([0, 1, 2]))).toBe("3 B of x/y");
  expect(payloadShown(letter([0xff, 0xfe]))).toBe("2 B of x/y");
  expect(payloadShown({ ...LETTER, payloadText: "[1]" })).toBe("[1]");
});

test("why a letter is one", () => {
  const letter = (failure: Letter["failure"]): Letter => ({ ...LETTER, payloadText: "1", failure });
  expect([letter({ error: "E", cause: "why" }), letter({ error: "E", cause: null }), letter({})].map(failureText)).toEqual(["E: why", "E", "unknown"]);
});

test("what a topic is for", () => {
  const texts = (["journal", "requests", "returns"] as const).map((purpose) => purposeText({ purpose, grain: null }));
  expect(texts).toEqual(["backups of executions", "requests whose owner was not reached", "results from other hosts"]);
  expect(purposeText({ purpose: "work", grain: "resize" })).toBe("events of resize for other hosts");
  expect(purposeText({ purpose: "queue", grain: null, queue: "orders" })).toBe("messages of orders");
  const own = (["slots", "hosts"] as const).map((purpose) => purposeText({ purpose }));
  expect(own).toEqual(["which host owns which part of the work", "what hosts say of themselves"]);
});

test("when triggers fire", () => {
  const trigger: Trigger = { name: "t", target: "g", armed: true };
  expect(["every 2000 ms", "every 1500 ms", "30 3 * * * UTC"].map((schedule) => firesText({ ...trigger, schedule }))).toEqual(["every 2s", "every 1500ms", "30 3 * * * UTC"]);
  expect(firesText({ ...trigger, data: { prefix: "a/", operations: ["PUT", "DELETE"] } })).toBe("put or delete of keys a/…");
  expect([firesText({ ...trigger, data: { prefix: "", operations: ["PUT"] } }), firesText(trigger)]).toEqual(["put of any key", "–"]);
});

test("counts that end at a bound", () => {
  expect([atMost(3, 1000), atMost(1000, 1000)]).toEqual(["3", "1,000 or more"]);
});

test("elements of an array as they were written", () => {
  expect(elements(' [1.0, "a,]", {"b": [2, 3]}, [] ] ')).toEqual(["1.0", '"a,]"', '{"b": [2, 3]}', "[]"]);
  expect([elements("[]"), elements("{}"), elements("")]).toEqual([[], null, null]);
});
