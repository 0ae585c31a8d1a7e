// Who did what to an application's aliases and triggers, as the management keeps it for whoever may read.
import { queryOptions } from "@tanstack/react-query";
import { address, answered, client } from "./client";

const FRESH_MS = 5_000;

export const notesPath = (app: string, which: "moves" | "armings") => address(`api/v1/applications/${encodeURIComponent(app)}/${which}`);

export const moves = (app: string) =>
  queryOptions({
    queryKey: ["moves", app],
    queryFn: () => answered(client.GET("/api/v1/applications/{app}/moves", { params: { path: { app } } })),
    refetchInterval: FRESH_MS,
    retry: false,
  });

export const armings = (app: string) =>
  queryOptions({
    queryKey: ["armings", app],
    queryFn: () => answered(client.GET("/api/v1/applications/{app}/armings", { params: { path: { app } } })),
    refetchInterval: FRESH_MS,
    retry: false,
  });
