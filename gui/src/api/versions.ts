// What pages of versions and their files ask for.
import { queryOptions } from "@tanstack/react-query";
import { address, answered, client } from "./client";

const enc = encodeURIComponent;
/** Largest file whose text the page fetches. */
export const MOST_SHOWN_BYTES = 1 << 20;

export const versionPaths = {
  versions: (app: string) => address(`api/v1/applications/${enc(app)}/versions`),
  alias: (app: string, alias: string) => address(`api/v1/applications/${enc(app)}/aliases/${enc(alias)}`),
  rollback: (app: string) => address(`api/v1/applications/${enc(app)}/rollback`),
  files: (app: string, version: string) => address(`api/v1/applications/${enc(app)}/versions/${enc(version)}/files`),
  file: (app: string, version: string, path: string) => address(`api/v1/applications/${enc(app)}/versions/${enc(version)}/file?${new URLSearchParams({ path })}`),
  diff: (app: string, from: string, to: string) => address(`api/v1/applications/${enc(app)}/versions/${enc(from)}/diff?${new URLSearchParams({ to })}`),
};

/** A version's files never change; an alias is another version tomorrow. */
const lasts = (version: string): number => (/^\d+$/.test(version) ? Number.POSITIVE_INFINITY : 0);

export const files = (app: string, version: string) =>
  queryOptions({
    queryKey: ["files", app, version],
    queryFn: () => answered(client.GET("/api/v1/applications/{app}/versions/{version}/files", { params: { path: { app, version } } })),
    staleTime: lasts(version),
  });

/** Its text; null: it is none. */
export const file = (app: string, version: string, path: string) =>
  queryOptions({
    queryKey: ["file", app, version, path],
    queryFn: async () => {
      const params = { path: { app, version }, query: { path } };
      const content: unknown = await answered(client.GET("/api/v1/applications/{app}/versions/{version}/file", { params, parseAs: "arrayBuffer" }));
      return content instanceof ArrayBuffer ? textOf(content) : "";
    },
    staleTime: lasts(version),
  });

/** Files that are looked into for a definition. */
const MOST_LOOKED_INTO = 50;

/** The file that a workflow's definition is; null: none of the first is. What it is called may stand in sand.yaml alone. */
export const workflowFile = (app: string, version: number, workflow: string, definition: string) =>
  queryOptions({
    queryKey: ["workflowFile", app, version, workflow],
    queryFn: async ({ client: cache }) => {
      const { files: found } = await cache.fetchQuery(files(app, String(version)));
      const likely = `workflows/${workflow}.asl.json`;
      const paths = found.map((one) => one.path).filter((path) => path.endsWith(".json"));
      const ordered = [...paths.filter((path) => path === likely), ...paths.filter((path) => path !== likely)];
      for (const path of ordered.slice(0, MOST_LOOKED_INTO)) {
        if ((await cache.fetchQuery(file(app, String(version), path))) === definition) return path;
      }
      return null;
    },
    staleTime: Number.POSITIVE_INFINITY,
  });

export const diff = (app: string, from: string, to: string) =>
  queryOptions({
    queryKey: ["diff", app, from, to],
    queryFn: () => answered(client.GET("/api/v1/applications/{app}/versions/{version}/diff", { params: { path: { app, version: from }, query: { to } } })),
    staleTime: Math.min(lasts(from), lasts(to)),
  });

function textOf(content: ArrayBuffer): string | null {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(content);
    return text.includes("\0") ? null : text;
  } catch {
    return null;
  }
}
