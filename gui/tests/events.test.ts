import { expect, test } from "vitest";
import { EventText } from "../src/model/events";

const STREAM = 'event: hop\nid: a>1\ndata: {"x": 1}\n\n: alive\n\ndata:one\r\ndata: two\r\n\r\nid: b\nevent: end\ndata:\n\n';
const EVENTS = [
  { name: "hop", data: '{"x": 1}' },
  { name: "message", data: "one\ntwo" },
  { name: "end", data: "" },
];

test("events come whole, wherever the text is cut", () => {
  for (let size = 1; size <= STREAM.length; size += 1) {
    const text = new EventText();
    const found = [];
    for (let at = 0; at < STREAM.length; at += size) found.push(...text.feed(STREAM.slice(at, at + size)));
    expect(found).toEqual(EVENTS);
    expect(text.lastId).toBe("b");
  }
});

test("a stream that comes back goes on behind the last id, without the half of an event", () => {
  const text = new EventText();
  expect(text.feed("id: 7\ndata: whole\n\ndata: ha")).toEqual([{ name: "message", data: "whole" }]);
  text.restart();
  expect(text.lastId).toBe("7");
  expect(text.feed("data: next\n\n")).toEqual([{ name: "message", data: "next" }]);
});
