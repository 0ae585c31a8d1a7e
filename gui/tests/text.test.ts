import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { asCommand, operands, options } from "../src/model/command";
import { asCurl, quoted } from "../src/model/curl";
import { type Route, formatRoute, parseRoute } from "../src/model/route";
import { members, own } from "../src/model/members";
import { ago, bytes, duration, exactly, jsonFault, logText, many, value, visible, visibleName, written } from "../src/model/show";
import { rowsOf } from "../src/model/timeline";

test("each page's address leads back to it", () => {
  const routes: Route[] = [
    { page: "home" },
    { page: "home", of: "shop", minutes: "60" },
    { page: "application", app: "shop" },
    { page: "workflow", app: "shop", name: "check-out" },
    { page: "grain", app: "shop", name: "a/b?c#d%" },
    { page: "grain", app: "shop", name: "pay", path: "grains/pay/a b.py", line: "12", version: "3", failed: "01A" },
    { page: "workflow", app: "shop", name: "main", input: '{"a": "b & c?#", "n": 12345678901234567890}' },
    { page: "executions", app: "shop", status: "FAILED", target: "", before: "01A" },
    { page: "execution", app: "shop", id: "01ABC" },
    { page: "hosts" },
    { page: "topics" },
    { page: "topic", name: "journal.a--shop" },
    { page: "topic", name: "odd/ %name", newest: true },
    { page: "deploy", into: "" },
    { page: "deploy", into: "shop" },
    { page: "processes", app: "shop", status: "idle", after: "a~b" },
    { page: "process", app: "shop", id: "room.1~x" },
    { page: "process", app: "shop", id: "room", key: "<b> & é", after: "a", message: "7", from: "5" },
    { page: "versions", app: "shop", from: "1", to: "live" },
    { page: "files", app: "shop", version: "2", path: "grains/a b/ä?.py" },
    { page: "triggers", app: "shop" },
    { page: "bus", app: "shop" },
    { page: "queue", app: "shop", name: "orders", after: "01A" },
    { page: "logs", app: "shop", grain: "order", level: "warning", text: "a & b?c", hide: "stderr,platform", execution: "01JD0Z5W3M8Q6T1R4V7X9YB2CD" },
  ];
  for (const route of routes) expect(parseRoute(formatRoute(route))).toEqual(route);
});

test("an address that means nothing is told as such", () => {
  for (const hash of ["#/x", "#/applications/a/b", "#/applications/a/workflows", "#/applications/a/executions/i/more"]) {
    expect(parseRoute(hash).page).toBe("unknown");
  }
  expect(parseRoute("#/applications/%E0%A4%A/logs")).toMatchObject({ page: "logs", app: "%E0%A4%A" });
});

test("a shell reads each word as it was", () => {
  for (const text of ["plain", "it's", "$(exit 3)", "a\nb", '"', "", "`x`", "\\", "=ls", "~", "-n", "%1", "a=b", "#c", "{a,b}"]) {
    expect(execFileSync("sh", ["-c", `printf %s ${quoted(text)}`], { encoding: "utf8" })).toBe(text);
  }
});

test("a request as a command", () => {
  expect(asCurl({ url: "http://h/a?b=1&c" })).toBe("curl -s 'http://h/a?b=1&c'");
  expect(asCurl({ method: "POST", url: "http://h/a", headers: { Prefer: "respond-async" }, body: '{"a": 1}' })).toBe(
    "curl -s -H 'Prefer: respond-async' --json '{\"a\": 1}' http://h/a",
  );
  expect(asCurl({ url: "http://h/a", isKeyed: true })).toBe('curl -s -H "Authorization: Bearer $SAND_KEY" http://h/a');
  expect(asCurl({ method: "POST", url: "http://h/a" })).toBe("curl -s -X POST http://h/a");
});

test("JSON is indented, and nothing else of it changed", () => {
  const text = '{"big":12345678901234567890,"same":1,"same":2,"text":"a, {b: [c]} \\" d","none":[ ],"in":[1,{"x":{}}]}';
  const shown = value(text).text;
  expect(shown).toContain('"big": 12345678901234567890,\n  "same": 1,\n  "same": 2');
  expect(shown).toContain('"text": "a, {b: [c]} \\" d"');
  expect(shown).toContain('"none": [],\n  "in": [\n    1,\n    {\n      "x": {}\n    }\n  ]\n}');
  expect(JSON.parse(shown)).toEqual(JSON.parse(text));
  expect(value("no: json").text).toBe("no: json");
});

test("of what is long, the beginning", () => {
  const keys = JSON.stringify(Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`key${i}`, i])));
  expect(value(keys)).toEqual({ text: keys.slice(0, 64 * 1024), cut: true });
  expect(value("[".repeat(30_000) + "]".repeat(30_000), 1_000).cut).toBe(true);
});

test("a logger's line as its message and fields, any other as it is", () => {
  expect(logText('{"level":"info","message":"ordered","time":"2026","item":"tea","n":4}')).toBe('ordered item="tea" n=4');
  for (const text of ["plain", "{no json", '{"other": 1}', '{"message": 3}']) expect(logText(text)).toBe(text);
});

test("characters that are not seen, but turn or hide what is, are shown as escapes; nothing else is changed", () => {
  expect(visible("user\u202egnp.exe \u2066x\u2069\u200f\u001b[2J\u0000\u009b")).toBe("user\\u202egnp.exe \\u2066x\\u2069\\u200f\\u001b[2J\\u0000\\u009b");
  expect(visible("a\rb\r\nc\r")).toBe("a\\u000db\r\nc\\u000d");
  for (const text of ["tab\tand\nline\r\nend", "žluťoučký 日本 שלום 👩‍👩‍👧 \u00a0"]) expect(visible(text)).toBe(text);
});

test("a name stands in one line, and looks like no other", () => {
  expect(visibleName("a\nb\tc\r\nd\u202ee")).toBe("a\\nb\\tc\\r\\nd\\u202ee");
  for (const name of ["a b", "žluťoučký 日本", "a\u00a0b"]) expect(visibleName(name)).toBe(name);
});

test("numbers with the unit that reads best", () => {
  expect([0.0421, 0.5, 3.14159, 42, 999.96, 1_500, 61_000, 3_660_000].map(duration)).toEqual([
    "42 µs",
    "500 µs",
    "3.14 ms",
    "42.0 ms",
    "1000.0 ms",
    "1.50 s",
    "1 min 1 s",
    "1 h 1 min",
  ]);
  expect([0, 1023, 1024, 64 << 20].map(bytes)).toEqual(["0 B", "1023 B", "1.0 KiB", "64 MiB"]);
});

test("why a text is no JSON", () => {
  expect(jsonFault("{}")).toBeNull();
  expect(jsonFault("{")).toMatch(/JSON/);
});

test("attempts on one scale, in the order in which they were queued", () => {
  const attempt = { eventId: "e", attempt: 1, error: null, queueMs: 1, dispatchMs: 2, runMs: 3, busMs: 4 };
  const { rows, spanMs, left } = rowsOf([{ ...attempt, grain: "b", atMs: 10 }, { ...attempt, grain: "a", atMs: 0, attempt: 2 }], 10);
  expect(rows.map((row) => row.label)).toEqual(["a (attempt 2)", "b"]);
  expect([spanMs, left]).toEqual([20, 0]);
  expect(rows[1]?.parts.map((part) => part.fromShare)).toEqual([0.5, 0.55, 0.65, 0.8]);
  expect(rowsOf(Array.from({ length: 5 }, () => ({ ...attempt, grain: "a" })), 3).left).toBe(2);
});

test("a request as the sand command", () => {
  expect(asCommand("http://127.0.0.1:7263/", ["invoke", "a/b", "--data", '{"a": "it\'s"}'])).toBe(`./sand invoke a/b --data '{"a": "it'\\''s"}'`);
  expect(asCommand("https://h/sand/", ["ps"])).toBe("./sand --server https://h/sand ps");
});

test("a key or a name that begins as an option does is none", () => {
  expect(operands("shop", "a-b")).toEqual(["shop", "a-b"]);
  expect(asCommand("http://127.0.0.1:7263/", ["data", "get", ...operands("shop", "--help")])).toBe("./sand data get -- shop --help");
});

test("a duration as it stands in a sand.yaml", () => {
  expect([0, 1, 1000, 1500, 90_000, 300_000, 3_600_000, 5_400_000, 172_800_000].map(written)).toEqual(["0ms", "1ms", "1s", "1500ms", "90s", "5m", "1h", "90m", "2d"]);
});

test("what a page asks for as options of the command, and what it does not ask for as none", () => {
  expect(options({ status: "FAILED", target: "", before: "01JD", limit: "25" })).toEqual(["--status", "FAILED", "--before", "01JD", "--limit", "25"]);
});

test("what would mean something to curl itself", () => {
  expect(asCurl({ method: "POST", url: "http://h/a", body: "@/etc/passwd" })).toBe(
    "curl -s -H 'Content-Type: application/json' --data-raw '@/etc/passwd' http://h/a",
  );
  expect(asCurl({ url: "http://[::1]:7263/a" })).toBe("curl -s -g 'http://[::1]:7263/a'");
  expect(asCurl({ method: "POST", url: "http://h/a", file: "my app.zip" })).toBe("curl -s -X POST --data-binary '@my app.zip' http://h/a");
});

test("nothing but brackets does not become nothing but spaces", () => {
  const deep = value("[".repeat(15_000) + "]".repeat(15_000), 1 << 22);
  expect(deep.cut).toBe(false);
  expect(deep.text.length).toBeLessThan(15_000 * 90);
});

test("members of an object as they were written", () => {
  expect(members('{"n": 12345678901234567890, "__proto__": {"a": [1, {"b": ","}]}, "n": "x:\\"y"}')).toEqual([
    ["n", "12345678901234567890"],
    ["__proto__", '{"a": [1, {"b": ","}]}'],
    ["n", '"x:\\"y"'],
  ]);
  expect(members("{ }")).toEqual([]);
  for (const text of ["[1]", "1", "{", "null"]) expect(members(text)).toBeNull();
  expect(logText('{"message": "m", "n": 12345678901234567890, "f": 1.10}')).toBe("m n=12345678901234567890 f=1.10");
});

test("only a record's own entries", () => {
  expect(own({}, "constructor")).toBeUndefined();
  expect(own(undefined, "a")).toBeUndefined();
  expect(own(JSON.parse('{"constructor": 1}') as Record<string, number>, "constructor")).toBe(1);
});

test("counts and times as words", () => {
  expect([many(1, "key"), many(1200, "key")]).toEqual(["1 key", "1,200 keys"]);
  expect([ago(0, 1_000), ago(0, 120_000), ago(90_000, 0), ago(0, 3 * 86_400_000)]).toEqual(["1 s ago", "2 min ago", "in 2 min", "3 days ago"]);
});

test("what was measured to the microsecond is shown to it", () => {
  const shown = [0, 0.0004, 0.042, 0.9996, 504.309, 999.9999, 1011.952723, 59_999.9996, 61_003.5, 3_723_004.005].map((ms) => exactly(ms).replaceAll("\u202f", "_"));
  expect(shown).toEqual(["0 µs", "0 µs", "42 µs", "1.000 ms", "504.309 ms", "1.000_000 s", "1.011_953 s", "1 min 0.000_000 s", "1 min 1.003_500 s", "1 h 2 min 3.004_005 s"]);
  expect([0, 12, 6004, 61_003].map((ms) => exactly(ms, true)), "and no further than it was told").toEqual(["0 ms", "12 ms", "6.004 s", "1 min 1.003 s"]);
});
