// A test of a grain: an event, typed or chosen by its name, and its result beside what it wrote and where its time went.
import { useQuery } from "@tanstack/react-query";
import { useLive } from "../../api/live";
import { invocation } from "../../api/queries";
import { useKeptText } from "../../parts/kept";
import { Found, Section, StatusBadge, To, Trouble } from "../../parts/bits";
import { Failure } from "../execution/Failure";
import { Attempts, Output, Written } from "../execution/Results";
import { Events } from "../../parts/events/Events";
import { useEvent } from "../../parts/events/event";
import { Run } from "../../parts/Run";

/** @param given an input to begin with; null: none */
export function Test({ app, name, given }: { readonly app: string; readonly name: string; readonly given: string | null }) {
  const [last, setLast] = useKeptText(`test.${app}/${name}`, "");
  const target = { app, kind: "grain", name } as const;
  const event = useEvent(target, given);
  const { chosen, draft, text } = event;
  return (
    <Section title="Test it" id="run">
      <Events key={`${app}/${name}`} target={target} event={event} />
      {event.error && <Trouble error={event.error} />}
      {text === undefined && !event.error && <p role="status">Loading…</p>}
      {text !== undefined && <Run app={app} name={name} input={text} onInput={event.setText} event={draft === null ? chosen : ""} onRun={setLast} />}
      {last !== "" && <Result key={last} app={app} id={last} />}
    </Section>
  );
}

function Result({ app, id }: { readonly app: string; readonly id: string }) {
  const query = useQuery(invocation(app, id));
  const running = query.data?.status === "RUNNING";
  useLive(app, id, running);
  return (
    <Found query={query}>
      {(found) => (
        <div className="result">
          <p role="status">
            <StatusBadge status={found.status} /> with version {found.version}. <To route={{ page: "execution", app, id }}>The execution</To>
          </p>
          {found.failure && <Failure app={app} id={id} version={found.version} failure={found.failure} />}
          <Output app={app} found={found} />
          <Written app={app} id={id} running={running} />
          <Attempts app={app} id={id} running={running} />
        </div>
      )}
    </Found>
  );
}
