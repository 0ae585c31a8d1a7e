// What is in a cloud process: the keys of its state and the messages that nobody has read; one value of either, as text and never as
// anything else. Nothing is taken out by looking, and one that is swapped out stays so.
import { type UseQueryOptions, useQuery } from "@tanstack/react-query";
import { type Held, insidePaths, mailboxOf, message, stateOf, stateValue } from "../../api/inside";
import type { Schemas } from "../../api/client";
import { textOf } from "../../model/data";
import { type Entry, type Unread, invokes } from "../../model/process";
import type { Route } from "../../model/route";
import { bytes, many } from "../../model/show";
import { Found, Section, To, Trouble, Value } from "../../parts/bits";
import { AsCurl } from "../../parts/copy";
import { Download } from "../../parts/Download";
import { type Column, Table } from "../../parts/Table";

type Shown = Extract<Route, { page: "process" }>;

export function State({ route }: { readonly route: Shown }) {
  const { after = "", key } = route;
  return (
    <Section title="State">
      <Found query={useQuery(stateOf(route, after))}>
        {(found) => (
          <>
            <Table caption="Keys of its state" rows={found.state} rowKey={(one) => one.key} columns={entries(route)} empty={<p>It has none. Functions write it with <code>context.process.state(key, value)</code>.</p>} />
            <Pages first={after === "" ? null : { ...without(route, "after") }} next={found.next === null ? null : { ...route, after: found.next }} />
          </>
        )}
      </Found>
      {key !== undefined && <One name={key} label={`the value of ${key}`} query={stateValue(route, key)} url={insidePaths.value(route, key)} close={without(route, "key")} />}
      <AsCurl name="state" url={insidePaths.state(route, after)} />
    </Section>
  );
}

function entries(route: Shown): readonly Column<Entry>[] {
  return [
    { head: "Key", cell: (one) => <To route={{ ...route, key: one.key }}>{one.key}</To> },
    { head: "Size", kind: "number", cell: (one) => bytes(one.bytes) },
    { head: "Type", cell: (one) => one.contentType },
    { head: "Where", cell: (one) => (one.inMemory ? "in memory" : "in the global data layer") },
  ];
}

export function Mailbox({ route, found }: { readonly route: Shown; readonly found: Schemas["Process"] }) {
  const { from = "", message: open } = route;
  return (
    <Section title="Mailbox" aside={<span className="quiet">{many(found.unread ?? 0, "message")}, {bytes(found.mailboxBytes ?? 0)}</span>}>
      <Found query={useQuery(mailboxOf(route, from))}>
        {(page) => (
          <>
            <Table caption="Unread messages" rows={page.messages} rowKey={(one) => one.number} columns={messages(route)} empty={<p>There is no message that nobody has read.</p>} />
            <Pages first={from === "" ? null : without(route, "from")} next={page.next === null ? null : { ...route, from: page.next }} />
          </>
        )}
      </Found>
      {open !== undefined && <One name={`Message ${open}`} label={`message ${open}`} query={message(route, open)} url={insidePaths.message(route, open)} close={without(route, "message")} />}
      <AsCurl name="mailbox" url={insidePaths.mailbox(route, from)} />
    </Section>
  );
}

function messages(route: Shown): readonly Column<Unread>[] {
  return [
    { head: "Message", cell: (one) => <To route={{ ...route, message: String(one.number) }}>{String(one.number)}</To> },
    { head: "From", cell: (one) => (one.source === route.id ? "itself" : <To route={{ page: "process", app: route.app, id: one.source }}>{one.source}</To>) },
    { head: "Key", cell: (one) => one.key },
    { head: "Size", kind: "number", cell: (one) => bytes(one.bytes) },
    { head: "Type", cell: (one) => one.contentType },
    { head: "What becomes of it", cell: (one) => (one.received ? "a function that runs has it" : (invokes(one.key) ?? "waits to be received")) },
  ];
}

function without(route: Shown, name: "key" | "after" | "message" | "from"): Shown {
  const { [name]: _, ...rest } = route;
  return rest;
}

function Pages({ first, next }: { readonly first: Shown | null; readonly next: Shown | null }) {
  return (
    <p className="pages">
      {first && <To route={first}>First page</To>}
      {next && <To route={next}>Next page</To>}
    </p>
  );
}

interface OneProps<K extends readonly unknown[]> {
  readonly name: string;
  readonly label: string;
  readonly query: UseQueryOptions<Held, Error, Held, K>;
  readonly url: string;
  readonly close: Shown;
}

function One<K extends readonly unknown[]>({ name, label, query, url, close }: OneProps<K>) {
  const { data, error, isPending } = useQuery(query);
  const found = data && textOf({ ...data, size: data.bytes.length });
  return (
    <article className="letter" aria-label={name}>
      <div className="heading">
        <h3>{name}</h3>
        <To route={close}>Close</To>
      </div>
      {error && <Trouble error={error} />}
      {isPending && <p role="status">Loading…</p>}
      {data && found && !error && (
        <>
          {"text" in found ? <Value text={found.text} label={label} as={data.contentType.startsWith("application/json") ? "value" : "written"} /> : <p>{found.instead}</p>}
          <p>
            {bytes(data.bytes.length)} of {data.contentType}. <Download url={url} name="value" />
          </p>
        </>
      )}
    </article>
  );
}
