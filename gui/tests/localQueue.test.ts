import { expect, test } from "vitest";
import { type LocalQueue, type QueuedEvent, keyOf, longestFirst, previewOf, silentText } from "../src/model/localQueue";
import { formatRoute, parseRoute } from "../src/model/route";

const queue = (grain: string, waiting: number, more: Partial<LocalQueue> = {}): LocalQueue => ({ grain, version: 1, waiting, running: 0, idle: 1, inPerSecond: 0, outPerSecond: 0, ...more });
const event = (more: Partial<QueuedEvent>): QueuedEvent => ({ executionId: "e", eventId: "e/a", version: 1, queuedMs: 0, attempt: 1, bytes: 3, contentType: "application/json", ...more });

test("local queues, longest first, each by a name of its own", () => {
  const found = longestFirst([queue("b", 0, { host: "x" }), queue("a", 0, { host: "x", running: 2 }), queue("a", 5, { host: "y" }), queue("a", 0, { version: 2 })]);
  expect(found.map(keyOf)).toEqual(["y/1/a", "x/1/a", "/2/a", "x/1/b"]);
});

test("hosts that tell nothing are said", () => {
  expect(silentText([])).toBeNull();
  expect(silentText([{ host: "a host", problem: "it does not tell" }, { host: "b", problem: "away" }])).toBe("Without a host: it does not tell; b: away.");
});

test("the beginning of an input, as text where it is one", () => {
  expect(previewOf(event({ preview: "123" }))).toEqual({ text: "123", isCut: false });
  expect(previewOf(event({ preview: "\u00e4", bytes: 2 }))).toEqual({ text: "\u00e4", isCut: false });
  expect(previewOf(event({ preview: "123", bytes: 5_000 }))).toEqual({ text: "123", isCut: true });
  expect(previewOf(event({ preview: "/wA=", isBase64Encoded: true, bytes: 2, contentType: "image/png" }))).toEqual({ instead: "2 B of image/png: no text." });
  expect(previewOf(event({}))).toEqual({ instead: "It has been handed out since." });
});

test("its page has an address", () => {
  const route = { page: "localQueue", app: "shop", name: "buy" } as const;
  expect(formatRoute(route)).toBe("#/applications/shop/local-queues/buy");
  expect(parseRoute(formatRoute(route))).toEqual(route);
});
