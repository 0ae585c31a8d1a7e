// Events that grains are tested with, by name.
import { queryOptions } from "@tanstack/react-query";
import type { KeptEvent } from "../model/savedEvent";
import { Refusal, address, answered, client } from "./client";

const FRESH_MS = 5_000;
const AT = "/api/v1/applications/{app}/grains/{grain}/events/{event}";
const enc = encodeURIComponent;

export const eventPath = (app: string, grain: string, name: string): string => address(`api/v1/applications/${enc(app)}/grains/${enc(grain)}/events/${enc(name)}`);

export const savedEvents = (app: string, grain: string) =>
  queryOptions({
    queryKey: ["saved-events", app, grain],
    queryFn: () => answered(client.GET("/api/v1/applications/{app}/grains/{grain}/events", { params: { path: { app, grain } } })),
    refetchInterval: FRESH_MS,
  });

/** Nothing is kept under that name any more. */
const GONE: KeptEvent = { tag: null, text: "" };

export const savedEvent = (app: string, grain: string, name: string) =>
  queryOptions({
    queryKey: ["saved-event", app, grain, name],
    queryFn: async (): Promise<KeptEvent> => {
      const asked = await client.GET(AT, { params: { path: { app, grain, event: name } }, parseAs: "text" });
      try {
        return { tag: asked.response.headers.get("ETag"), text: String(await answered(Promise.resolve(asked))) };
      } catch (error) {
        if (error instanceof Refusal && error.problem?.type.endsWith("/unknown-event")) return GONE;
        throw error;
      }
    },
    enabled: name !== "",
    refetchInterval: FRESH_MS,
  });

interface Save {
  readonly app: string;
  readonly grain: string;
  readonly name: string;
  readonly text: string;
  /** The version that is replaced; null: none was saved. */
  readonly tag: string | null;
}

export const expecting = (tag: string | null): Readonly<Record<string, string>> => (tag === null ? { "If-None-Match": "*" } : { "If-Match": tag });

/** @return its version */
export async function saveEvent({ app, grain, name, text, tag }: Save): Promise<string | null> {
  const asked = await client.PUT(AT, {
    params: { path: { app, grain, event: name }, header: expecting(tag) },
    headers: { "Content-Type": "application/json" },
    // As it was typed: a number may have more digits than JavaScript keeps.
    body: text,
    bodySerializer: (body: unknown) => String(body),
  });
  await answered(Promise.resolve(asked));
  return asked.response.headers.get("ETag");
}

export const deleteEvent = (app: string, grain: string, name: string, tag: string) =>
  answered(client.DELETE(AT, { params: { path: { app, grain, event: name }, header: { "If-Match": tag } } }));
