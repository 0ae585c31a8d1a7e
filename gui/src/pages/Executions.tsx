// An application's executions, newest first, however many there are: the list goes on as it is scrolled.
import { useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useMemo, useRef } from "react";
import { STATUSES, application, invocations, invocationsQuery, paths } from "../api/queries";
import { type Schemas, isGone } from "../api/client";
import type { Route } from "../model/route";
import { options } from "../model/command";
import { duration, many, visibleName, when } from "../model/show";
import { Found, StatusBadge, Title, To } from "../parts/bits";
import { Choice } from "../parts/Choice";
import { AsCurl } from "../parts/copy";
import { go } from "../parts/router";
import { LongTable } from "../parts/LongTable";
import { type Column, Empty } from "../parts/Table";

type Listed = Extract<Route, { page: "executions" }>;
type Row = Schemas["Invocation"];

export function Executions({ route }: { readonly route: Listed }) {
  const { app } = route;
  const cache = useQueryClient();
  const box = useRef<HTMLDivElement>(null);
  const asked = invocations(app, route);
  const query = useInfiniteQuery(asked);
  const { fetchNextPage, hasNextPage, isFetchingNextPage, isFetchNextPageError, isPlaceholderData } = query;
  const rows = useMemo(() => query.data?.pages.flatMap((page) => page.invocations) ?? [], [query.data]);
  const shown = useMemo(() => columns(app), [app]);
  const more = useCallback(() => {
    if (!isFetchingNextPage && !isPlaceholderData) void fetchNextPage();
  }, [fetchNextPage, isFetchingNextPage, isPlaceholderData]);
  function newest(): void {
    // At the end of a short list the next page would be asked for at once.
    box.current?.scrollTo({ top: 0 });
    void cache.resetQueries({ queryKey: asked.queryKey, exact: true });
  }
  const described = useQuery(application(app));
  const targets = [...Object.keys(described.data?.workflows ?? {}), ...Object.keys(described.data?.grains ?? {})];
  const isFiltered = route.status !== "" || route.target !== "" || route.before !== "";
  return (
    <>
      <Title>Executions</Title>
      {!isGone(query.error) && (
        <form className="filters" onSubmit={(event) => event.preventDefault()}>
          <Choice label="Status" value={route.status} options={STATUSES} shown={shownStatus} onChoose={(status) => go({ ...route, status, before: "" })} />
          <Choice label="Target" value={route.target} options={targets} onChoose={(target) => go({ ...route, target, before: "" })} />
          {isFiltered && <To route={{ ...route, status: "", target: "", before: "" }}>All of them</To>}
        </form>
      )}
      <Found query={query}>
        {(found) =>
          rows.length === 0 && !hasNextPage ? (
            <Empty>
              {isFiltered ? <p>There is none of that kind.</p> : <p>There is none yet. Run a workflow or a grain: its page has a form for it, and the request as a command.</p>}
            </Empty>
          ) : (
            <>
              <LongTable
                key={asked.queryKey.join(" ")}
                name={asked.queryKey.join(" ")}
                box={box}
                caption="Executions"
                rows={rows}
                rowKey={(one) => one.executionId}
                columns={shown}
                hasMore={hasNextPage}
                isStuck={isFetchNextPageError}
                onMore={more}
              />
              <p className="pages">
                <span role="status">
                  {many(rows.length, "execution")}
                  {hasNextPage ? " so far" : ""}
                  {isFetchingNextPage && ", loading more…"}
                </span>
                {isFetchNextPageError && (
                  <button type="button" className="small" aria-disabled={isFetchingNextPage} onClick={more}>
                    Try again
                  </button>
                )}
                {route.before ? (
                  <To route={{ ...route, before: "" }}>Newest</To>
                ) : (
                  found.pages.length > 1 && (
                    <button type="button" className="small" onClick={newest}>
                      From the newest again
                    </button>
                  )
                )}
              </p>
            </>
          )
        }
      </Found>
      <AsCurl url={paths.invocations(app, invocationsQuery(route))} command={["invocations", "list", app, ...options(Object.fromEntries(invocationsQuery(route)))]} />
    </>
  );
}

function shownStatus(status: string): string {
  return status.toLowerCase().replaceAll("_", " ");
}

function columns(app: string): readonly Column<Row>[] {
  return [
    {
      head: "Execution",
      cell: (one) => (
        <To className="id" route={{ page: "execution", app, id: one.executionId }}>
          {one.executionId}
        </To>
      ),
    },
    { head: "Status", cell: (one) => <StatusBadge status={one.status} /> },
    { head: "Target", cell: (one) => one.target },
    { head: "Version", kind: "number", cell: (one) => one.version },
    { head: "Started", cell: (one) => when(one.startedMs) },
    { head: "Took", kind: "number", cell: (one) => (one.endedMs === null ? "–" : duration(one.endedMs - one.startedMs)) },
    { head: "Error", cell: (one) => <span className="fault">{visibleName(one.failure?.error ?? "")}</span> },
  ];
}
