// What an application's grains write, as they write it; the filters are part of the address.
import { useQuery } from "@tanstack/react-query";
import { MOST_LINES, followQuery, useFollowedLogs } from "../api/follow";
import { application, paths } from "../api/queries";
import type { Route } from "../model/route";
import { AsCurl, Title, To } from "../parts/bits";
import { Lines } from "../parts/Lines";
import { replace } from "../parts/router";

type Shown = Extract<Route, { page: "logs" }>;

export function Logs({ route }: { readonly route: Shown }) {
  const { app, grain, text } = route;
  const described = useQuery(application(app));
  const { lines, isOpen } = useFollowedLogs(app, grain);
  const wanted = text.toLowerCase();
  const shown = wanted === "" ? lines : lines.filter((line) => line.text.toLowerCase().includes(wanted));
  return (
    <>
      <Title trail={<To route={{ page: "application", app }}>{app}</To>}>Logs</Title>
      <form className="filters" onSubmit={(event) => event.preventDefault()}>
        <label>
          Grain{" "}
          <select value={grain} onChange={(event) => replace({ ...route, grain: event.target.value })}>
            <option value="">any</option>
            {Object.keys(described.data?.grains ?? {}).map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
        <label>
          With the text <input type="search" value={text} onChange={(event) => replace({ ...route, text: event.target.value })} />
        </label>
        <span role="status">{isOpen ? `live, the last ${MOST_LINES} lines at most` : "connecting…"}</span>
      </form>
      {shown.length === 0 ? <p>No line yet.</p> : <Lines lines={shown} label="Log lines" />}
      <AsCurl url={paths.logs(app, followQuery(grain))} headers={{ Accept: "text/event-stream" }} />
    </>
  );
}
