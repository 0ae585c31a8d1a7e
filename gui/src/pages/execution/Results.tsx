// What came of an execution: its output, and where the time went.
import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import type { Schemas } from "../../api/client";
import { history, output, paths, timeline } from "../../api/queries";
import { EMPTY, graphOf } from "../../model/definition";
import { isText } from "../../model/execution";
import { bytes, jsonFault } from "../../model/show";
import type { CourseOfRows } from "../../model/timeline";
import { waitsOf } from "../../model/waits";
import { Found, Section, Trouble, Value } from "../../parts/bits";
import { Download } from "../../parts/Download";
import { Timeline } from "../../parts/Timeline";

interface Props {
  readonly app: string;
  readonly id: string;
  readonly running: boolean;
}

/** Most bytes of an output that the page fetches by itself; and when it is asked to, of JSON, which is folded. */
const MOST_BYTES = 1 << 20;
const MOST_ASKED = 64 << 20;

export function Output({ app, found }: { readonly app: string; readonly found: Schemas["Invocation"] }) {
  const [isAsked, setAsked] = useState(false);
  const size = found.output?.size ?? 0;
  const canAsk = found.output?.contentType.startsWith("application/json") === true && size > MOST_BYTES && size <= MOST_ASKED;
  const isShown = found.status === "SUCCEEDED" && found.output !== undefined && isText(found.output.contentType) && (size <= MOST_BYTES || (canAsk && isAsked));
  const query = useQuery({ ...output(app, found), enabled: isShown });
  if (found.status !== "SUCCEEDED" || !found.output) return null;
  return (
    <Section title="Output">
      {query.error && <Trouble error={query.error} />}
      {isShown && query.isPending && <p role="status">Loading…</p>}
      {canAsk && !isAsked && (
        <button type="button" onClick={() => setAsked(true)}>
          Show it as a tree
        </button>
      )}
      {query.data !== undefined && <Value text={query.data} label="the output" />}
      <p>
        {bytes(found.output.size)} of {found.output.contentType}.{" "}
        <Download url={paths.invocation(app, found.executionId, "/output")} name={`${found.executionId}-output`} />
      </p>
    </Section>
  );
}

export function Attempts({ app, id, running, isOfOne = false, course }: Props & { readonly isOfOne?: boolean; readonly course?: CourseOfRows }) {
  return (
    <Section title="Timeline">
      <Found query={useQuery(timeline(app, id, running))}>{(shown) => <Timeline attempts={shown.hops} isOfOne={isOfOne} {...(course && { course })} />}</Found>
    </Section>
  );
}

/** Of a workflow: with its states, and what it waited for. */
export function AttemptsOfStates({ app, found, definition }: { readonly app: string; readonly found: Schemas["Invocation"]; readonly definition: string }) {
  const { executionId: id, status } = found;
  const events = useQuery(history(app, id, status, found.redriveCount ?? 0)).data?.events;
  const course = useMemo((): CourseOfRows => {
    const { states } = jsonFault(definition) === null ? graphOf(definition) : EMPTY;
    const parallel = new Set(states.filter((state) => state.type === "Parallel").map((state) => state.name));
    return { ...waitsOf(events ?? []), isBranch: (state) => parallel.has(state) };
  }, [events, definition]);
  return <Attempts app={app} id={id} running={status === "RUNNING"} course={course} />;
}
