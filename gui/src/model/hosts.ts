// Hosts and what runs on them, summed up for people.
import type { Schemas } from "../api/client";
import { many } from "./show";

export type Host = Schemas["HostStatus"];
export type Sandbox = Host["sandboxes"][number];
export type GrainOnHost = Sandbox["grains"][number];

export interface Totals {
  readonly workers: number;
  readonly ready: number;
  readonly idle: number;
  readonly running: number;
  readonly queued: number;
  readonly oldestMs: number;
  readonly restarts: number;
}

export function totals(grains: readonly GrainOnHost[]): Totals {
  const sum = (of: (grain: GrainOnHost) => number): number => grains.reduce((all, grain) => all + of(grain), 0);
  return {
    workers: grains.length,
    ready: grains.filter((grain) => grain.workerState === "ready").length,
    idle: sum((grain) => grain.idle),
    running: sum((grain) => grain.running),
    queued: sum((grain) => grain.queued),
    oldestMs: Math.max(0, ...grains.map((grain) => grain.oldestMs)),
    restarts: sum((grain) => grain.restarts),
  };
}

/** A host knows an application before, and after, it has a sandbox for it. */
export function isThere(sandbox: Sandbox): boolean {
  return sandbox.state !== "none";
}

/** What sandboxes together may use, in bytes. */
export function memoryOf(sandboxes: readonly Sandbox[]): number {
  return sandboxes.reduce((all, one) => all + (one.memoryBytes ?? 0), 0);
}

/** Of one that is to have nothing any more: what is there still. */
export function leftText(host: Host): string {
  const left = [
    many(host.place?.slots.length ?? 0, "slot"),
    many(host.sandboxes.reduce((all, one) => all + one.executions, 0), "execution"),
    many(host.sandboxes.filter(isThere).length, "sandbox", "sandboxes"),
  ];
  return `${left.slice(0, -1).join(", ")} and ${left.at(-1)} left`;
}

/** Numbers as ranges: 0–3, 7. */
export function ranges(numbers: readonly number[]): string {
  const found: [number, number][] = [];
  for (const number of [...numbers].sort((a, b) => a - b)) {
    const last = found.at(-1);
    if (last && number <= last[1] + 1) last[1] = number;
    else found.push([number, number]);
  }
  return found.map(([from, to]) => (from === to ? String(from) : `${from}–${to}`)).join(", ");
}
