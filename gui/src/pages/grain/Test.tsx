// A test of a grain: an event, typed or chosen by its name, and its result beside what it wrote and where its time went.
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { useLive } from "../../api/live";
import { invocation } from "../../api/queries";
import { useKeptText } from "../../parts/kept";
import { Found, Section, StatusBadge, To, Trouble } from "../../parts/bits";
import { Failure } from "../execution/Failure";
import { Attempts, Output } from "../execution/Results";
import { Written } from "../execution/Written";
import { Events } from "../../parts/events/Events";
import { useEvent } from "../../parts/events/event";
import { Run } from "../../parts/Run";

/** @param given an input to begin with; null: none */
export function Test({ app, name, given }: { readonly app: string; readonly name: string; readonly given: string | null }) {
  const [last, setLast] = useKeptText(`test.${app}/${name}`, "");
  const [begun, setBegun] = useState("");
  const target = { app, kind: "grain", name } as const;
  const event = useEvent(target, given);
  const { chosen, draft, text } = event;
  function show(id: string): void {
    setBegun(id);
    setLast(id);
  }
  return (
    <Section title="Test it" id="run">
      <Events key={`${app}/${name}`} target={target} event={event} />
      {event.error && <Trouble error={event.error} />}
      {text === undefined && !event.error && <p role="status">Loading…</p>}
      {text !== undefined && <Run app={app} name={name} input={text} onInput={event.setText} event={draft === null ? chosen : ""} onRun={show} />}
      {last !== "" && <Result key={last} app={app} id={last} isNew={last === begun} />}
    </Section>
  );
}

/** The output on one side, what was written and where the time went on the other. @param isNew it is brought into view, as what was asked for just now */
function Result({ app, id, isNew }: { readonly app: string; readonly id: string; readonly isNew: boolean }) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isNew) box.current?.scrollIntoView({ block: "start" });
  }, [isNew]);
  const query = useQuery(invocation(app, id));
  const running = query.data?.status === "RUNNING";
  useLive(app, id, running);
  return (
    <div className="result" ref={box}>
      <Found query={query}>
        {(found) => (
          <>
            <p role="status">
              <StatusBadge status={found.status} /> with version {found.version}. <To route={{ page: "execution", app, id }}>The execution</To>
            </p>
            <div className="beside">
              <div>
                {found.failure && <Failure app={app} id={id} version={found.version} failure={found.failure} />}
                <Output app={app} found={found} />
              </div>
              <div>
                <Written app={app} id={id} running={running} />
                <Attempts app={app} id={id} running={running} isOfOne />
              </div>
            </div>
          </>
        )}
      </Found>
    </div>
  );
}
