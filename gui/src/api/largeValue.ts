// Long values: fetched with their progress, and read in a worker.
import type { Row } from "../model/foldedJson";
import { filled } from "../model/filled";
import type { Asked, Look, Told } from "../model/valueReader";
import { type Problem, Refusal } from "./client";
import { shownKey } from "./key";

/** Longer ones are to be downloaded. */
export const MOST_SHOWN = 64 << 20;

/** @param onCome bytes that are there by now; @throws Refusal, or what the signal says */
export async function fetchBytes(url: string, size: number, onCome: (bytes: number) => void, signal: AbortSignal): Promise<ArrayBuffer> {
  const answer = await fetch(url, { headers: shownKey(), signal });
  if (!answer.ok || answer.body === null) throw new Refusal(answer.status, (await answer.json().catch(() => null)) as Problem | null, url);
  return filled(answer.body.getReader(), size, MOST_SHOWN, onCome);
}

type Question = Asked extends infer Each ? (Each extends { readonly number: number } ? Omit<Each, "number"> : never) : never;

/** A value in a worker of its own. */
export class RemoteReader {
  private readonly worker = new Worker(new URL("./value.worker.ts", import.meta.url), { type: "module" });
  private readonly waiting = new Map<number, { readonly done: (told: Told) => void; readonly failed: (error: Error) => void }>();
  private asked = 0;

  constructor() {
    this.worker.onmessage = ({ data }: MessageEvent<Told>) => {
      const one = this.waiting.get(data.number);
      this.waiting.delete(data.number);
      if ("fault" in data) one?.failed(new Error(data.fault));
      else one?.done(data);
    };
    this.worker.onerror = (event) => {
      event.preventDefault();
      for (const { failed } of this.waiting.values()) failed(new Error(event.message || "The browser has no room for this value."));
      this.waiting.clear();
    };
  }

  async look(bytes: ArrayBuffer): Promise<Look> {
    const told = await this.ask({ bytes }, [bytes]);
    return "look" in told ? told.look : { kind: "bytes" };
  }

  async rows(open: ReadonlySet<string>): Promise<readonly Row[]> {
    const told = await this.ask({ open: [...open] });
    return "rows" in told ? told.rows : [];
  }

  /** @param page from 0 */
  async page(page: number): Promise<string> {
    const told = await this.ask({ page });
    return "text" in told ? told.text : "";
  }

  end(): void {
    this.worker.terminate();
  }

  private ask(question: Question, given: Transferable[] = []): Promise<Told> {
    const number = (this.asked += 1);
    return new Promise((done, failed) => {
      this.waiting.set(number, { done, failed });
      this.worker.postMessage({ number, ...question } as Asked, given);
    });
  }
}
