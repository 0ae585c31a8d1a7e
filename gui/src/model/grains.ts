// What grains of a version are given, by name alone.
import type { Schemas } from "../api/client";

export type GrainSpec = Schemas["Version"]["grains"][string];

export interface Given {
  readonly grain: string;
  /** Names of environment variables of its own, sorted. */
  readonly environment: readonly string[];
  /** Names of the secrets that it may read, sorted. */
  readonly secrets: readonly string[];
}

/** Of those grains that are given anything, by their name. */
export function givenTo(grains: Readonly<Record<string, GrainSpec>>): readonly Given[] {
  return Object.values(grains)
    .map((one) => ({ grain: one.name, environment: Object.keys(one.environment ?? {}).sort(), secrets: [...(one.secrets ?? [])].sort() }))
    .filter((one) => one.environment.length + one.secrets.length > 0)
    .sort((a, b) => (a.grain < b.grain ? -1 : 1));
}
