// One execution: what it is, what it did and does, and what can be done about it.
import { useQuery } from "@tanstack/react-query";
import type { Schemas } from "../api/client";
import { type Status, invocation, lines, output, paths, timeline, version } from "../api/queries";
import { useLive } from "../api/live";
import { own } from "../model/members";
import { bytes, duration, when } from "../model/show";
import { Facts, Found, Section, StatusBadge, Title, To, Trouble, Value } from "../parts/bits";
import { AsCurl } from "../parts/copy";
import { Download } from "../parts/Download";
import { Lines } from "../parts/Lines";
import { Empty } from "../parts/Table";
import { Timeline } from "../parts/Timeline";
import { Actions } from "./execution/Actions";
import { Course } from "./execution/Course";

type Invocation = Schemas["Invocation"];

export function Execution({ app, id }: { readonly app: string; readonly id: string }) {
  const query = useQuery(invocation(app, id));
  const line = useLive(app, id, query.data?.status === "RUNNING");
  return (
    <>
      <Title
        trail={
          <>
            <To route={{ page: "application", app }}>{app}</To> <To route={{ page: "executions", app, status: "", target: "", before: "" }}>Executions</To>
          </>
        }
      >
        {`Execution ${id}`}
      </Title>
      <Found query={query}>
        {(found) => (
          <>
            <About found={found} line={line} />
            <Body app={app} found={found} />
          </>
        )}
      </Found>
      <AsCurl url={paths.invocation(app, id)} command={["invocations", "get", app, id]} />
    </>
  );
}

function About({ found, line }: { readonly found: Invocation; readonly line: string }) {
  return (
    <Facts
      facts={[
        [
          "Status",
          <span role="status">
            <StatusBadge status={found.status} /> {line === "live" && "live"}
            {line === "lost" && "connection lost, coming back…"}
          </span>,
        ],
        ["Target", `${found.target}, version ${found.version}`],
        ["Started", when(found.startedMs)],
        ["Took", found.endedMs === null ? "runs" : duration(found.endedMs - found.startedMs)],
        ["CPU", duration(found.cpuUs / 1000)],
        ["Peak memory", bytes(found.peakMemoryBytes)],
        ["Redriven", found.redriveCount ? `${found.redriveCount} ×` : null],
      ]}
    />
  );
}

function Body({ app, found }: { readonly app: string; readonly found: Invocation }) {
  const id = found.executionId;
  const running = found.status === "RUNNING";
  const deployed = useQuery(version(app, found.version));
  const workflow = own(deployed.data?.workflows, found.target);
  return (
    <>
      <Actions app={app} found={found} isWorkflow={workflow !== undefined} />
      {deployed.error && (
        <div className="trouble" role="alert">
          <strong>What version {found.version} is made of cannot be had</strong>
          <p>{deployed.error.message} Graph and states are missing below.</p>
        </div>
      )}
      {found.failure && <Failure failure={found.failure} />}
      {workflow && <Course app={app} id={id} status={found.status as Status} redrives={found.redriveCount ?? 0} workflow={found.target} definition={workflow.definition} />}
      <Output app={app} found={found} />
      <Section title="Timeline">
        <Found query={useQuery(timeline(app, id, running))}>{(shown) => <Timeline attempts={shown.hops} />}</Found>
      </Section>
      <Section title="Logs">
        <Found query={useQuery(lines(app, id, running))}>
          {(shown) => (shown.lines.length === 0 ? <Empty>Nothing was written.</Empty> : <Lines lines={shown.lines} label="Log lines" />)}
        </Found>
      </Section>
    </>
  );
}

function Failure({ failure }: { readonly failure: NonNullable<Invocation["failure"]> }) {
  return (
    <section aria-labelledby="error" className="trouble">
      <h2 id="error">{failure.error ?? "Error"}</h2>
      <p>{failure.cause ?? ""}</p>
      {failure.stackTrace && (
        <pre tabIndex={0} aria-label="Stack trace">
          {failure.stackTrace}
        </pre>
      )}
    </section>
  );
}

/** Most bytes of an output that the page fetches. */
const MOST_BYTES = 1 << 20;

function Output({ app, found }: { readonly app: string; readonly found: Invocation }) {
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
