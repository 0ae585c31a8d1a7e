// The first messages of a queue that are not worked off: what they say, as text and never as anything else. They stay where they are.
import { useQuery } from "@tanstack/react-query";
import { PEEKED, busPaths, peeked } from "../../api/bus";
import { type Queue, type Waiting, payloadShown, waitingText } from "../../model/queue";
import { ago, bytes, when } from "../../model/show";
import { Facts, Found, Section, Value } from "../../parts/bits";
import { AsCurl } from "../../parts/copy";
import { Empty } from "../../parts/Table";

export function Peek({ app, queue }: { readonly app: string; readonly queue: Queue }) {
  return (
    <Section title="Waiting messages">
      <Found query={useQuery(peeked(app, queue.name))}>
        {({ messages, more }) => (
          <>
            {messages.length === 0 && (
              <Empty>
                <p>None waits. A message stays here until what it calls has succeeded, or it is given up on.</p>
              </Empty>
            )}
            {messages.map((message) => (
              <One key={message.id} message={message} queue={queue} />
            ))}
            {more && <p className="quiet">There are more: these are the first {Math.min(messages.length, PEEKED)}.</p>}
          </>
        )}
      </Found>
      <AsCurl name="waiting messages" url={busPaths.peek(app, queue.name)} command={["queues", "peek", app, queue.name]} />
    </Section>
  );
}

function One({ message, queue }: { readonly message: Waiting; readonly queue: Queue }) {
  return (
    <article className="letter" aria-label={`Message ${message.id}`}>
      <Facts
        facts={[
          ["Message", <span className="id">{message.id}</span>],
          ["Group", message.group ?? null],
          ["Sent", `${when(message.enqueuedMs)}, ${ago(message.enqueuedMs, Date.now())}`],
          ["Attempts", waitingText(message, queue)],
          ["Size", `${bytes(message.bytes)} of ${message.contentType}`],
        ]}
      />
      {message.payloadText === null ? (
        <p className="quiet">Too long to be shown here: its target gets all of it.</p>
      ) : (
        <Value text={payloadShown({ ...message, payloadText: message.payloadText })} label={`message ${message.id}`} />
      )}
    </article>
  );
}
