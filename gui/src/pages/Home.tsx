// All applications, and how to get the first one.
import { useQuery } from "@tanstack/react-query";
import { SERVER, type Schemas } from "../api/client";
import { applications, paths } from "../api/queries";
import { figures } from "../api/figures";
import { asCommand } from "../model/command";
import { type Figures, failures, latency, rate, seconds } from "../model/figures";
import { when } from "../model/show";
import { Found, Title, To, ToApplication, Trouble } from "../parts/bits";
import { Way } from "../parts/Button";
import { AsCurl, Command } from "../parts/copy";
import { type Column, Table } from "../parts/Table";
import { Examples } from "./home/Examples";
import { Lately } from "./home/Lately";

type Row = Schemas["Applications"]["applications"][number];

interface Props {
  /** The application whose figures are shown; empty: the busiest. */
  readonly of: string;
  readonly minutes: number;
}

const columns = (lately: Figures | undefined): readonly Column<Row>[] => {
  const of = (app: string) => lately?.applications.find((one) => one.application === app);
  return [
    { head: "Application", cell: (one) => <ToApplication app={one.name} /> },
    { head: "Live version", kind: "number", cell: (one) => one.live ?? "none" },
    { head: "Rate", kind: "number", cell: (one) => lately && rate(of(one.name)?.ended ?? 0, seconds(lately)) },
    { head: "Failed", kind: "number", cell: (one) => lately && failures(of(one.name) ?? { ended: 0, failed: 0 }) },
    { head: "p50", kind: "number", cell: (one) => latency(of(one.name)?.p50Ms) },
    { head: "p95", kind: "number", cell: (one) => latency(of(one.name)?.p95Ms) },
    { head: "p99", kind: "number", cell: (one) => latency(of(one.name)?.p99Ms) },
    { head: "Grains", kind: "number", cell: (one) => one.grains?.length ?? "–" },
    { head: "Workflows", kind: "number", cell: (one) => one.workflows?.length ?? "–" },
    { head: "Deployed", cell: (one) => (one.createdMs === undefined ? "–" : when(one.createdMs)) },
  ];
};

export function Home({ of, minutes }: Props) {
  const query = useQuery(applications());
  const { data: lately, error: unknown } = useQuery(figures(minutes));
  return (
    <>
      <Title
        aside={
          <Way scope="deploy" className="button first" route={{ page: "deploy", into: "" }}>
            New application
          </Way>
        }
      >
        Applications
      </Title>
      <Found query={query}>
        {({ applications: found }) => (
          <>
            <Table
              caption="Applications"
              rows={found}
              rowKey={(one) => one.name}
              columns={columns(lately)}
              empty={
                <>
                  <h2>Nothing is deployed yet</h2>
                  <p>
                    <To route={{ page: "deploy", into: "" }}>Drop an application into the browser, or begin with an example</To>. Or by command:
                  </p>
                  <FirstRun />
                </>
              }
            />
            {unknown !== null && found.length > 0 && <Trouble error={unknown} />}
            {lately && found.length > 0 && <Lately figures={lately} names={found.map((one) => one.name)} chosen={of} minutes={minutes} />}
            {found.length > 0 && (
              <details>
                <summary>Another application, by command</summary>
                <FirstRun />
              </details>
            )}
          </>
        )}
      </Found>
      <Examples there={query.data?.applications.map((one) => one.name) ?? []} />
      <AsCurl url={paths.applications()} command={["list"]} />
    </>
  );
}

function FirstRun() {
  return (
    <ol className="steps">
      <li>
        Make a folder with an application of one grain and one workflow:
        <Command text="./sand init hello" />
      </li>
      <li>
        Deploy it:
        <Command text={asCommand(SERVER, ["deploy", "hello"])} />
      </li>
      <li>
        Run its workflow, here or so:
        <Command text={asCommand(SERVER, ["invoke", "hello/main", "--data", '{"name": "Ada"}'])} />
      </li>
    </ol>
  );
}
