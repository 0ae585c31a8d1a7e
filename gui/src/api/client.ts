// The platform's HTTP interface, typed by its OpenAPI document. What is not an answer of 2xx is thrown as a Refusal.
import createClient from "openapi-fetch";
import type { components, paths } from "../../target/schema";
import { isOfOtherSession, toOtherSession, toSessions } from "../model/who";
import { shownDirect } from "./direct";
import { askForKey, isSignedIn, otherSession, shownKey, visit } from "./key";

export type Schemas = components["schemas"];
export type Problem = Schemas["Problem"];

/** Where the platform is: this page is at ui/ below it. */
export const SERVER = new URL("..", document.baseURI.split("#")[0]).href;

/** What is only read is answered sooner: on a line that died without a word it would be waited for for ever. */
const ANSWER_MS = 60_000;

async function inTime(request: Request): Promise<Response> {
  if (request.method !== "GET") return fetch(request);
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(new TypeError("No answer came for a minute.")), ANSWER_MS);
  try {
    return await fetch(request, { signal: AbortSignal.any([request.signal, late.signal]) });
  } finally {
    clearTimeout(timer);
  }
}

export const client = createClient<paths>({ baseUrl: SERVER.replace(/\/$/, ""), fetch: inTime });

client.use({
  onRequest({ request }) {
    const shown = { ...shownKey(), ...shownDirect(request.url.slice(SERVER.length)) };
    for (const [name, value] of Object.entries(shown)) request.headers.set(name, value);
    return request;
  },
  onResponse({ request, response }) {
    if (response.status === 401 && !isSigningIn(request.url)) {
      askForKey({ Authorization: request.headers.get("Authorization") ?? "", "Sand-Csrf": request.headers.get("Sand-Csrf") ?? "" });
    }
  },
});

/** There a 401 is about the name and password, in the same type of problem. */
function isSigningIn(url: string): boolean {
  return url.endsWith("/api/v1/sessions");
}

/** One without a type, of something on the way, is of none in particular (RFC 9457, 4.2.1). */
function typed(problem: Omit<Problem, "type"> & Partial<Pick<Problem, "type">>): Problem {
  return { type: "about:blank", ...problem };
}

/** What the platform, or the way to it, answered instead. */
export class Refusal extends Error {
  readonly problem: Problem | null;
  readonly #visit = visit();

  constructor(
    readonly status: number,
    given: Problem | null,
    url = "",
  ) {
    const answer = given && typed(given);
    const problem = answer && isSignedIn() && !isSigningIn(url) ? toSessions(answer) : answer;
    super(problem?.detail ?? `The platform answered ${status}.`);
    this.problem = problem;
  }

  /** It asked who somebody is, and he has said it since. @param now visit() */
  isAnswered(now: number): boolean {
    return this.status === 401 && this.#visit < now;
  }
}

/** Of a request that repeats what belongs to the session: where that is another one's by now, once this page knows of it, or cannot. */
export async function refused(status: number, problem: Problem | null, url = ""): Promise<Refusal> {
  const isOther = problem !== null && isSignedIn() && isOfOtherSession(typed(problem));
  return new Refusal(status, isOther && (await otherSession()) ? toOtherSession(problem) : problem, url);
}

/** What is asked for is not there, or not any more. */
export function isGone(error: Error | null): boolean {
  return error instanceof Refusal && error.status === 404;
}

/** There is no such application: nothing can be done with it. */
export function isNoApplication(error: Error | null): boolean {
  return error instanceof Refusal && error.problem?.type.endsWith("/unknown-application") === true;
}

const RETRIES = 3;

/** Whether to ask again: what the platform refuses it will refuse again, unless it says otherwise. */
export const isToBeAskedAgain = (times: number, error: Error): boolean =>
  times < RETRIES && (!(error instanceof Refusal) || error.problem?.retryable === true);

interface Answered<T> {
  readonly data?: T;
  readonly error?: unknown;
  readonly response: Response;
}

export async function answered<T>(request: Promise<Answered<T>>): Promise<T> {
  const { data, error, response } = await request;
  if (!response.ok) throw await refused(response.status, isProblem(error) ? error : null, response.url);
  return data as T;
}

function isProblem(error: unknown): error is Problem {
  return typeof error === "object" && error !== null && "detail" in error && "title" in error;
}

export function address(path: string): string {
  return SERVER + path;
}

/** As a file of that name: a link would not show the key. */
export async function download(url: string, name: string): Promise<void> {
  const answer = await fetch(url, { headers: shownKey() });
  if (!answer.ok) throw new Refusal(answer.status, null);
  const file = URL.createObjectURL(await answer.blob());
  const link = document.createElement("a");
  link.href = file;
  link.download = name;
  link.click();
  URL.revokeObjectURL(file);
}
