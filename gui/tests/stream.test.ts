// A stream of events: one that dies without a word is noticed, and opened again behind the last event.
import { afterEach, beforeEach, expect, test, vi } from "vitest";

const bytes = new TextEncoder();

/** Where events are asked for; each answer is written to by the test. */
class Server {
  readonly asked: { readonly lastId: string | undefined; readonly write: (text: string) => void }[] = [];
  /** Answers nothing, not even a head. */
  isDumb = false;

  readonly fetch = (_: string, { headers, signal }: { headers: Record<string, string>; signal: AbortSignal }): Promise<Response> => {
    let out: ReadableStreamDefaultController<Uint8Array>;
    const body = new ReadableStream<Uint8Array>({ start: (controller) => void (out = controller) });
    signal.addEventListener("abort", () => out.error(signal.reason));
    this.asked.push({ lastId: headers["Last-Event-ID"], write: (text) => out.enqueue(bytes.encode(text)) });
    if (this.isDumb) return new Promise((_, refuse) => signal.addEventListener("abort", () => refuse(signal.reason)));
    return Promise.resolve(new Response(body, { headers: { "Content-Type": "text/event-stream" } }));
  };
}

let server: Server;
let told: string[];
let close: () => void;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  vi.stubGlobal("window", globalThis);
  vi.stubGlobal("document", { visibilityState: "visible", addEventListener: () => {}, removeEventListener: () => {}, baseURI: "http://127.0.0.1/ui/#/" });
  server = new Server();
  vi.stubGlobal("fetch", server.fetch);
  told = [];
});

afterEach(() => {
  close();
  expect(vi.getTimerCount(), "nothing is left behind").toBe(0);
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

async function open(): Promise<void> {
  const { openStream } = await import("../src/api/stream");
  close = openStream("/events", { onLine: (isOpen) => told.push(isOpen ? "live" : "lost"), events: { hop: (data) => told.push(data) } });
}

/** What was written has been read: its reading takes turns of the loop, and no time. */
async function after(ms: number): Promise<void> {
  for (let i = 0; i < 5; i++) await new Promise((done) => setImmediate(done));
  await vi.advanceTimersByTimeAsync(ms);
  for (let i = 0; i < 5; i++) await new Promise((done) => setImmediate(done));
}

test("a line that brings nothing more is lost, and goes on behind the last event once it is opened again", async () => {
  await open();
  await after(0);
  server.asked[0]?.write("id: 7\nevent: hop\ndata: first\n\n");
  await after(14_000);
  expect(told).toEqual(["live", "first"]);
  await after(1_000);
  expect(told).toEqual(["live", "first", "lost"]);
  await after(2_000);
  expect([told.at(-1), server.asked.map((one) => one.lastId)]).toEqual(["live", [undefined, "7"]]);
});

test("a comment is life enough", async () => {
  await open();
  await after(0);
  for (let i = 0; i < 10; i++) {
    server.asked[0]?.write(": alive\n\n");
    await after(5_000);
  }
  expect([told, server.asked.length]).toEqual([["live"], 1]);
});

test("one that is not even answered is asked again", async () => {
  server.isDumb = true;
  await open();
  await after(15_000);
  server.isDumb = false;
  await after(2_000);
  expect(told).toEqual(["lost", "live"]);
});
