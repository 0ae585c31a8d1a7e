// One execution: what it is, what it did and does, and what can be done about it.
import { useQuery } from "@tanstack/react-query";
import type { Schemas } from "../api/client";
import { history, invocation, paths, version } from "../api/queries";
import { useLive } from "../api/live";
import { timesOf } from "../model/execution";
import { redrivenMs } from "../model/history";
import { own } from "../model/members";
import { bytes, exactly } from "../model/show";
import { Facts, Found, StatusBadge, Title, To, ToApplication } from "../parts/bits";
import { AsCurl } from "../parts/copy";
import { Actions } from "./execution/Actions";
import { Course } from "./execution/Course";
import { Failure } from "./execution/Failure";
import { GrainInput } from "./execution/Input";
import { Attempts, AttemptsOfStates, Output } from "./execution/Results";
import { Written } from "./execution/Written";
import { useRedrive } from "./execution/redrive";

type Invocation = Schemas["Invocation"];

export function Execution({ app, id }: { readonly app: string; readonly id: string }) {
  const query = useQuery(invocation(app, id));
  const line = useLive(app, id, query.data?.status === "RUNNING");
  return (
    <>
      <Title
        trail={
          <>
            <ToApplication app={app} /> <To route={{ page: "executions", app, status: "", target: "", before: "" }}>Executions</To>
          </>
        }
      >
        {`Execution ${id}`}
      </Title>
      <Found query={query}>
        {(found) => (
          <>
            <About app={app} found={found} line={line} />
            <Body app={app} found={found} />
          </>
        )}
      </Found>
      <AsCurl url={paths.invocation(app, id)} command={["invocations", "get", app, id]} />
    </>
  );
}

function About({ app, found, line }: { readonly app: string; readonly found: Invocation; readonly line: string }) {
  const redrives = found.redriveCount ?? 0;
  const events = useQuery({ ...history(app, found.executionId, found.status, redrives), enabled: redrives > 0 }).data?.events;
  return (
    <Facts
      facts={[
        [
          "Status",
          <span role="status" tabIndex={-1}>
            <StatusBadge status={found.status} /> {line === "live" && "live"}
            {line === "lost" && "connection lost, coming back…"}
          </span>,
        ],
        ["Target", `${found.target}, version ${found.version}`],
        ...timesOf(found, redrivenMs(events ?? [])),
        ["CPU", exactly(found.cpuUs / 1000)],
        ["Peak memory", bytes(found.peakMemoryBytes)],
      ]}
    />
  );
}

function Body({ app, found }: { readonly app: string; readonly found: Invocation }) {
  const id = found.executionId;
  const running = found.status === "RUNNING";
  const deployed = useQuery(version(app, found.version));
  const workflow = own(deployed.data?.workflows, found.target);
  const redrive = useRedrive(app, found, workflow?.definition ?? null);
  return (
    <>
      <Actions app={app} found={found} redrive={redrive} />
      {deployed.error && (
        <div className="trouble" role="alert">
          <strong>What version {found.version} is made of cannot be had</strong>
          <p>{deployed.error.message} Graph and states are missing below.</p>
        </div>
      )}
      {found.failure && <Failure app={app} id={id} version={found.version} failure={found.failure} />}
      {workflow && <Course app={app} found={found} definition={workflow.definition} redrive={redrive} />}
      {deployed.isSuccess && !workflow && <GrainInput app={app} found={found} />}
      <Output app={app} found={found} />
      {workflow ? <AttemptsOfStates app={app} found={found} definition={workflow.definition} /> : <Attempts app={app} id={id} running={running} />}
      <Written app={app} id={id} running={running} grains={Object.keys(deployed.data?.grains ?? {})} />
    </>
  );
}
