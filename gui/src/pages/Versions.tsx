// An application's versions: which alias names which, promoted and rolled back, and what differs between two of them.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { answered, client } from "../api/client";
import { versions } from "../api/queries";
import { versionPaths } from "../api/versions";
import type { Route } from "../model/route";
import { when } from "../model/show";
import { Found, Title, To, Trouble } from "../parts/bits";
import { Button, Way } from "../parts/Button";
import { Confirm } from "../parts/Confirm";
import { AsCurl } from "../parts/copy";
import { useOnce } from "../parts/once";
import { Table } from "../parts/Table";
import { Compare } from "./versions/Compare";
import { Moves } from "./versions/Moves";
import { Point } from "./versions/Point";

type Shown = Extract<Route, { page: "versions" }>;

interface Move {
  readonly alias: string;
  /** null: the alias goes. */
  readonly version: number | null;
}

export function Versions({ route }: { readonly route: Shown }) {
  const { app } = route;
  const cache = useQueryClient();
  const move = useMutation({
    mutationFn: ({ alias, version }: Move): Promise<unknown> => {
      const params = { path: { app, alias } };
      const at = "/api/v1/applications/{app}/aliases/{alias}";
      return version === null ? answered(client.DELETE(at, { params })) : answered(client.PUT(at, { params, body: { version } }));
    },
    onMutate: (): void => rollback.reset(), // what it said is true no more
    onSettled: () => Promise.all(["versions", "application", "diff", "moves"].map((name) => cache.invalidateQueries({ queryKey: [name, app] }))),
  });
  const rollback = useMutation({
    mutationFn: () => answered(client.POST("/api/v1/applications/{app}/rollback", { params: { path: { app } }, body: {} })),
    onMutate: (): void => move.reset(),
    onSettled: () => cache.invalidateQueries({ predicate: ({ queryKey }) => queryKey[1] === app }),
  });
  const moveOnce = useOnce(move);
  const rollbackOnce = useOnce(rollback);
  const isBusy = move.isPending || rollback.isPending;
  return (
    <>
      <Title
        aside={
          <Way scope="deploy" className="button" route={{ page: "deploy", into: app }}>
            Deploy a version
          </Way>
        }
      >
        Versions
      </Title>
      {move.error && <Trouble error={move.error} />}
      {rollback.error && <Trouble error={rollback.error} />}
      <Found query={useQuery(versions(app))}>
        {({ versions: found, aliases }) => (
          <>
            <Table
              caption="Versions"
              rows={found}
              rowKey={(one) => one.version}
              empty="None is kept."
              columns={[
                { head: "Version", cell: (one) => <To route={{ page: "files", app, version: String(one.version), path: "" }}>{`Version ${one.version}`}</To> },
                { head: "Aliases", cell: (one) => aliasesOf(aliases, one.version).map((alias) => <Alias key={alias} alias={alias} isBusy={isBusy} drop={() => moveOnce({ alias, version: null })} />) },
                { head: "Deployed", cell: (one) => when(one.createdMs) },
                {
                  head: "Change",
                  quiet: true,
                  kind: "deeds",
                  cell: (one) =>
                    aliases.live !== one.version && (
                      <>
                        <To route={{ ...route, from: aliases.live === undefined ? "" : String(aliases.live), to: String(one.version) }}>compare with live</To>
                        <Button scope="deploy" type="button" className="small" disabled={isBusy} onClick={() => moveOnce({ alias: "live", version: one.version })}>
                          Make version {one.version} live
                        </Button>
                      </>
                    ),
                },
              ]}
            />
            <div className="actions below">
              {found.some((one) => aliases.live !== undefined && one.version < aliases.live) && (
                <Button scope="deploy" type="button" disabled={isBusy} onClick={() => rollbackOnce()}>
                  Roll back live
                </Button>
              )}
              <span role="status" className="quiet" tabIndex={-1}>
                {isBusy && "under way: every frontend is to serve it…"}
                {move.isSuccess && !isBusy && (move.variables.version === null ? `${move.variables.alias} is removed` : `${move.variables.alias} is version ${move.variables.version}`)}
                {rollback.isSuccess && !isBusy && `live is version ${rollback.data.version}`}
              </span>
            </div>
            <Point versions={found.map((one) => one.version)} isBusy={isBusy} onPoint={(alias, version) => moveOnce({ alias, version })} />
            <Compare route={route} versions={found.map((one) => one.version)} />
            <Moves app={app} />
          </>
        )}
      </Found>
      <AsCurl name="roll back" method="POST" url={versionPaths.rollback(app)} command={["rollback", app]} />
      <AsCurl url={versionPaths.versions(app)} command={["versions", app]} />
    </>
  );
}

function Alias({ alias, isBusy, drop }: { readonly alias: string; readonly isBusy: boolean; readonly drop: () => void }) {
  return (
    <span className="alias">
      <span className={alias === "live" ? "badge succeeded" : "badge"}>{alias}</span>
      {alias !== "live" && (
        <Confirm scope="deploy" small label="Remove" title={`Remove alias ${alias}?`} disabled={isBusy} onConfirm={drop}>
          <p>Requests for @{alias} are refused from then on; the version stays.</p>
        </Confirm>
      )}
    </span>
  );
}

function aliasesOf(aliases: Readonly<Record<string, number>>, version: number): readonly string[] {
  return Object.keys(aliases).filter((alias) => aliases[alias] === version);
}
