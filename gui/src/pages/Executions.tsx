// An application's executions, newest first: a page at a time, however many there are.
import { useQuery } from "@tanstack/react-query";
import { STATUSES, application, invocations, invocationsQuery, paths } from "../api/queries";
import type { Route } from "../model/route";
import { duration, when } from "../model/show";
import { AsCurl, Found, StatusBadge, Title, To } from "../parts/bits";
import { go } from "../parts/router";

type Listed = Extract<Route, { page: "executions" }>;

export function Executions({ route }: { readonly route: Listed }) {
  const { app } = route;
  const query = useQuery(invocations(app, route));
  const described = useQuery(application(app));
  const targets = [...Object.keys(described.data?.workflows ?? {}), ...Object.keys(described.data?.grains ?? {})];
  return (
    <>
      <Title trail={<To route={{ page: "application", app }}>{app}</To>}>Executions</Title>
      <form className="filters" onSubmit={(event) => event.preventDefault()}>
        <label>
          Status{" "}
          <select value={route.status} onChange={(event) => go({ ...route, status: event.target.value, before: "" })}>
            <option value="">any</option>
            {STATUSES.map((status) => (
              <option key={status} value={status}>
                {status.toLowerCase().replace("_", " ")}
              </option>
            ))}
          </select>
        </label>
        <label>
          Target{" "}
          <select value={route.target} onChange={(event) => go({ ...route, target: event.target.value, before: "" })}>
            <option value="">any</option>
            {targets.map((target) => (
              <option key={target}>{target}</option>
            ))}
          </select>
        </label>
      </form>
      <Found query={query}>
        {(found) => (
          <>
            {found.invocations.length === 0 ? <p>There are none{route.status || route.target ? " of that kind" : " yet"}.</p> : <Rows app={app} found={found.invocations} />}
            <p className="pages">
              {route.before && <To route={{ ...route, before: "" }}>Newest</To>}
              {found.next && <To route={{ ...route, before: found.next }}>Older</To>}
            </p>
          </>
        )}
      </Found>
      <AsCurl url={paths.invocations(app, invocationsQuery(route))} />
    </>
  );
}

interface Row {
  readonly executionId: string;
  readonly target: string;
  readonly version: number;
  readonly status: string;
  readonly startedMs: number;
  readonly endedMs: number | null;
  readonly failure?: { readonly error?: string };
}

function Rows({ app, found }: { readonly app: string; readonly found: readonly Row[] }) {
  return (
    <div className="wide" tabIndex={0} role="region" aria-label="Executions">
      <table>
        <thead>
          <tr>
            <th scope="col">Execution</th>
            <th scope="col">Target</th>
            <th scope="col">Version</th>
            <th scope="col">Status</th>
            <th scope="col">Started</th>
            <th scope="col">Took</th>
            <th scope="col">Error</th>
          </tr>
        </thead>
        <tbody>
          {found.map((one) => (
            <tr key={one.executionId}>
              <th scope="row">
                <To route={{ page: "execution", app, id: one.executionId }}>{one.executionId}</To>
              </th>
              <td>{one.target}</td>
              <td>{one.version}</td>
              <td>
                <StatusBadge status={one.status} />
              </td>
              <td>{when(one.startedMs)}</td>
              <td>{one.endedMs === null ? "–" : duration(one.endedMs - one.startedMs)}</td>
              <td>{one.failure?.error ?? ""}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
