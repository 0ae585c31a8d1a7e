// One application: what its live version has, its versions and aliases.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type Schemas, answered, client } from "../api/client";
import { application, paths, versions } from "../api/queries";
import { bytes, duration, when } from "../model/show";
import { AsCurl, Found, Title, To, Trouble } from "../parts/bits";

export function Application({ app }: { readonly app: string }) {
  return (
    <>
      <Title trail={<To route={{ page: "home" }}>Applications</To>}>{app}</Title>
      <Found query={useQuery(application(app))}>{(found) => <Contents found={found} />}</Found>
      <Versions app={app} />
      <AsCurl url={paths.application(app)} />
    </>
  );
}

function Contents({ found }: { readonly found: Schemas["Version"] }) {
  const app = found.application;
  const workflows = Object.values(found.workflows);
  return (
    <>
      <p>
        Version {found.version}, deployed {when(found.createdMs)}; durability {found.durability.toLowerCase()}.
      </p>
      {workflows.length > 0 && (
        <section aria-labelledby="workflows">
          <h2 id="workflows">Workflows</h2>
          <ul className="cards">
            {workflows.map((one) => (
              <li key={one.name}>
                <To route={{ page: "workflow", app, name: one.name }}>{one.name}</To>
              </li>
            ))}
          </ul>
        </section>
      )}
      <section aria-labelledby="grains">
        <h2 id="grains">Grains</h2>
        <div className="wide" tabIndex={0} role="region" aria-label="Table of grains">
          <table>
            <thead>
              <tr>
                <th scope="col">Grain</th>
                <th scope="col">Entry</th>
                <th scope="col">Isolation</th>
                <th scope="col">Time limit</th>
                <th scope="col">Memory</th>
                <th scope="col">At once</th>
              </tr>
            </thead>
            <tbody>
              {Object.values(found.grains).map((one) => (
                <tr key={one.name}>
                  <th scope="row">
                    <To route={{ page: "grain", app, name: one.name }}>{one.name}</To>
                  </th>
                  <td>
                    <code>{one.entry}</code>
                  </td>
                  <td>{one.isolation?.toLowerCase()}</td>
                  <td>{duration(one.timeoutMs ?? 0)}</td>
                  <td>{one.memoryBytes ? bytes(one.memoryBytes) : "the sandbox's"}</td>
                  <td>{one.concurrency}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </section>
      {found.routes.length > 0 && (
        <section aria-labelledby="routes">
          <h2 id="routes">Routes</h2>
          <div className="wide" tabIndex={0} role="region" aria-label="Table of routes">
            <table>
              <thead>
                <tr>
                  <th scope="col">Method</th>
                  <th scope="col">Path</th>
                  <th scope="col">Target</th>
                </tr>
              </thead>
              <tbody>
                {found.routes.map((route) => (
                  <tr key={`${route.method} ${route.path}`}>
                    <td>{route.method}</td>
                    <td>
                      <code>
                        /web/{app}
                        {route.path}
                      </code>
                    </td>
                    <td>{route.target}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </section>
      )}
    </>
  );
}

function Versions({ app }: { readonly app: string }) {
  const cache = useQueryClient();
  const move = useMutation({
    mutationFn: (number: number) =>
      answered(client.PUT("/api/v1/applications/{app}/aliases/{alias}", { params: { path: { app, alias: "live" } }, body: { version: number } })),
    onSuccess: () => Promise.all(["versions", "application"].map((name) => cache.invalidateQueries({ queryKey: [name, app] }))),
  });
  return (
    <section aria-labelledby="versions">
      <h2 id="versions">Versions</h2>
      {move.error && <Trouble error={move.error} />}
      <Found query={useQuery(versions(app))}>
        {(found) => (
          <div className="wide" tabIndex={0} role="region" aria-label="Table of versions">
            <table>
              <thead>
                <tr>
                  <th scope="col">Version</th>
                  <th scope="col">Aliases</th>
                  <th scope="col">Deployed</th>
                  <th scope="col">
                    <span className="unseen">Change</span>
                  </th>
                </tr>
              </thead>
              <tbody>
                {found.versions.map((one) => (
                  <tr key={one.version}>
                    <th scope="row">{one.version}</th>
                    <td>{aliasesOf(found.aliases, one.version).join(", ") || "–"}</td>
                    <td>{one.createdMs === undefined ? "–" : when(one.createdMs)}</td>
                    <td>
                      {found.aliases.live !== one.version && one.version !== undefined && (
                        <button type="button" className="small" disabled={move.isPending} onClick={() => move.mutate(one.version ?? 0)}>
                          Make version {one.version} live
                        </button>
                      )}
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
      </Found>
    </section>
  );
}

function aliasesOf(aliases: Readonly<Record<string, number>>, version: number | undefined): readonly string[] {
  return Object.entries(aliases).flatMap(([alias, at]) => (at === version ? [alias] : []));
}
