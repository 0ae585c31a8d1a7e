// What an application's grains share, key by key.
import { queryOptions } from "@tanstack/react-query";
import { MOST_EDITED, type StoredValue } from "../model/data";
import { MOST_SHOWN } from "./largeValue";
import { Refusal, address, answered, client } from "./client";

const FRESH_MS = 5_000;
export const KEYS = 100;
const enc = encodeURIComponent;

function keysQuery(prefix: string, after: string): URLSearchParams {
  return new URLSearchParams({ ...(prefix && { prefix }), ...(after && { after }), limit: String(KEYS) });
}

export const dataPaths = {
  keys: (app: string, prefix: string, after: string) => address(`api/v1/applications/${enc(app)}/data?${keysQuery(prefix, after)}`),
  value: (app: string, key: string) => address(`api/v1/applications/${enc(app)}/data/value?${new URLSearchParams({ key, most: String(MOST_SHOWN) })}`),
};

export const dataKeys = (app: string, prefix: string, after: string) =>
  queryOptions({
    queryKey: ["data", app, prefix, after],
    queryFn: () =>
      answered(
        client.GET("/api/v1/applications/{app}/data", {
          params: { path: { app }, query: { limit: KEYS, ...(prefix && { prefix }), ...(after && { after }) } },
        }),
      ),
    refetchInterval: FRESH_MS,
    placeholderData: (before) => before,
  });

const AT = "/api/v1/applications/{app}/data/value";

/** Asked for once: what is typed into it is not to change under somebody's hands. */
export const dataValue = (app: string, key: string) =>
  queryOptions({
    queryKey: ["value", app, key],
    queryFn: async (): Promise<StoredValue> => {
      const asked = await client.GET(AT, { params: { path: { app }, query: { key, most: MOST_EDITED } }, parseAs: "arrayBuffer" });
      const version = asked.response.headers.get("ETag") ?? "";
      if (asked.response.status === 413 && asked.error?.actual !== undefined) {
        return { version, contentType: asked.error.contentType ?? "", size: asked.error.actual, bytes: null };
      }
      const body = (await answered(Promise.resolve(asked))) as ArrayBuffer | undefined;
      const bytes = new Uint8Array(body ?? new ArrayBuffer(0));
      return { version, contentType: asked.response.headers.get("Content-Type") ?? "", size: bytes.length, bytes };
    },
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
  });

interface Put {
  readonly app: string;
  readonly key: string;
  readonly text: string;
  readonly contentType: string;
  /** The ETag that is replaced; null: there is none. */
  readonly expected: string | null;
}

/** @return as it is stored now */
export async function putValue({ app, key, text, contentType, expected }: Put): Promise<StoredValue> {
  const asked = await client.PUT(AT, {
    params: { path: { app }, query: { key }, header: expected === null ? { "If-None-Match": "*" } : { "If-Match": expected } },
    headers: { "Content-Type": contentType },
    body: text,
    bodySerializer: (body: unknown) => String(body),
  });
  await answered(Promise.resolve(asked));
  const bytes = new TextEncoder().encode(text);
  return { version: asked.response.headers.get("ETag") ?? "", contentType, size: bytes.length, bytes };
}

export const deleteValue = (app: string, key: string, expected: string) =>
  answered(client.DELETE(AT, { params: { path: { app }, query: { key }, header: { "If-Match": expected } } }));

export function isConflict(error: unknown): boolean {
  return error instanceof Refusal && error.status === 412;
}
