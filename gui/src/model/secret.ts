// What the platform takes as a secret, said before it is sent.

/** As names under `secrets` in sand.yaml. */
const NAME = /^[A-Za-z_][A-Za-z0-9_.-]{0,127}$/;
const LEAST_CHARACTERS = 8;
const MOST_BYTES = 64 * 1024;

/** Why it is no name, or null; of none at all nothing is said yet. */
export function nameFault(name: string): string | null {
  return name === "" || NAME.test(name) ? null : "Letters, digits, _, - and dots, and no digit first: at most 128 of them.";
}

/** Why it cannot be a value, or null; nothing that is said has any of it. */
export function valueFault(value: string): string | null {
  if (value === "") return null;
  if (value.trim().length < LEAST_CHARACTERS) return `At least ${LEAST_CHARACTERS} characters: a shorter one could not be masked in logs.`;
  return new TextEncoder().encode(value).length > MOST_BYTES ? "At most 64 KiB." : null;
}
