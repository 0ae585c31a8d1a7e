// Secrets of an application: their names come out, values go in.
import { queryOptions } from "@tanstack/react-query";
import { address, answered, client } from "./client";

const FRESH_MS = 5_000;
const enc = encodeURIComponent;

export const secretPaths = {
  all: (app: string) => address(`api/v1/applications/${enc(app)}/secrets`),
  one: (app: string, name: string) => address(`api/v1/applications/${enc(app)}/secrets/${enc(name)}`),
};

export const secrets = (app: string) =>
  queryOptions({
    queryKey: ["secrets", app],
    queryFn: () => answered(client.GET("/api/v1/applications/{app}/secrets", { params: { path: { app } } })),
    refetchInterval: FRESH_MS,
  });

export const setSecret = (app: string, secret: string, value: string): Promise<unknown> =>
  answered(
    client.PUT("/api/v1/applications/{app}/secrets/{secret}", {
      params: { path: { app, secret } },
      headers: { "Content-Type": "text/plain" },
      body: value,
      bodySerializer: (body: unknown) => String(body),
    }),
  );

export const deleteSecret = (app: string, secret: string): Promise<unknown> =>
  answered(client.DELETE("/api/v1/applications/{app}/secrets/{secret}", { params: { path: { app, secret } } }));
