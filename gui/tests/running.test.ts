import { expect, test } from "vitest";
import { type GrainOnHost, type Host, leftText, memoryOf, ranges, totals } from "../src/model/hosts";
import { PROCESS_ID, type Process, dedicatedText, doneFacts, functionsText, invokes, mailboxText, memoryShare, stateText } from "../src/model/process";

const grain = (name: string, queued: number, more: Partial<GrainOnHost> = {}): GrainOnHost => ({
  grain: name, workerState: "ready", workerPid: 1, idle: 1, running: 2, queued, oldestMs: queued * 10, restarts: 0, inPerSecond: 0, outPerSecond: 0, ...more,
});
const host = (name: string, app: string, grains: readonly GrainOnHost[], more: Partial<Host> = {}): Host => ({
  host: name, state: "up", sandboxKind: "docker", draining: false, ...more,
  sandboxes: [{ application: app, version: 1, id: "s", state: "running", startedMs: 0, executions: 0, grains: [...grains] }],
});

test("a host's grains summed up", () => {
  expect(totals([grain("a", 3), grain("b", 1, { workerState: "starting", restarts: 2 })])).toEqual({
    workers: 2, ready: 1, idle: 2, running: 4, queued: 4, oldestMs: 30, restarts: 2,
  });
  expect(totals([]).oldestMs).toBe(0);
});

test("what is left on a host that drains", () => {
  const place = { address: "a:1", labels: [], busy: 0, slots: [1, 2] };
  const there = host("h", "a", [], { state: "draining", draining: true, place });
  expect(leftText(there)).toBe("2 slots, 0 executions and 1 sandbox left");
  const none = { application: "a", version: 1, id: null, state: "none", startedMs: 0, executions: 1, grains: [] };
  expect(leftText({ ...there, sandboxes: [none], place: { ...place, slots: [] } })).toBe("0 slots, 1 execution and 0 sandboxes left");
});

test("memory of a host's sandboxes: one that does not run, or does not tell, has none", () => {
  const sandboxes = [1 << 20, 0, undefined, 2 << 20].flatMap((memoryBytes) => host("h", "a", []).sandboxes.map((one) => ({ ...one, ...(memoryBytes !== undefined && { memoryBytes }) })));
  expect([memoryOf(sandboxes), memoryOf([])]).toEqual([3 << 20, 0]);
});

test("slots as ranges", () => {
  expect([ranges([]), ranges([7]), ranges([3, 0, 1, 2, 9, 11, 10])]).toEqual(["", "7", "0–3, 9–11"]);
});

const PROCESS: Process = { application: "a", process: "p", status: "idle", host: "h", createdMs: 0 };

test("a process as words", () => {
  const full: Process = { ...PROCESS, memoryBytes: 100, residentBytes: 30, stateBytes: 80, stateKeys: 2, mailboxBytes: 20, unread: 1, running: 3, concurrency: 4, waiting: 7, overflowBytes: 50 };
  expect([memoryShare(full), memoryShare(PROCESS)]).toEqual([0.5, null]);
  expect([stateText(full), mailboxText(full), functionsText(full)]).toEqual([
    "2 keys, 80 B, 50 B of it in the global data layer alone",
    "1 message, 20 B",
    "3 of 4, 7 waiting",
  ]);
  expect([stateText(PROCESS), mailboxText(PROCESS)]).toEqual(["0 keys, 0 B", "empty"]);
  expect([dedicatedText(undefined), dedicatedText({}), dedicatedText({ memoryBytes: 1 << 20, cpus: 2, packages: ["vim"] })]).toEqual([null, "of its own", "1.0 MiB; 2 CPUs; packages vim"]);
});

test("what becomes of a message", () => {
  expect(["k", "invoke:g", "invoke:g:", "invoke:add:a:b\n", "invokes:g:a"].map(invokes)).toEqual([null, null, "invokes g", "invokes add with the key a:b\n", null]);
});

test("what a process has done", () => {
  const facts = Object.fromEntries(doneFacts({ invocations: 4, failures: 1, busyMs: 10, dataPlane: { connections: 1, invocations: 0 } }));
  expect(facts).toMatchObject({ "Functions ended": "4, 1 failed", Busy: "10.0 ms, 2.50 ms each", "Data plane": "1 connection, 0 invocations", "Over the data plane": null });
  expect(Object.fromEntries(doneFacts({})).Busy).toBe("never");
});

test("ids that a process may have", () => {
  expect(["a", "A.b_c~d-1", "x".repeat(128)].every((id) => PROCESS_ID.test(id))).toBe(true);
  expect(["", "a/b", "ä", "x".repeat(129), " a"].some((id) => PROCESS_ID.test(id))).toBe(false);
});
