// The first events that wait for an instance of a grain: what they say, as text and never as anything else. They stay where they are.
import { useQuery } from "@tanstack/react-query";
import { busPaths, localEvents } from "../api/bus";
import { type QueuedEvent, previewOf, silentText } from "../model/localQueue";
import type { Route } from "../model/route";
import { ago, bytes, when } from "../model/show";
import { Facts, Found, Title, To, Value } from "../parts/bits";
import { AsCurl } from "../parts/copy";
import { Empty } from "../parts/Table";

export function LocalQueue({ route: { app, name } }: { readonly route: Extract<Route, { page: "localQueue" }> }) {
  return (
    <>
      <Title trail={<To route={{ page: "bus", app }}>Queues</To>}>{`Events that wait for ${name}`}</Title>
      <Found query={useQuery(localEvents(app, name))}>
        {({ events, more, silent }) => (
          <>
            {silentText(silent) !== null && <p role="status">{silentText(silent)}</p>}
            {events.length === 0 && (
              <Empty>
                <p>None waits. An event is here when every instance that may run has another one.</p>
              </Empty>
            )}
            {events.map((event) => (
              <One key={`${event.host ?? ""} ${event.eventId} ${event.attempt}`} app={app} event={event} />
            ))}
            {more && <p className="quiet">There are more: these are the first {events.length}.</p>}
          </>
        )}
      </Found>
      <AsCurl name="waiting events" url={busPaths.localEvents(app, name)} command={["queues", "peek", app, name, "--local"]} />
    </>
  );
}

function One({ app, event }: { readonly app: string; readonly event: QueuedEvent }) {
  const found = previewOf(event);
  return (
    <article className="letter" aria-label={`Event ${event.eventId}`}>
      <Facts
        facts={[
          ["Execution", <To route={{ page: "execution", app, id: event.executionId }}>{event.executionId}</To>],
          ["Event", <span className="id">{event.eventId}</span>],
          ["Came", `${when(event.queuedMs)}, ${ago(event.queuedMs, Date.now())}`],
          ["Attempt", String(event.attempt)],
          ["Version", String(event.version)],
          ["Host", event.host ?? null],
          ["Size", `${bytes(event.bytes)} of ${event.contentType}`],
        ]}
      />
      {"text" in found ? (
        <>
          <Value text={found.text} label={`the input of ${event.eventId}`} as={found.isCut ? "written" : "value"} />
          {found.isCut && <p className="quiet">Only the beginning is shown: its grain gets all of it.</p>}
        </>
      ) : (
        <p className="quiet">{found.instead}</p>
      )}
    </article>
  );
}
