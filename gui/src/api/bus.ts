// What pages of queues and triggers ask for.
import { queryOptions } from "@tanstack/react-query";
import { lettersOf, peekedOf } from "../model/queue";
import { address, answered, client } from "./client";

const FRESH_MS = 2_000;
const SLOW_MS = 5_000;
const enc = encodeURIComponent;
export const LETTERS = 20;
/** Messages that wait, of those in the queue the first. */
export const PEEKED = 20;
/** The platform counts so many, and takes so many at once. */
export const MOST_LETTERS = 1_000;

const at = (app: string, rest: string): string => address(`api/v1/applications/${enc(app)}/${rest}`);
export const busPaths = {
  queues: (app: string) => at(app, "queues"),
  topics: (app: string) => at(app, "queues?topics=true"),
  queue: (app: string, queue: string, rest = "") => at(app, `queues/${enc(queue)}${rest}`),
  local: (app: string) => at(app, "local-queues"),
  localEvents: (app: string, grain: string) => at(app, `local-queues/${enc(grain)}/events?limit=${PEEKED}`),
  peek: (app: string, queue: string) => at(app, `queues/${enc(queue)}/messages?limit=${PEEKED}`),
  letters: (app: string, queue: string, after: string) => at(app, `queues/${enc(queue)}/dead-letters?${lettersQuery(after)}`),
  allTopics: () => address("api/v1/topics"),
  records: (topic: string, newest: boolean) => address(`api/v1/topics/${enc(topic)}/records?limit=${PEEKED}${newest ? "&newest=true" : ""}`),
  triggers: (app: string) => at(app, "triggers"),
  trigger: (app: string, trigger: string, rest: string) => at(app, `triggers/${enc(trigger)}/${rest}`),
};

function lettersQuery(after: string): URLSearchParams {
  return new URLSearchParams({ limit: String(LETTERS), ...(after && { after }) });
}

export const triggers = (app: string) =>
  queryOptions({
    queryKey: ["triggers", app],
    queryFn: () => answered(client.GET("/api/v1/applications/{app}/triggers", { params: { path: { app } } })),
    refetchInterval: FRESH_MS,
  });

export const queues = (app: string) =>
  queryOptions({
    queryKey: ["queues", app],
    queryFn: () => answered(client.GET("/api/v1/applications/{app}/queues", { params: { path: { app } } })),
    refetchInterval: FRESH_MS,
  });

/** With the application's other topics on the global bus, which takes the platform a little longer. */
export const topics = (app: string) =>
  queryOptions({
    queryKey: ["queues", app, "topics"],
    queryFn: () => answered(client.GET("/api/v1/applications/{app}/queues", { params: { path: { app }, query: { topics: true } } })),
    refetchInterval: SLOW_MS,
  });

/** Those of the whole platform. */
export const allTopics = () =>
  queryOptions({
    queryKey: ["topics"],
    queryFn: () => answered(client.GET("/api/v1/topics")),
    refetchInterval: SLOW_MS,
  });

export const records = (topic: string, newest: boolean) =>
  queryOptions({
    queryKey: ["records", topic, newest],
    queryFn: () => answered(client.GET("/api/v1/topics/{topic}/records", { params: { path: { topic }, query: { limit: PEEKED, newest } } })),
    refetchInterval: FRESH_MS,
  });

export const localQueues = (app: string) =>
  queryOptions({
    queryKey: ["localQueues", app],
    queryFn: () => answered(client.GET("/api/v1/applications/{app}/local-queues", { params: { path: { app } } })),
    refetchInterval: FRESH_MS,
  });

export const localEvents = (app: string, grain: string) =>
  queryOptions({
    queryKey: ["localEvents", app, grain],
    queryFn: () => answered(client.GET("/api/v1/applications/{app}/local-queues/{grain}/events", { params: { path: { app, grain }, query: { limit: PEEKED } } })),
    refetchInterval: FRESH_MS,
    placeholderData: (before) => before,
  });

export const peeked = (app: string, queue: string) =>
  queryOptions({
    queryKey: ["peeked", app, queue],
    queryFn: async () => {
      const params = { path: { app, queue }, query: { limit: PEEKED } };
      const answer: unknown = await answered(client.GET("/api/v1/applications/{app}/queues/{queue}/messages", { params, parseAs: "text" }));
      return peekedOf(String(answer));
    },
    refetchInterval: FRESH_MS,
    placeholderData: (before) => before,
  });

export const letters = (app: string, queue: string, after: string) =>
  queryOptions({
    queryKey: ["letters", app, queue, after],
    queryFn: async () => {
      const params = { path: { app, queue }, query: { limit: LETTERS, ...(after && { after }) } };
      const answer: unknown = await answered(client.GET("/api/v1/applications/{app}/queues/{queue}/dead-letters", { params, parseAs: "text" }));
      return lettersOf(String(answer));
    },
    refetchInterval: FRESH_MS,
    placeholderData: (before) => before,
  });
