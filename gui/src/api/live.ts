// An execution as it runs: whenever an attempt of a grain or the execution ends, what is known of it is asked for anew.
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { paths } from "./queries";
import { openStream } from "./stream";

export type Line = "off" | "connecting" | "live" | "lost";

const TOGETHER_MS = 150;

export function useLive(app: string, id: string, running: boolean): Line {
  const cache = useQueryClient();
  const [line, setLine] = useState<Line>("off");

  useEffect(() => {
    if (!running) {
      setLine("off");
      return;
    }
    let asking: number | undefined;
    const ask = (names: readonly string[]): void => {
      asking = undefined;
      for (const name of names) void cache.invalidateQueries({ queryKey: [name, app, id] });
    };
    setLine("connecting");
    const close = openStream(paths.invocation(app, id, "/events"), {
      onLine: (open) => setLine(open ? "live" : "lost"),
      events: {
        // Many at once are one question.
        hop: () => (asking ??= window.setTimeout(ask, TOGETHER_MS, ["timeline", "history", "lines"])),
        end: () => {
          close();
          ask(["invocation", "timeline", "history", "lines"]);
        },
      },
    });
    return () => {
      close();
      window.clearTimeout(asking);
    };
  }, [app, id, running, cache]);

  return line;
}
