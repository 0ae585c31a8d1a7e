// The course of a workflow's execution: its graph in the colours of its states, each state's input and output, all events.
import { useQuery } from "@tanstack/react-query";
import { useCallback, useMemo, useState } from "react";
import { Refusal } from "../../api/client";
import { MOST_EVENTS } from "../../api/history";
import { type Status, history, paths } from "../../api/queries";
import { EMPTY, graphOf } from "../../model/definition";
import { type HistoryEvent, type StateProgress, details, progressOf } from "../../model/progress";
import { jsonFault } from "../../model/show";
import { AsCurl, StatusBadge, Trouble, Value } from "../../parts/bits";
import { Graph } from "../../parts/Graph";

interface Props {
  readonly app: string;
  readonly id: string;
  readonly status: Status;
  readonly redrives: number;
  readonly definition: string;
}

const MOST_ROWS = 500;

export function Course({ app, id, status, redrives, definition }: Props) {
  const query = useQuery(history(app, id, status, redrives));
  const graph = useMemo(() => (jsonFault(definition) === null ? graphOf(definition) : EMPTY), [definition]);
  const events = query.data?.events;
  const progress = useMemo(() => progressOf(events ?? []), [events]);
  const [chosen, setChosen] = useState<string | null>(null);
  const onSelect = useCallback((state: string) => setChosen(state), []);
  const ran = chosen === null ? undefined : progress.states.get(chosen);
  // Of one that has just begun nothing is kept yet.
  const isEarly = query.error instanceof Refusal && query.error.status === 503 && status === "RUNNING";
  return (
    <>
      <section aria-labelledby="graph">
        <h2 id="graph">Graph</h2>
        {query.error && !isEarly && <Trouble error={query.error} />}
        <Graph graph={graph} progress={progress} onSelect={onSelect} />
        <label>
          State{" "}
          <select value={chosen ?? ""} onChange={(event) => setChosen(event.target.value || null)}>
            <option value="">choose one, here or in the graph</option>
            {graph.states.map((state) => (
              <option key={state.id} value={state.id}>
                {state.id} ({progress.states.get(state.id)?.status ?? "not reached"})
              </option>
            ))}
          </select>
        </label>
        {chosen !== null && <StateDetail name={chosen} ran={ran} />}
      </section>
      {progress.input !== null && (
        <section aria-labelledby="input">
          <h2 id="input">Input</h2>
          <Value text={progress.input} label="the input" />
        </section>
      )}
      {events && events.length > 0 && (
        <details>
          <summary>History: {events.length} events</summary>
          <Events events={events} whole={query.data?.whole ?? true} />
          <AsCurl url={paths.invocation(app, id, "/history?limit=1000")} />
        </details>
      )}
    </>
  );
}

function StateDetail({ name, ran }: { readonly name: string; readonly ran: StateProgress | undefined }) {
  if (!ran) return <p>{name} was not reached.</p>;
  return (
    <div className="detail">
      <h3>
        {name} <StatusBadge status={ran.status} />
      </h3>
      {ran.error !== null && (
        <p className="fault">
          {ran.error}: {ran.cause ?? ""}
        </p>
      )}
      {ran.input !== null && (
        <>
          <h4>Input{ran.entered > 1 && " of the last time"}</h4>
          <Value text={ran.input} label={`the input of ${name}`} />
        </>
      )}
      {ran.output !== null && (
        <>
          <h4>Output{ran.exited > 1 && " of the last time"}</h4>
          <Value text={ran.output} label={`the output of ${name}`} />
        </>
      )}
    </div>
  );
}

function Events({ events, whole }: { readonly events: readonly HistoryEvent[]; readonly whole: boolean }) {
  const shown = events.slice(0, MOST_ROWS);
  return (
    <div className="wide" tabIndex={0} role="region" aria-label="History">
      <table>
        <thead>
          <tr>
            <th scope="col">Event</th>
            <th scope="col">Type</th>
            <th scope="col">State</th>
            <th scope="col">Time</th>
            <th scope="col">Error</th>
          </tr>
        </thead>
        <tbody>
          {shown.map((event) => {
            const about = details(event);
            return (
              <tr key={event.id}>
                <td>{event.id}</td>
                <td>{event.type}</td>
                <td>{String(about.name ?? "")}</td>
                <td>{event.timestamp}</td>
                <td>{String(about.error ?? "")}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
      {(shown.length < events.length || !whole) && (
        <p>
          The first {shown.length} are shown{whole ? "" : `, and the graph follows the first ${MOST_EVENTS}`}; all of them come with the command below.
        </p>
      )}
    </div>
  );
}
