// The lines of a log, with the way to older ones before the first, until the first that is kept.
import type { ReactNode } from "react";
import { isGone } from "../api/client";
import type { Lines as Found } from "../api/lines";
import { type LineFilter, isAnyLine } from "../model/logs";
import { Trouble } from "./bits";
import { Lines } from "./Lines";
import { Empty } from "./Table";

interface Props {
  readonly found: Found;
  readonly older: () => void;
  readonly filter: LineFilter;
  /** Where lines lead to their executions. */
  readonly app?: string;
  /** What is said while there is no line. */
  readonly nothing: ReactNode;
}

export function Log({ found, older, filter, app, nothing }: Props) {
  const { lines, previous, isLoaded, isLooking, refusal } = found;
  const before =
    previous === null ? (
      <span className="quiet">{isAnyLine(filter) ? "Nothing older is kept." : "Nothing older that is like this is kept."}</span>
    ) : (
      <button type="button" aria-disabled={isLooking} onClick={older}>
        {isLooking ? "Loading…" : "Earlier lines"}
      </button>
    );
  // Of what is gone that alone is said.
  if (isGone(refusal)) return <Trouble error={refusal} />;
  return (
    <>
      {refusal && <Trouble error={refusal} />}
      {lines.length > 0 ? (
        <Lines lines={lines} label="Log lines" before={before} {...(app !== undefined && { app })} follows />
      ) : (
        <Empty>{refusal ? <p>There are none to show.</p> : !isLoaded ? <p role="status">Loading…</p> : isAnyLine(filter) ? nothing : <p>No line that is kept is like that.</p>}</Empty>
      )}
    </>
  );
}
