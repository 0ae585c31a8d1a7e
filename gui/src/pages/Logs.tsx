// What an application's grains write, as they write it; the filters are part of the address.
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { MOST_LINES, followQuery, useFollowedLogs } from "../api/follow";
import type { Schemas } from "../api/client";
import { application, paths } from "../api/queries";
import type { Route } from "../model/route";
import { Title, Trouble } from "../parts/bits";
import { AsCurl } from "../parts/copy";
import { Choice } from "../parts/Choice";
import { Lines } from "../parts/Lines";
import { replace } from "../parts/router";
import { Empty } from "../parts/Table";

type Shown = Extract<Route, { page: "logs" }>;

const LEVELS = ["debug", "info", "warning", "error", "critical"];
const STREAMS = ["stdout", "stderr", "platform"] as const;
const KEY = "sand.logs.hidden";
const TYPED_MS = 200;

/** Streams that were hidden last, as they stand in an address. */
export function hiddenStreams(): string {
  return localStorage.getItem(KEY) ?? "";
}

export function Logs({ route }: { readonly route: Shown }) {
  const { app, grain, text } = route;
  const described = useQuery(application(app));
  const { lines, isOpen, refusal } = useFollowedLogs(paths.logs(app, followQuery(grain)));
  const hidden = route.hide.split(",");
  const wanted = text.toLowerCase();
  const least = LEVELS.indexOf(route.level);
  const shown = lines.filter(
    (line) => !hidden.includes(line.stream) && LEVELS.indexOf(levelOf(line)) >= least && line.text.toLowerCase().includes(wanted),
  );

  function hide(stream: string, isHidden: boolean): void {
    const now = STREAMS.filter((one) => (one === stream ? isHidden : hidden.includes(one))).join(",");
    localStorage.setItem(KEY, now);
    replace({ ...route, hide: now });
  }

  return (
    <>
      <Title>Logs</Title>
      <form className="filters" onSubmit={(event) => event.preventDefault()}>
        <Choice label="Grain" value={grain} options={Object.keys(described.data?.grains ?? {})} onChoose={(one) => replace({ ...route, grain: one })} />
        <Choice label="Level, at least" value={route.level} options={LEVELS} onChoose={(level) => replace({ ...route, level })} />
        <Search key={app} text={text} onSearch={(typed) => replace({ ...route, text: typed })} />
        <fieldset>
          <legend>Streams</legend>
          {STREAMS.map((stream) => (
            <label key={stream}>
              <input type="checkbox" checked={!hidden.includes(stream)} onChange={(event) => hide(stream, !event.target.checked)} /> {stream}
            </label>
          ))}
        </fieldset>
        <span role="status" className={isOpen ? "live" : "quiet"}>
          {isOpen ? "live" : refusal ? "refused" : "connecting…"}
        </span>
      </form>
      {refusal && <Trouble error={refusal} />}
      {shown.length > 0 ? (
        <Lines lines={shown} label="Log lines" app={app} follows />
      ) : (
        <Empty>
          {refusal ? (
            <p>There are none to show.</p>
          ) : lines.length === 0 ? (
            <p>No line yet. What grains print, log or raise comes here as it is written.</p>
          ) : (
            <p>None of the last {lines.length} lines is like that.</p>
          )}
        </Empty>
      )}
      <p className="quiet">The last {MOST_LINES.toLocaleString("en")} lines at most.</p>
      <AsCurl url={paths.logs(app, followQuery(grain))} headers={{ Accept: "text/event-stream" }} command={["logs", app, ...(grain ? ["--grain", grain] : []), "--follow"]} />
    </>
  );
}

/** What was printed has no level of its own. */
function levelOf(line: Schemas["Line"]): string {
  return line.level?.toLowerCase() ?? (line.stream === "stderr" ? "error" : "info");
}

/** What is typed is the field's own; the address follows when somebody stops typing, and leads here when it is another's. */
function Search({ text, onSearch }: { readonly text: string; readonly onSearch: (text: string) => void }) {
  const [typed, setTyped] = useState(text);
  const [sent, setSent] = useState(text);
  if (text !== sent) {
    setSent(text);
    setTyped(text);
  }
  const search = useRef(onSearch);
  useEffect(() => {
    search.current = onSearch;
  });
  // Lines that come in meanwhile draw the page again, and do not begin the wait anew.
  useEffect(() => {
    if (typed === sent) return;
    const later = window.setTimeout(() => {
      setSent(typed);
      search.current(typed);
    }, TYPED_MS);
    return () => window.clearTimeout(later);
  }, [typed, sent]);
  return (
    <label>
      With the text <input type="search" value={typed} onChange={(event) => setTyped(event.target.value)} />
    </label>
  );
}
