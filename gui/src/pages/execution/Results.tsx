// What came of an execution: its output, what was written meanwhile, where the time went.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Schemas } from "../../api/client";
import { lines, output, paths, timeline } from "../../api/queries";
import { isText } from "../../model/execution";
import { bytes } from "../../model/show";
import { Found, Section, Trouble, Value } from "../../parts/bits";
import { Download } from "../../parts/Download";
import { Lines } from "../../parts/Lines";
import { Empty } from "../../parts/Table";
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

export function Attempts({ app, id, running, isOfOne = false }: Props & { readonly isOfOne?: boolean }) {
  return (
    <Section title="Timeline">
      <Found query={useQuery(timeline(app, id, running))}>{(shown) => <Timeline attempts={shown.hops} isOfOne={isOfOne} />}</Found>
    </Section>
  );
}

export function Written({ app, id, running }: Props) {
  return (
    <Section title="Logs">
      <Found query={useQuery(lines(app, id, running))}>
        {(shown) => (shown.lines.length === 0 ? <Empty>Nothing was written.</Empty> : <Lines lines={shown.lines} label="Log lines" />)}
      </Found>
    </Section>
  );
}
