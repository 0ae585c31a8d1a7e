// What pages of hosts and processes ask for.
import { queryOptions } from "@tanstack/react-query";
import type { Process } from "../model/process";
import { answered, client } from "./client";

const FRESH_MS = 2_000;
const PAGE = 100;

export const PROCESS_STATUSES: readonly Process["status"][] = ["active", "idle", "swapped"];

export const status = () =>
  queryOptions({
    queryKey: ["status"],
    queryFn: () => answered(client.GET("/api/v1/status")),
    refetchInterval: FRESH_MS,
  });

export interface AskedProcesses {
  readonly status: string;
  readonly after: string;
}

export function processesQuery({ status: wanted, after }: AskedProcesses): URLSearchParams {
  return new URLSearchParams({ limit: String(PAGE), ...(wanted && { status: wanted }), ...(after && { after }) });
}

export const processes = (app: string, { status: wanted, after }: AskedProcesses) =>
  queryOptions({
    queryKey: ["processes", app, wanted, after],
    queryFn: () =>
      answered(
        client.GET("/api/v1/applications/{app}/processes", {
          params: { path: { app }, query: { limit: PAGE, ...(wanted && { status: wanted as Process["status"] }), ...(after && { after }) } },
        }),
      ),
    refetchInterval: FRESH_MS,
    placeholderData: (before) => before,
  });

export const process = (app: string, id: string) =>
  queryOptions({
    queryKey: ["process", app, id],
    queryFn: () => answered(client.GET("/api/v1/applications/{app}/processes/{process}", { params: { path: { app, process: id } } })),
    refetchInterval: FRESH_MS,
  });

export const processMetrics = (app: string, id: string) =>
  queryOptions({
    queryKey: ["processMetrics", app, id],
    queryFn: () => answered(client.GET("/api/v1/applications/{app}/processes/{process}/metrics", { params: { path: { app, process: id } } })),
    refetchInterval: FRESH_MS,
  });
