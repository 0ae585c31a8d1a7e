// What came of an execution: its output, what was written meanwhile, where the time went.
import { useQuery } from "@tanstack/react-query";
import type { Schemas } from "../../api/client";
import { lines, output, paths, timeline } from "../../api/queries";
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

/** Most bytes of an output that the page fetches. */
const MOST_BYTES = 1 << 20;

export function Output({ app, found }: { readonly app: string; readonly found: Schemas["Invocation"] }) {
  const isText = found.output !== undefined && /^(text\/|application\/json)/.test(found.output.contentType);
  const isShown = found.status === "SUCCEEDED" && isText && (found.output?.size ?? 0) <= MOST_BYTES;
  const query = useQuery({ ...output(app, found), enabled: isShown });
  if (found.status !== "SUCCEEDED" || !found.output) return null;
  return (
    <Section title="Output">
      {query.error && <Trouble error={query.error} />}
      {query.data !== undefined && <Value text={query.data} label="the output" />}
      <p>
        {bytes(found.output.size)} of {found.output.contentType}.{" "}
        <Download url={paths.invocation(app, found.executionId, "/output")} name={`${found.executionId}-output`} />
      </p>
    </Section>
  );
}

export function Attempts({ app, id, running }: Props) {
  return (
    <Section title="Timeline">
      <Found query={useQuery(timeline(app, id, running))}>{(shown) => <Timeline attempts={shown.hops} />}</Found>
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
