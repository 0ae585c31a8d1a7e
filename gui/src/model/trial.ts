// A state tried by itself: what is asked of the platform, with numbers as they were typed, and what its answer says in words.
import { type StateNode } from "./definition";

export const GIVES = ["its input", "a result", "an error"] as const;
export type Gives = (typeof GIVES)[number];

/** What stands in for every grain that the state may call. */
export function trialBody(definition: string, state: StateNode, input: string, gives: Gives, given: string, grains: readonly string[]): string {
  const stub = gives === "its input" ? '{"echo": true}' : gives === "a result" ? `{"return": ${given}}` : `{"raise": ${given}}`;
  const names = [...new Set([...grains, ...called(definition, state)])];
  const stubs = names.map((name) => `${JSON.stringify(name)}: ${stub}`).join(", ");
  return `{"definition": ${definition}, "state": ${JSON.stringify(state.name)}, "input": ${input}, "grains": {${stubs}}}`;
}

/** A Task's resource; of one that invokes a Lambda function, that. */
function called(definition: string, state: StateNode): readonly string[] {
  if (state.resource === null) return [];
  const fields = at(JSON.parse(definition), state.pointer);
  const parameters = field(fields, "Parameters") ?? field(fields, "Arguments");
  const name = field(parameters, "FunctionName");
  return typeof name === "string" ? [state.resource, name] : [state.resource];
}

function at(value: unknown, pointer: string): unknown {
  return pointer
    .split("/")
    .slice(1)
    .reduce((found, token) => field(found, token.replaceAll("~1", "/").replaceAll("~0", "~")), value);
}

function field(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined;
}

/** @param answer as the platform gave it */
export function trialWords(answer: string): string {
  const { status, next, error } = JSON.parse(answer) as { readonly status: string; readonly next?: string; readonly error?: string | null };
  const then = next === undefined ? "the execution ends" : `${next} is next`;
  switch (status) {
    case "SUCCEEDED":
      return `It succeeds, and ${then}.`;
    case "CAUGHT":
      return `It fails with ${error ?? "no name"}, which a Catch takes: ${then}.`;
    case "TIMED_OUT":
      return "It does not end in time.";
    case "FAILED":
      return `It fails with ${error ?? "an error without a name"}, and the execution with it.`;
    default:
      return "It cannot be tried as it stands.";
  }
}
