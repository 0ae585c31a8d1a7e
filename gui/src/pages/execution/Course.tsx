// The course of a workflow's execution: its graph in the colours of its states, each state's input and output, all events.
import { useQuery } from "@tanstack/react-query";
import { useCallback, useMemo, useState } from "react";
import type { Schemas } from "../../api/client";
import { MOST_EVENTS } from "../../api/history";
import { type Status, history, paths } from "../../api/queries";
import { EMPTY, type StateNode, graphOf } from "../../model/definition";
import { type HistoryEvent, details } from "../../model/history";
import { type StateProgress, progressOf, runText } from "../../model/progress";
import { jsonFault, visibleName } from "../../model/show";
import { Section, StatusBadge, Trouble, Value } from "../../parts/bits";
import { Button } from "../../parts/Button";
import { AsCurl } from "../../parts/copy";
import { Graph } from "../../parts/Graph";
import { type Column, Table } from "../../parts/Table";
import { Input } from "./Input";
import type { Redrive } from "./redrive";

interface Props {
  readonly app: string;
  readonly found: Schemas["Invocation"];
  readonly definition: string;
  readonly redrive: Redrive;
}

const MOST_ROWS = 500;
/** Whether a state's values stand below the graph, over the whole page, and not beside it. */
const WIDE = "sand.course.wide";

export function Course({ app, found, definition, redrive }: Props) {
  const { executionId: id, target: workflow } = found;
  const status = found.status as Status;
  const query = useQuery(history(app, id, status, found.redriveCount ?? 0));
  const graph = useMemo(() => (jsonFault(definition) === null ? graphOf(definition) : EMPTY), [definition]);
  const events = query.data?.events;
  const isCut = query.data?.whole === false;
  const progress = useMemo(() => progressOf(events ?? [], isCut && status !== "RUNNING"), [events, isCut, status]);
  const [chosen, setChosen] = useState<string | null>(null);
  const onSelect = useCallback((state: string) => setChosen(state), []);
  const [isWide, setWide] = useState(localStorage.getItem(WIDE) === "true");
  function widen(): void {
    localStorage.setItem(WIDE, String(!isWide));
    setWide(!isWide);
  }
  const state = graph.states.find((one) => one.id === chosen);
  const name = state?.name ?? chosen;
  const ran = name === null ? undefined : progress.states.get(name);
  return (
    <>
      <Section title="Graph">
        {isCut && <p>Its history is longer than the {MOST_EVENTS.toLocaleString("en")} events that are followed here: how states ended behind these is unknown.</p>}
        {query.error && <Trouble error={query.error} />}
        <div className={isWide ? "course wide" : "course"}>
          <Graph graph={graph} progress={progress} chosen={chosen} onSelect={onSelect} />
          <div className="panel">
            <button type="button" className="small aside" aria-pressed={isWide} onClick={widen}>
              Wide
            </button>
            <label>
              State{" "}
              <select value={chosen ?? ""} onChange={(event) => setChosen(event.target.value || null)}>
                <option value="">choose one, here or in the graph</option>
                {graph.states.map((state) => (
                  <option key={state.id} value={state.id}>
                    {state.id} ({progress.states.get(state.name)?.status ?? "not reached"})
                  </option>
                ))}
              </select>
            </label>
            {name === null ? <Legend /> : <StateDetail key={name} name={name} ran={ran} />}
            {ran && state && redrive.isPossible && <FromHere app={app} found={found} state={state} redrive={redrive} />}
          </div>
        </div>
      </Section>
      {progress.input !== null && <Input text={progress.input} again={{ page: "workflow", app, name: workflow, input: progress.input }} />}
      {events && events.length > 0 && (
        <details>
          <summary>History: {events.length} events</summary>
          <Events events={events} whole={query.data?.whole ?? true} />
          <AsCurl url={paths.invocation(app, id, "/history?limit=1000")} command={["invocations", "history", app, id]} />
        </details>
      )}
    </>
  );
}

/** What colours and lines of the graph mean, while there is room for it. */
function Legend() {
  return (
    <ul className="meanings">
      {["running", "succeeded", "caught", "failed", "aborted"].map((status) => (
        <li key={status}>
          <StatusBadge status={status} />
        </li>
      ))}
    </ul>
  );
}

/** One run of a state: its input, output and error are never those of different ones. */
function StateDetail({ name, ran }: { readonly name: string; readonly ran: StateProgress | undefined }) {
  const [chosen, setChosen] = useState<number | null>(null);
  if (!ran) return <p>{name} was not reached.</p>;
  const at = chosen ?? ran.first;
  const run = ran.runs[at];
  return (
    <div className="detail">
      <h3>
        {name} <StatusBadge status={ran.status} />
      </h3>
      {ran.runs.length > 1 && (
        <label>
          Run{" "}
          <select value={at} onChange={(event) => setChosen(Number(event.target.value))}>
            {ran.runs.map((one, i) => (
              <option key={i} value={i}>
                {runText(ran, i)} ({one.status})
              </option>
            ))}
          </select>
        </label>
      )}
      {run && run.error !== null && (
        <p className="fault">
          {run.error}
          {run.cause !== null && `: ${run.cause}`}
        </p>
      )}
      <div className="values">
        {run && run.input !== null && (
          <div>
            <h4>Input</h4>
            <Value key={at} text={run.input} label={`the input of ${name}`} />
          </div>
        )}
        {run && run.output !== null && (
          <div>
            <h4>Output</h4>
            <Value key={at} text={run.output} label={`the output of ${name}`} />
          </div>
        )}
      </div>
    </div>
  );
}

/** Behind the states of a Parallel or Map there is no way back into one of its branches: it is begun as a whole. */
function FromHere({ app, found, state, redrive }: { readonly app: string; readonly found: Schemas["Invocation"]; readonly state: StateNode; readonly redrive: Redrive }) {
  const id = found.executionId;
  if (state.region !== null) return <p>It can be redriven from the state around this one, as a whole.</p>;
  const from = state.name;
  return (
    <div className="actions below">
      {redrive.versions.map((version) => (
        <Button key={version} scope="invoke" type="button" aria-disabled={redrive.isPending} onClick={() => redrive.begin({ version, from })}>
          {version === found.version ? "Redrive from here" : `Redrive from here with version ${version}`}
        </Button>
      ))}
      <AsCurl
        name="redrive from here"
        method="POST"
        url={paths.invocation(app, id, "/redrive")}
        body={JSON.stringify({ from })}
        command={["invocations", "redrive", app, id, "--from", from]}
      />
      {redrive.error && redrive.asked?.from === from && <Trouble error={redrive.error} />}
    </div>
  );
}

const COLUMNS: readonly Column<HistoryEvent>[] = [
  { head: "Event", cell: (event) => event.id },
  { head: "Type", cell: (event) => event.type },
  { head: "State", cell: (event) => String(details(event).name ?? "") },
  { head: "Time", cell: (event) => event.timestamp },
  { head: "Error", cell: (event) => <span className="fault">{visibleName(String(details(event).error ?? ""))}</span> },
];

function Events({ events, whole }: { readonly events: readonly HistoryEvent[]; readonly whole: boolean }) {
  const shown = events.slice(0, MOST_ROWS);
  return (
    <>
      <Table caption="History" rows={shown} rowKey={(event) => event.id} columns={COLUMNS} />
      {(shown.length < events.length || !whole) && (
        <p>
          The first {shown.length} are shown{whole ? "" : `, and the graph follows the first ${MOST_EVENTS}`}; all of them come with the command below.
        </p>
      )}
    </>
  );
}
