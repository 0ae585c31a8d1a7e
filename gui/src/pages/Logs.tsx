// What an application's grains write, as they write it; which lines is part of the address.
import { useQuery } from "@tanstack/react-query";
import { isGone } from "../api/client";
import { followUrl, linesOf, useLines } from "../api/lines";
import { application } from "../api/queries";
import { type LineFilter, optionsOf } from "../model/logs";
import type { Route } from "../model/route";
import { Title } from "../parts/bits";
import { AsCurl } from "../parts/copy";
import { LineFilters } from "../parts/LineFilters";
import { Log } from "../parts/Log";
import { replace } from "../parts/router";

const KEY = "sand.logs.hidden";

/** Streams that were hidden last, as they stand in an address. */
export function hiddenStreams(): string {
  return localStorage.getItem(KEY) ?? "";
}

export function Logs({ route }: { readonly route: Extract<Route, { page: "logs" }> }) {
  const { app } = route;
  const described = useQuery(application(app));
  const source = linesOf(app);
  const [found, older] = useLines(source, route);
  const { isOpen, refusal } = found;

  function choose(filter: LineFilter): void {
    localStorage.setItem(KEY, filter.hide);
    replace({ ...route, ...filter });
  }

  return (
    <>
      <Title>Logs</Title>
      {!isGone(refusal) && (
        <form className="filters" onSubmit={(event) => event.preventDefault()}>
          <LineFilters key={app} filter={route} grains={Object.keys(described.data?.grains ?? {})} onChange={choose} />
          <span role="status" className={isOpen ? "live" : "quiet"}>
            {isOpen ? "live" : refusal ? "refused" : "connecting…"}
          </span>
        </form>
      )}
      <Log found={found} older={older} filter={route} app={app} nothing={<p>No line yet. What grains print, log or raise comes here as it is written.</p>} />
      <AsCurl url={followUrl(source, route)} headers={{ Accept: "text/event-stream" }} command={["logs", app, ...optionsOf(route), "--follow"]} />
    </>
  );
}
