// What came of an execution: its output, and where the time went.
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { Schemas } from "../../api/client";
import { history, output, paths, timeline } from "../../api/queries";
import { EMPTY, graphOf } from "../../model/definition";
import { isText } from "../../model/execution";
import { bytes, jsonFault } from "../../model/show";
import type { CourseOfRows } from "../../model/timeline";
import { waitsOf } from "../../model/waits";
import { Found, Section, Trouble, Value } from "../../parts/bits";
import { Download } from "../../parts/Download";
import { LargeValue } from "../../parts/LargeValue";
import { Timeline } from "../../parts/Timeline";

interface Props {
  readonly app: string;
  readonly id: string;
  readonly running: boolean;
}

/** Most bytes of an output that the page fetches by itself. */
const MOST_BYTES = 1 << 20;

export function Output({ app, found }: { readonly app: string; readonly found: Schemas["Invocation"] }) {
  const { size, contentType } = found.output ?? { size: 0, contentType: "" };
  const canShow = found.status === "SUCCEEDED" && isText(contentType);
  const isShown = canShow && size <= MOST_BYTES;
  const query = useQuery({ ...output(app, found), enabled: isShown });
  if (found.status !== "SUCCEEDED" || !found.output) return null;
  const url = paths.invocation(app, found.executionId, "/output");
  return (
    <Section title="Output">
      {query.error && <Trouble error={query.error} />}
      {isShown && query.isPending && <p role="status">Loading…</p>}
      {canShow && !isShown && <LargeValue key={`${found.executionId} ${found.redriveCount}`} url={url} size={size} isJson={contentType.startsWith("application/json")} label="the output" />}
      {query.data !== undefined && <Value text={query.data} label="the output" />}
      <p>
        {bytes(size)} of {contentType}. <Download url={url} name={`${found.executionId}-output`} />
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
