// Events that grains and workflows are tested with, by name.
import { queryOptions } from "@tanstack/react-query";
import type { KeptEvent } from "../model/savedEvent";
import { Refusal, address, answered, client } from "./client";

const FRESH_MS = 5_000;
const OF_GRAIN = "/api/v1/applications/{app}/grains/{grain}/events/{event}";
const OF_WORKFLOW = "/api/v1/applications/{app}/workflows/{workflow}/events/{event}";
const enc = encodeURIComponent;

/** Whose events they are. */
export interface Target {
  readonly app: string;
  readonly kind: "grain" | "workflow";
  readonly name: string;
}

export const eventPath = ({ app, kind, name }: Target, event: string): string => address(`api/v1/applications/${enc(app)}/${kind}s/${enc(name)}/events/${enc(event)}`);

export const savedEvents = ({ app, kind, name }: Target) =>
  queryOptions({
    queryKey: ["saved-events", app, name],
    queryFn: () =>
      answered(
        kind === "grain"
          ? client.GET("/api/v1/applications/{app}/grains/{grain}/events", { params: { path: { app, grain: name } } })
          : client.GET("/api/v1/applications/{app}/workflows/{workflow}/events", { params: { path: { app, workflow: name } } }),
      ),
    refetchInterval: FRESH_MS,
  });

/** Nothing is kept under that name any more. */
const GONE: KeptEvent = { tag: null, text: "" };

export const savedEvent = ({ app, kind, name }: Target, event: string) =>
  queryOptions({
    queryKey: ["saved-event", app, name, event],
    queryFn: async (): Promise<KeptEvent> => {
      const asked =
        kind === "grain"
          ? await client.GET(OF_GRAIN, { params: { path: { app, grain: name, event } }, parseAs: "text" })
          : await client.GET(OF_WORKFLOW, { params: { path: { app, workflow: name, event } }, parseAs: "text" });
      try {
        return { tag: asked.response.headers.get("ETag"), text: String(await answered(Promise.resolve(asked))) };
      } catch (error) {
        if (error instanceof Refusal && error.problem?.type.endsWith("/unknown-event")) return GONE;
        throw error;
      }
    },
    enabled: event !== "",
    refetchInterval: FRESH_MS,
  });

export const expecting = (tag: string | null): Readonly<Record<string, string>> => (tag === null ? { "If-None-Match": "*" } : { "If-Match": tag });

/** @param tag the version that is replaced; null: none was saved. @return its version */
export async function saveEvent({ app, kind, name }: Target, event: string, text: string, tag: string | null): Promise<string | null> {
  const how = {
    headers: { "Content-Type": "application/json" },
    // As it was typed: a number may have more digits than JavaScript keeps.
    body: text,
    bodySerializer: (body: unknown) => String(body),
  };
  const header = expecting(tag);
  const asked =
    kind === "grain"
      ? await client.PUT(OF_GRAIN, { params: { path: { app, grain: name, event }, header }, ...how })
      : await client.PUT(OF_WORKFLOW, { params: { path: { app, workflow: name, event }, header }, ...how });
  await answered(Promise.resolve(asked));
  return asked.response.headers.get("ETag");
}

export const deleteEvent = ({ app, kind, name }: Target, event: string, tag: string) => {
  const header = { "If-Match": tag };
  return answered(
    kind === "grain"
      ? client.DELETE(OF_GRAIN, { params: { path: { app, grain: name, event }, header } })
      : client.DELETE(OF_WORKFLOW, { params: { path: { app, workflow: name, event }, header } }),
  );
};
