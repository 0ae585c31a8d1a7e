// Server-sent events that come back, behind the last event seen. Read with fetch, since an EventSource shows no key.
// A browser keeps few connections to a server, for all its tabs together: a tab that nobody sees has none.
import { EventText } from "../model/events";
import { type Problem, Refusal } from "./client";
import { askForKey, shownKey } from "./key";

const AGAIN_MS = 2_000;
/** The platform writes something every few seconds, if only a comment: a line that brings nothing for so long is dead, whatever the browser thinks. */
const SILENT_MS = 15_000;

export interface Heard {
  readonly events: Readonly<Record<string, (data: string) => void>>;
  /** Whether the connection is there. */
  readonly onLine: (open: boolean) => void;
  /** It was refused for good, and is not asked for again. */
  readonly onRefused?: (refusal: Refusal) => void;
}

/** What may be answered otherwise the next time. */
const PASSING = [401, 408, 425, 429];

export function isPassing(status: number): boolean {
  return status < 400 || status >= 500 || PASSING.includes(status);
}

/** @return ends it */
export function openStream(url: string, heard: Heard): () => void {
  let ended = new AbortController();
  const text = new EventText();
  let again: number | undefined;
  let silent: number | undefined;
  let refused = false;

  function listen(line: AbortController): void {
    window.clearTimeout(silent);
    silent = window.setTimeout(() => line.abort(), SILENT_MS);
  }

  /** @return whether it is to be opened again */
  async function read(line: AbortController): Promise<boolean> {
    listen(line);
    const key = shownKey();
    const last: Record<string, string> = text.lastId ? { "Last-Event-ID": text.lastId } : {};
    const answer = await fetch(url, { headers: { Accept: "text/event-stream", ...key, ...last }, cache: "no-store", signal: AbortSignal.any([ended.signal, line.signal]) });
    if (answer.status === 401) askForKey(key);
    if (!isPassing(answer.status)) {
      const problem = (await answer.json().catch(() => null)) as Problem | null;
      if (!ended.signal.aborted) heard.onRefused?.(new Refusal(answer.status, problem));
      return false;
    }
    if (!answer.ok || !answer.body || !answer.headers.get("Content-Type")?.startsWith("text/event-stream")) return true;
    heard.onLine(true);
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    for (let piece = await reader.read(); !piece.done && !ended.signal.aborted; piece = await reader.read()) {
      listen(line);
      for (const event of text.feed(piece.value)) if (!ended.signal.aborted) heard.events[event.name]?.(event.data);
    }
    return true;
  }

  function open(): void {
    const own = new AbortController();
    ended = own;
    text.restart();
    read(new AbortController())
      .catch(() => true)
      .then((isAgain) => {
        if (own.signal.aborted) return;
        window.clearTimeout(silent);
        heard.onLine(false);
        if (isAgain) again = window.setTimeout(open, AGAIN_MS);
        else refused = true;
      });
  }

  function close(): void {
    ended.abort();
    window.clearTimeout(again);
    window.clearTimeout(silent);
  }

  function seen(): void {
    if (refused) return;
    close();
    if (document.visibilityState === "visible") open();
    else heard.onLine(false);
  }

  document.addEventListener("visibilitychange", seen);
  seen();
  return () => {
    document.removeEventListener("visibilitychange", seen);
    close();
  };
}
