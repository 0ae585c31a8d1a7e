// Server-sent events that come back: by the browser after a lost connection, behind the last event seen; by us after an answer
// that was no stream, as that of a platform that starts.

const AGAIN_MS = 2_000;

export interface Heard {
  readonly events: Readonly<Record<string, (data: string) => void>>;
  /** Whether the connection is there. */
  readonly onLine: (open: boolean) => void;
}

/** @return ends it */
export function openStream(url: string, heard: Heard): () => void {
  let source: EventSource | undefined;
  let again: number | undefined;

  function open(): void {
    const opened = new EventSource(url);
    source = opened;
    opened.onopen = () => heard.onLine(true);
    opened.onerror = () => {
      heard.onLine(false);
      if (opened.readyState === EventSource.CLOSED) again = window.setTimeout(open, AGAIN_MS);
    };
    for (const [name, hear] of Object.entries(heard.events)) {
      opened.addEventListener(name, (event: MessageEvent<string>) => hear(event.data));
    }
  }

  open();
  return () => {
    source?.close();
    window.clearTimeout(again);
  };
}
