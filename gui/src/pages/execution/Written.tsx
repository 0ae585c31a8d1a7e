// What was written in an execution: while it runs as it is written, and a little longer, since lines come in behind its end.
import { useEffect, useState } from "react";
import { followUrl, linesOfExecution, useLines } from "../../api/lines";
import { isYoung } from "../../model/executionId";
import { ANY_LINE, isAnyLine, optionsOf } from "../../model/logs";
import { Section } from "../../parts/bits";
import { AsCurl } from "../../parts/copy";
import { LineFilters } from "../../parts/LineFilters";
import { Log } from "../../parts/Log";

interface Props {
  readonly app: string;
  readonly id: string;
  readonly running: boolean;
  /** Whose lines can be chosen; missing: there is little room, and no choice. */
  readonly grains?: readonly string[];
}

const LATE_MS = 3_000;
const YOUNG_MS = 60_000;

export function Written({ app, id, running, grains }: Props) {
  const [filter, setFilter] = useState(ANY_LINE);
  const source = linesOfExecution(app, id);
  const [found, older] = useLines(source, filter, useFollows(id, running));
  const isChosen = grains !== undefined && (found.lines.length > 0 || !isAnyLine(filter));
  return (
    <Section title="Logs">
      {isChosen && (
        <form className="filters" onSubmit={(event) => event.preventDefault()}>
          <LineFilters filter={filter} grains={grains} isOfOne onChange={setFilter} />
        </form>
      )}
      <Log found={found} older={older} filter={filter} nothing="Nothing was written." />
      {grains !== undefined && (
        <AsCurl name="logs" url={followUrl(source, filter)} headers={{ Accept: "text/event-stream" }} command={["invocations", "logs", app, id, ...optionsOf(filter)]} />
      )}
    </Section>
  );
}

function useFollows(id: string, running: boolean): boolean {
  const [follows, setFollows] = useState(() => running || isYoung(id, Date.now(), YOUNG_MS));
  useEffect(() => {
    if (running) {
      setFollows(true);
      return;
    }
    const late = window.setTimeout(() => setFollows(false), LATE_MS);
    return () => window.clearTimeout(late);
  }, [running]);
  return follows;
}
