// Log lines of an application, or of a process, as they are written, over server-sent events; the newest are kept.
import { useEffect, useState } from "react";
import type { Schemas } from "./client";
import { openStream } from "./stream";

type LogLine = Schemas["Line"];

/** Lines that a page holds: older ones go. */
export const MOST_LINES = 2_000;
const FIRST_LINES = 500;
const TOGETHER_MS = 100;

export interface Followed {
  readonly lines: readonly LogLine[];
  readonly isOpen: boolean;
  /** Why there are none, and none will come. */
  readonly refusal: Error | null;
}

const NOTHING: Followed = { lines: [], isOpen: false, refusal: null };

export function followQuery(grain: string): URLSearchParams {
  return new URLSearchParams({ limit: String(FIRST_LINES), follow: "true", ...(grain && { grain }) });
}

export function useFollowedLogs(url: string): Followed {
  const [followed, setFollowed] = useState<Followed>(NOTHING);

  useEffect(() => {
    let waiting: LogLine[] = [];
    let last = 0;
    let showing: number | undefined;
    setFollowed(NOTHING);

    function show(): void {
      const come = waiting;
      waiting = [];
      showing = undefined;
      setFollowed((before) => ({ ...before, lines: [...before.lines, ...come].slice(-MOST_LINES) }));
    }

    const close = openStream(url, {
      onLine: (isOpen) => setFollowed((before) => ({ ...before, isOpen })),
      onRefused: (refusal) => setFollowed((before) => ({ ...before, refusal })),
      events: {
        line: (data) => {
          const line = JSON.parse(data) as LogLine;
          // A stream that was opened anew begins with lines that are here.
          if (line.sequence <= last) return;
          last = line.sequence;
          waiting.push(line);
          showing ??= window.setTimeout(show, TOGETHER_MS);
        },
      },
    });
    return () => {
      close();
      window.clearTimeout(showing);
    };
  }, [url]);

  return followed;
}
