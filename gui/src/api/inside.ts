// What is in a cloud process: its state and its mailbox, page by page and value by value.
import { queryOptions } from "@tanstack/react-query";
import { answered, client } from "./client";
import { paths } from "./queries";

const FRESH_MS = 2_000;
const ENTRIES = 100;
const AT = "/api/v1/applications/{app}/processes/{process}";

interface Of {
  readonly app: string;
  readonly id: string;
}

const query = (after: string): URLSearchParams => new URLSearchParams({ limit: String(ENTRIES), ...(after && { after }) });

export const insidePaths = {
  state: ({ app, id }: Of, after: string) => paths.process(app, id, `/state?${query(after)}`),
  value: ({ app, id }: Of, key: string) => paths.process(app, id, `/state/value?${new URLSearchParams({ key })}`),
  mailbox: ({ app, id }: Of, after: string) => paths.process(app, id, `/mailbox?${query(after)}`),
  message: ({ app, id }: Of, number: string) => paths.process(app, id, `/mailbox/${encodeURIComponent(number)}`),
};

export const stateOf = ({ app, id }: Of, after: string) =>
  queryOptions({
    queryKey: ["processState", app, id, after],
    queryFn: () => answered(client.GET(`${AT}/state`, { params: { path: { app, process: id }, query: { limit: ENTRIES, ...(after && { after }) } } })),
    refetchInterval: FRESH_MS,
    placeholderData: (before) => before,
  });

export const mailboxOf = ({ app, id }: Of, after: string) =>
  queryOptions({
    queryKey: ["processMailbox", app, id, after],
    queryFn: () => answered(client.GET(`${AT}/mailbox`, { params: { path: { app, process: id }, query: { limit: ENTRIES, ...(after && { after }) } } })),
    refetchInterval: FRESH_MS,
    placeholderData: (before) => before,
  });

export interface Held {
  readonly contentType: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

async function held(asking: Promise<{ readonly data?: unknown; readonly error?: unknown; readonly response: Response }>): Promise<Held> {
  const asked = await asking;
  const body = (await answered(Promise.resolve(asked))) as ArrayBuffer | undefined;
  return { contentType: asked.response.headers.get("Content-Type") ?? "", bytes: new Uint8Array(body ?? new ArrayBuffer(0)) };
}

/** As it is now: functions write it anew while somebody looks. */
export const stateValue = ({ app, id }: Of, key: string) =>
  queryOptions({
    queryKey: ["processState", app, id, "value", key],
    queryFn: () => held(client.GET(`${AT}/state/value`, { params: { path: { app, process: id }, query: { key } }, parseAs: "arrayBuffer" })),
    refetchInterval: FRESH_MS,
    retry: false,
  });

/** A message never changes. */
export const message = ({ app, id }: Of, number: string) =>
  queryOptions({
    queryKey: ["processMailbox", app, id, "message", number],
    queryFn: () => held(client.GET(`${AT}/mailbox/{number}`, { params: { path: { app, process: id, number } }, parseAs: "arrayBuffer" })),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
