// Server-sent events that come back, behind the last event seen. Read with fetch, since an EventSource shows no key.
import { EventText } from "../model/events";
import { askForKey, shownKey } from "./key";

const AGAIN_MS = 2_000;

export interface Heard {
  readonly events: Readonly<Record<string, (data: string) => void>>;
  /** Whether the connection is there. */
  readonly onLine: (open: boolean) => void;
}

/** @return ends it */
export function openStream(url: string, heard: Heard): () => void {
  const ended = new AbortController();
  const text = new EventText();
  let again: number | undefined;

  async function read(): Promise<void> {
    const key = shownKey();
    const last: Record<string, string> = text.lastId ? { "Last-Event-ID": text.lastId } : {};
    const answer = await fetch(url, { headers: { Accept: "text/event-stream", ...key, ...last }, cache: "no-store", signal: ended.signal });
    if (answer.status === 401) askForKey(key.Authorization ?? null);
    if (!answer.ok || !answer.body || !answer.headers.get("Content-Type")?.startsWith("text/event-stream")) return;
    heard.onLine(true);
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    for (let piece = await reader.read(); !piece.done && !ended.signal.aborted; piece = await reader.read()) {
      for (const event of text.feed(piece.value)) if (!ended.signal.aborted) heard.events[event.name]?.(event.data);
    }
  }

  function open(): void {
    text.restart();
    read()
      .catch(() => undefined)
      .then(() => {
        if (ended.signal.aborted) return;
        heard.onLine(false);
        again = window.setTimeout(open, AGAIN_MS);
      });
  }

  open();
  return () => {
    ended.abort();
    window.clearTimeout(again);
  };
}
