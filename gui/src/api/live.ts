// An execution as it runs: whenever an attempt of a grain or the execution ends, what is known of it is asked for anew.
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { gathering } from "../model/gather";
import { paths } from "./queries";
import { openStream } from "./stream";

export type Line = "off" | "connecting" | "live" | "lost";

/** The history of an execution that is watched is no older than that. */
const TOGETHER_MS = 200;

export function useLive(app: string, id: string, running: boolean): Line {
  const cache = useQueryClient();
  const [line, setLine] = useState<Line>("off");

  useEffect(() => {
    if (!running) {
      setLine("off");
      return;
    }
    // What is being asked already is let come: an answer that is always overtaken would never be shown.
    const ask = (names: readonly string[], cancelRefetch: boolean): Promise<unknown> =>
      Promise.all(names.map((name) => cache.invalidateQueries({ queryKey: [name, app, id] }, { cancelRefetch })));
    const hops = gathering(() => ask(["timeline", "history"], false), TOGETHER_MS);
    setLine("connecting");
    const close = openStream(paths.invocation(app, id, "/events"), {
      onLine: (open) => {
        setLine(open ? "live" : "lost");
        // What ended before it was watched is told by no event.
        if (open) hops.tell();
      },
      events: {
        hop: () => hops.tell(),
        end: () => {
          close();
          hops.stop();
          void ask(["invocation", "timeline", "history"], true);
        },
      },
    });
    return () => {
      close();
      hops.stop();
    };
  }, [app, id, running, cache]);

  return line;
}
