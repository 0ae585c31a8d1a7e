// Queues, triggers and dead letters, for people.
import type { Schemas } from "../api/client";
import { elements, members } from "./members";
import { bytes, duration, written } from "./show";

export type Queue = Schemas["Queue"];
export type Topic = Schemas["Topic"];
export type Trigger = Schemas["Trigger"];

/** What the platform sends of a letter, but its payload: that is kept as it was written. */
export interface Letter extends Omit<Schemas["DeadLetter"], "payload"> {
  readonly payloadText: string;
}

export interface Letters {
  readonly letters: readonly Letter[];
  readonly next: string | null;
}

/** @param answer of the platform, as text: its numbers may have more digits than JavaScript keeps */
export function lettersOf(answer: string): Letters {
  const page = new Map(members(answer) ?? []);
  const letters = (elements(page.get("deadLetters") ?? "") ?? []).map((text): Letter => {
    const { payload: _payload, ...rest } = JSON.parse(text) as Schemas["DeadLetter"];
    return { ...rest, payloadText: new Map(members(text) ?? []).get("payload") ?? "" };
  });
  return { letters, next: JSON.parse(page.get("next") ?? "null") as string | null };
}

/** One that is not worked off yet; null: its payload is too long to be told. */
export interface Waiting extends Omit<Schemas["WaitingMessage"], "payload"> {
  readonly payloadText: string | null;
}

export interface Peeked {
  readonly messages: readonly Waiting[];
  readonly more: boolean;
}

/** @param answer as in {@link lettersOf} */
export function peekedOf(answer: string): Peeked {
  const page = new Map(members(answer) ?? []);
  const messages = (elements(page.get("messages") ?? "") ?? []).map((text): Waiting => {
    const { payload: _payload, ...rest } = JSON.parse(text) as Schemas["WaitingMessage"];
    return { ...rest, payloadText: new Map(members(text) ?? []).get("payload") ?? null };
  });
  return { messages, more: page.get("more") === "true" };
}

/** What becomes of it, or has. */
export function waitingText(message: Waiting, queue: Queue): string {
  return message.attempts === 0 ? "no attempt has failed" : `${message.attempts} of ${queue.retries + 1} attempts failed`;
}

interface WithPayload {
  readonly payloadText: string;
  readonly isBase64Encoded?: boolean;
  readonly contentType?: string;
}

/** Text where it is text, else how much there is. */
export function payloadShown(letter: WithPayload): string {
  if (!letter.isBase64Encoded) return letter.payloadText;
  const data = Uint8Array.from(atob(JSON.parse(letter.payloadText) as string), (character) => character.charCodeAt(0));
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(data);
    if (!/[\u0000-\u0008\u000e-\u001f]/.test(text)) return text;
  } catch {
    // It is no text.
  }
  return `${bytes(data.length)} of ${letter.contentType ?? "no known type"}`;
}

export function failureText(letter: Letter): string {
  const { error, cause } = letter.failure as { readonly error?: unknown; readonly cause?: unknown };
  return typeof cause === "string" && cause !== "" ? `${String(error)}: ${cause}` : String(error ?? "unknown");
}

/** What a topic of an application is for. */
export function purposeText({ purpose, grain, queue }: Pick<Topic, "purpose" | "grain" | "queue">): string {
  switch (purpose) {
    case "journal":
      return "backups of executions";
    case "requests":
      return "requests whose owner was not reached";
    case "work":
      return `events of ${grain ?? "a grain"} for other hosts`;
    case "returns":
      return "results from other hosts";
    case "queue":
      return `messages of ${queue ?? "a queue"}`;
    case "slots":
      return "which host owns which part of the work";
    case "hosts":
      return "what hosts say of themselves";
  }
}

/** When a trigger fires. */
export function firesText(trigger: Trigger): string {
  if (trigger.schedule) return trigger.schedule.replace(/^every (\d+) ms$/, (_, ms: string) => `every ${written(Number(ms))}`);
  const data = trigger.data;
  if (!data) return "–";
  const operations = data.operations.map((one) => one.toLowerCase()).join(" or ");
  return `${operations} of ${data.prefix === "" ? "any key" : `keys ${data.prefix}…`}`;
}

/** `linger: forever` */
const FOREVER_MS = 2 ** 52;

export function settingsText(queue: Queue): readonly (readonly [string, string | null])[] {
  return [
    ["Target", queue.target],
    ["At once on a host", String(queue.concurrency)],
    ["Of a group", queue.groupConcurrency === 1 ? "in order" : `${queue.groupConcurrency} at once`],
    ["Batch", queue.batch === 1 ? null : `${queue.batch}, lingering ${queue.lingerMs >= FOREVER_MS ? "until it is full" : duration(queue.lingerMs)}`],
    ["Attempts", `${queue.retries + 1}, ${duration(queue.backoffMs)} to ${duration(queue.maxBackoffMs)} apart`],
    ["Time limit", duration(queue.timeoutMs)],
    ["Room", `${queue.depth.toLocaleString("en")} messages a partition`],
    ["Tells of dead letters", queue.onFailure ?? null],
  ];
}

/** A count that ends at a bound. */
export function atMost(count: number, bound: number): string {
  return count >= bound ? `${bound.toLocaleString("en")} or more` : count.toLocaleString("en");
}
