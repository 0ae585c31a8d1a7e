import { expect, test } from "vitest";
import { bytesOf, contentOf } from "../src/model/content";

test("what is UTF-8 goes as text, with its byte order mark and its ends of lines", () => {
  for (const text of ["", "café\r\n", "\ufeffx = 1\n", "a\0b"]) expect(contentOf(new TextEncoder().encode(text))).toBe(text);
});

test("what is no UTF-8 goes as its bytes, and nothing of it is altered", () => {
  const latin = new Uint8Array([0x63, 0x61, 0x66, 0xe9, 0x0a]);
  expect(contentOf(latin)).toEqual({ base64: "Y2Fm6Qo=" });
  const long = Uint8Array.from({ length: 100_000 }, (_, i) => (i * 7) % 256);
  for (const bytes of [latin, long]) expect(bytesOf(contentOf(bytes))).toEqual(bytes);
});
