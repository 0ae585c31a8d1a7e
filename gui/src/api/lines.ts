// Log lines of an application, an execution or a process: the last ones first, older ones when somebody asks for them, and newer ones
// as they are written, over server-sent events.
import { useEffect, useRef, useState } from "react";
import { type AskedLines, type Kept, type LineFilter, askedOf, withNewer, withOlder } from "../model/logs";
import { Refusal, type Schemas, answered, client } from "./client";
import { paths } from "./queries";
import { isPassing, openStream } from "./stream";

export type LogLine = Schemas["Line"];

/** Lines that a page holds, besides older ones that were asked for. */
const MOST_LINES = 2_000;
const FIRST_LINES = 500;
const OLDER_LINES = 1_000;
const TOGETHER_MS = 100;
const AGAIN_MS = 2_000;

interface Page {
  readonly lines: readonly LogLine[];
  readonly next: number | null;
  readonly previous: number | null;
}

type Query = AskedLines & { readonly limit: number; readonly before?: number };

/** Where lines are asked for. */
export interface Source {
  readonly url: string;
  ask(query: Query): Promise<Page>;
}

// The document has the followed form beside these pages.
export const linesOf = (app: string): Source => ({
  url: paths.logs(app),
  ask: (query) => answered(client.GET("/api/v1/applications/{app}/logs", { params: { path: { app }, query } })) as Promise<Page>,
});

export const linesOfExecution = (app: string, id: string): Source => ({
  url: paths.invocation(app, id, "/logs"),
  ask: (query) => answered(client.GET("/api/v1/applications/{app}/invocations/{id}/logs", { params: { path: { app, id }, query } })) as Promise<Page>,
});

export const linesOfProcess = (app: string, process: string): Source => ({
  url: paths.process(app, process, "/logs"),
  ask: (query) => answered(client.GET("/api/v1/applications/{app}/processes/{process}/logs", { params: { path: { app, process }, query } })) as Promise<Page>,
});

export function followUrl({ url }: Source, filter: LineFilter, more: Readonly<Record<string, string>> = { limit: String(FIRST_LINES) }): string {
  return `${url}?${new URLSearchParams({ ...askedOf(filter), ...more, follow: "true" })}`;
}

export interface Lines extends Kept<LogLine> {
  readonly isLoaded: boolean;
  /** Newer ones come as they are written. */
  readonly isOpen: boolean;
  /** Older ones are being asked for. */
  readonly isLooking: boolean;
  /** Why there are none, and none will come. */
  readonly refusal: Error | null;
}

const NOTHING: Lines = { lines: [], previous: null, fetched: 0, isLoaded: false, isOpen: false, isLooking: false, refusal: null };

/** @param follows whether newer ones are waited for */
export function useLines(source: Source, filter: LineFilter, follows = true): readonly [Lines, () => void] {
  const { url } = source;
  const what = `${url} ${JSON.stringify(askedOf(filter))}`;
  const [found, setFound] = useState(NOTHING);
  /** Behind which line newer ones of what are followed. */
  const [end, setEnd] = useState<{ readonly what: string; readonly after: number } | null>(null);
  const asked = useRef({ source, filter });
  const running = useRef(new AbortController());
  useEffect(() => {
    asked.current = { source, filter };
  });

  useEffect(() => {
    const own = new AbortController();
    running.current = own;
    let again: number | undefined;
    setFound(NOTHING);

    function load(): void {
      const { source, filter } = asked.current;
      look(source, { ...askedOf(filter), limit: FIRST_LINES }, own.signal).then(
        ({ lines, previous, next }) => {
          if (own.signal.aborted) return;
          setFound({ ...NOTHING, lines, previous, isLoaded: true });
          setEnd({ what, after: next ?? 0 });
        },
        (error: unknown) => {
          if (own.signal.aborted) return;
          if (error instanceof Refusal) setFound({ ...NOTHING, refusal: error });
          // What passes is said as long as it lasts.
          if (!(error instanceof Refusal) || isPassing(error.status)) again = window.setTimeout(load, AGAIN_MS);
        },
      );
    }

    load();
    return () => {
      own.abort();
      window.clearTimeout(again);
    };
  }, [what]);

  useEffect(() => {
    if (end?.what !== what || !follows) return;
    let waiting: LogLine[] = [];
    let showing: number | undefined;

    function show(): void {
      const come = waiting;
      waiting = [];
      showing = undefined;
      setFound((before) => ({ ...before, ...withNewer(before, come, MOST_LINES) }));
    }

    const close = openStream(followUrl(asked.current.source, asked.current.filter, { after: String(end.after) }), {
      onLine: (isOpen) => setFound((before) => ({ ...before, isOpen })),
      onRefused: (refusal) => setFound((before) => ({ ...before, refusal })),
      events: {
        line: (data) => {
          waiting.push(JSON.parse(data) as LogLine);
          showing ??= window.setTimeout(show, TOGETHER_MS);
        },
      },
    });
    return () => {
      close();
      window.clearTimeout(showing);
      // What has come is not asked for again when it is followed again.
      setFound((before) => ({ ...before, ...withNewer(before, waiting, MOST_LINES), isOpen: false }));
    };
  }, [what, end, follows]);

  function older(): void {
    if (found.isLooking || found.previous === null) return;
    const { source, filter } = asked.current;
    const { signal } = running.current;
    setFound((before) => ({ ...before, isLooking: true, refusal: null }));
    look(source, { ...askedOf(filter), limit: OLDER_LINES, before: found.previous }, signal).then(
      (page) => !signal.aborted && setFound((before) => ({ ...before, ...withOlder(before, page), isLooking: false })),
      (refusal: Error) => !signal.aborted && setFound((before) => ({ ...before, isLooking: false, refusal })),
    );
  }

  return [found, older];
}

/** One that looked at as many lines as it may, and found none, is asked again, further back. */
async function look(source: Source, query: Query, signal: AbortSignal): Promise<Page> {
  const first = await source.ask(query);
  let page = first;
  while (page.lines.length === 0 && page.previous !== null && !signal.aborted) page = await source.ask({ ...query, before: page.previous });
  return { ...page, next: first.next };
}
