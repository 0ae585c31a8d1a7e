// What pages ask for, each with the address that "as curl" shows.
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { grows } from "../model/history";
import { isYoung } from "../model/executionId";
import { Refusal, type Schemas, address, answered, client, isToBeAskedAgain } from "./client";
import { readHistory } from "./history";

const FRESH_MS = 5_000;
const RUNNING_MS = 1_000;
const GROWING_MS = 250;
/** Of an execution that was asked for so lately the record may be on its way, and is waited for, as often as this. */
const YOUNG_MS = 60_000;
const RECORD_TRIES = 10;
export const PAGE = 50;
const NEXT_PAGE = 1_000;

export type Status = "RUNNING" | "SUCCEEDED" | "FAILED" | "TIMED_OUT" | "CANCELLED";
export const STATUSES: readonly Status[] = ["RUNNING", "SUCCEEDED", "FAILED", "TIMED_OUT", "CANCELLED"];

const enc = encodeURIComponent;
const asked = (query: URLSearchParams): string => (query.size === 0 ? "" : `?${query}`);
export const paths = {
  applications: () => address("api/v1/applications"),
  application: (app: string) => address(`api/v1/applications/${enc(app)}`),
  invocations: (app: string, query: URLSearchParams) => address(`api/v1/applications/${enc(app)}/invocations?${query}`),
  invocation: (app: string, id: string, rest = "") => address(`api/v1/applications/${enc(app)}/invocations/${enc(id)}${rest}`),
  invoke: (app: string, target: string) => address(`invoke/${enc(app)}/${enc(target)}`),
  testState: () => address("api/v1/asl/test-state"),
  status: () => address("api/v1/status"),
  host: (host: string, deed: string) => address(`api/v1/hosts/${enc(host)}/${deed}`),
  processes: (app: string, query = new URLSearchParams()) => address(`api/v1/applications/${enc(app)}/processes${asked(query)}`),
  process: (app: string, id: string, rest = "") => address(`api/v1/applications/${enc(app)}/processes/${enc(id)}${rest}`),
  logs: (app: string) => address(`api/v1/applications/${enc(app)}/logs`),
};

export const applications = () =>
  queryOptions({
    queryKey: ["applications"],
    queryFn: () => answered(client.GET("/api/v1/applications")),
    refetchInterval: FRESH_MS,
  });

export const application = (app: string) =>
  queryOptions({
    queryKey: ["application", app],
    queryFn: () => answered(client.GET("/api/v1/applications/{app}", { params: { path: { app } } })),
    refetchInterval: FRESH_MS,
  });

export const deleteApplication = (app: string): Promise<unknown> => answered(client.DELETE("/api/v1/applications/{app}", { params: { path: { app } } }));

/** A version never changes. */
export const version = (app: string, number: number) =>
  queryOptions({
    queryKey: ["version", app, number],
    queryFn: () => answered(client.GET("/api/v1/applications/{app}/versions/{version}", { params: { path: { app, version: String(number) } } })),
    staleTime: Number.POSITIVE_INFINITY,
  });

export const versions = (app: string) =>
  queryOptions({
    queryKey: ["versions", app],
    queryFn: () => answered(client.GET("/api/v1/applications/{app}/versions", { params: { path: { app } } })),
    refetchInterval: FRESH_MS,
  });

export interface Asked {
  readonly status: string;
  readonly target: string;
  readonly before: string;
}

export function invocationsQuery(asked: Asked): URLSearchParams {
  const query = new URLSearchParams({ limit: String(PAGE) });
  for (const name of ["status", "target", "before"] as const) if (asked[name]) query.set(name, asked[name]);
  return query;
}

/** One page, and nobody has asked for the next. */
function isShort({ state }: { readonly state: { readonly data?: { readonly pages: readonly unknown[] } | undefined; readonly fetchMeta: { readonly fetchMore?: unknown } | null } }): boolean {
  return (state.data?.pages.length ?? 1) === 1 && !state.fetchMeta?.fetchMore;
}

/** Page behind page: a short one first, which is asked for again as long as it is the only one. */
export const invocations = (app: string, asked: Asked) =>
  infiniteQueryOptions({
    queryKey: ["invocations", app, asked.status, asked.target, asked.before],
    queryFn: ({ pageParam: before }) =>
      answered(
        client.GET("/api/v1/applications/{app}/invocations", {
          params: {
            path: { app },
            query: {
              limit: before === asked.before ? PAGE : NEXT_PAGE,
              ...(asked.status && { status: asked.status as Status }),
              ...(asked.target && { target: asked.target }),
              ...(before && { before }),
            },
          },
        }),
      ),
    initialPageParam: asked.before,
    getNextPageParam: (last) => last.next,
    refetchInterval: (query) => (isShort(query) ? 2_000 : false),
    refetchOnWindowFocus: isShort,
    refetchOnMount: isShort,
    staleTime: 2_000,
    placeholderData: (before) => before,
  });

export const invocation = (app: string, id: string) =>
  queryOptions({
    queryKey: ["invocation", app, id],
    queryFn: () => answered(client.GET("/api/v1/applications/{app}/invocations/{id}", { params: { path: { app, id } } })),
    retry: (times, error) => isToBeAskedAgain(times, error) || (times < RECORD_TRIES && error instanceof Refusal && error.status === 404 && isYoung(id, Date.now(), YOUNG_MS)),
    retryDelay: RUNNING_MS,
    refetchInterval: (query) => (query.state.data?.status === "RUNNING" ? RUNNING_MS : false),
  });

/** Keys tell what was seen while it ran from what there is at its end, which is asked for once more. */
export const timeline = (app: string, id: string, running: boolean) =>
  queryOptions({
    queryKey: ["timeline", app, id, running],
    queryFn: () => answered(client.GET("/api/v1/applications/{app}/invocations/{id}/timeline", { params: { path: { app, id } } })),
    refetchInterval: running ? RUNNING_MS : false,
    placeholderData: (before, asked) => (asked?.queryKey[2] === id ? before : undefined),
  });

/** A key of its own for each end and redrive: a history only grows between these. States without a grain send no event of their own. */
export const history = (app: string, id: string, status: Status, redrives: number) =>
  queryOptions({
    queryKey: ["history", app, id, status, redrives],
    queryFn: ({ client: cache, queryKey }) => readHistory(app, id, cache.getQueryData(queryKey)),
    refetchInterval: (query) => (status !== "RUNNING" ? false : grows(query.state.data?.events, Date.now()) ? GROWING_MS : RUNNING_MS),
    placeholderData: (before) => before,
  });

/** Longest input that a record keeps. */
export const MOST_INPUT = 64 * 1024;

export const input = (app: string, id: string) =>
  queryOptions({
    queryKey: ["input", app, id],
    queryFn: () =>
      answered(client.GET("/api/v1/applications/{app}/invocations/{id}/input", { params: { path: { app, id } }, parseAs: "text" })).then((body) => (typeof body === "string" ? body : "")),
    staleTime: Number.POSITIVE_INFINITY,
  });

export const output = (app: string, invocation: Schemas["Invocation"]) =>
  queryOptions({
    queryKey: ["output", app, invocation.executionId, invocation.redriveCount],
    queryFn: () =>
      answered(
        client.GET("/api/v1/applications/{app}/invocations/{id}/output", {
          params: { path: { app, id: invocation.executionId } },
          parseAs: "text",
        }),
        // An empty body is no data to the client.
      ).then((body) => (typeof body === "string" ? body : "")),
    staleTime: Number.POSITIVE_INFINITY,
  });
