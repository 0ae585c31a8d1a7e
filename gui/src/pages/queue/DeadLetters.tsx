// Messages that were given up on: why, what they said; sent again, or forgotten.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { busPaths, letters } from "../../api/bus";
import { answered, client } from "../../api/client";
import { options } from "../../model/command";
import { type Letter, failureText, payloadShown } from "../../model/queue";
import type { Route } from "../../model/route";
import { many, visible, when } from "../../model/show";
import { Facts, Found, Section, To, Trouble, Value } from "../../parts/bits";
import { Button } from "../../parts/Button";
import { Confirm } from "../../parts/Confirm";
import { AsCurl } from "../../parts/copy";
import { useOnce } from "../../parts/once";
import { Empty } from "../../parts/Table";

type Shown = Extract<Route, { page: "queue" }>;

interface Deed {
  readonly what: "replay" | "drop";
  /** null: all of them. */
  readonly message: string | null;
}

const at = "/api/v1/applications/{app}/queues/{queue}/dead-letters";

export function DeadLetters({ route }: { readonly route: Shown }) {
  const { app, name: queue, after } = route;
  const cache = useQueryClient();
  const act = useMutation({
    mutationFn: async ({ what, message }: Deed): Promise<string> => {
      const path = { app, queue };
      if (message === null) {
        if (what === "drop") return `${many((await answered(client.DELETE(at, { params: { path } }))).dropped, "letter")} dropped`;
        return `${many((await answered(client.POST(`${at}/replay`, { params: { path } }))).replayed, "letter")} sent again`;
      }
      const params = { path: { ...path, message } };
      if (what === "drop") await answered(client.DELETE(`${at}/{message}`, { params }));
      else await answered(client.POST(`${at}/{message}/replay`, { params }));
      return what === "drop" ? "dropped" : "sent again";
    },
    onSettled: () => Promise.all(["letters", "queues", "peeked"].map((name) => cache.invalidateQueries({ queryKey: [name, app] }))),
  });
  const once = useOnce(act);
  return (
    <Section title="Dead letters">
      {act.error && <Trouble error={act.error} />}
      <p role="status" className="quiet">
        {act.isSuccess && act.data}
      </p>
      <Found query={useQuery(letters(app, queue, after))}>
        {(found) =>
          found.letters.length === 0 ? (
            <Empty>
              <p>There {after ? "are no more" : "is none"}. A message that has failed in every attempt comes here with its last error, and can be sent again when the reason is mended.</p>
            </Empty>
          ) : (
            <>
              <div className="actions">
                <Button scope="invoke" type="button" aria-disabled={act.isPending} onClick={() => once({ what: "replay", message: null })}>
                  Send all again
                </Button>
                <Confirm scope="invoke" label="Drop all" title={`Drop the dead letters of ${queue}?`} disabled={act.isPending} onConfirm={() => once({ what: "drop", message: null })}>
                  <p>The first 1,000 of them are gone for good.</p>
                </Confirm>
              </div>
              {found.letters.map((letter) => (
                <One key={letter.id} app={app} letter={letter} disabled={act.isPending} act={once} />
              ))}
            </>
          )
        }
      </Found>
      <Pages route={route} />
      <AsCurl name="dead letters" url={busPaths.letters(app, queue, after)} command={["triggers", "dead-letters", app, queue, ...options({ after })]} />
      <AsCurl name="send all again" method="POST" url={busPaths.queue(app, queue, "/dead-letters/replay")} command={["triggers", "replay", app, queue, "--all"]} />
    </Section>
  );
}

function Pages({ route }: { readonly route: Shown }) {
  const next = useQuery(letters(route.app, route.name, route.after)).data?.next;
  return (
    <p className="pages">
      {route.after && <To route={{ ...route, after: "" }}>First page</To>}
      {next && <To route={{ ...route, after: next }}>Next page</To>}
    </p>
  );
}

interface OneProps {
  readonly app: string;
  readonly letter: Letter;
  readonly disabled: boolean;
  readonly act: (deed: Deed) => void;
}

function One({ app, letter, disabled, act }: OneProps) {
  return (
    <article className="letter" aria-label={`Dead letter ${letter.id}`}>
      <div className="heading">
        <h3 className="fault">{visible(failureText(letter))}</h3>
        <div className="actions">
          <Button scope="invoke" type="button" className="small" disabled={disabled} onClick={() => act({ what: "replay", message: letter.id })}>
            Send again
          </Button>
          <Confirm scope="invoke" small label="Drop" title="Drop this letter?" disabled={disabled} onConfirm={() => act({ what: "drop", message: letter.id })}>
            <p>Message {letter.id} is gone for good.</p>
          </Confirm>
        </div>
      </div>
      <Facts
        facts={[
          ["Message", <span className="id">{letter.id}</span>],
          ["Group", letter.group ?? null],
          ["Sent", when(letter.enqueuedMs)],
          ["Given up", when(letter.diedMs)],
          ["Attempts", letter.attempts],
          ["Last execution", letter.executionId ? <To className="id" route={{ page: "execution", app, id: letter.executionId }}>{letter.executionId}</To> : null],
        ]}
      />
      <Value text={payloadShown(letter)} label={`the payload of ${letter.id}`} />
    </article>
  );
}
