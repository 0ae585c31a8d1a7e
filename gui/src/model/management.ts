// How the management is: what does the platform's operations, and which of its grains failed last.
import type { Schemas } from "../api/client";
import { many } from "./show";

export type ManagementStatus = Schemas["ManagementStatus"];

export interface BrokenGrain {
  readonly grain: string;
  readonly failure: string;
  /** Null: nobody knows. */
  readonly executionId: string | null;
  readonly sinceMs: number | null;
}

export function servedBy({ enabled, version, grains }: ManagementStatus): string {
  if (!enabled) return "the platform itself: it has no management";
  return version ? `${many(Object.keys(grains ?? {}).length, "grain")} of version ${version}` : "the platform itself, as far as it can";
}

export function brokenGrains({ grains }: ManagementStatus): readonly BrokenGrain[] {
  return Object.entries(grains ?? {})
    .filter(([, { ready }]) => !ready)
    .map(([grain, { failure, executionId, sinceMs }]) => ({ grain, failure: failure ?? "", executionId: executionId ?? null, sinceMs: sinceMs ?? null }))
    .sort((one, other) => (one.grain < other.grain ? -1 : 1));
}
