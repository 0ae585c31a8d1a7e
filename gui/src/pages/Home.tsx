// All applications, and how to get the first one.
import { useQuery } from "@tanstack/react-query";
import { SERVER, type Schemas } from "../api/client";
import { applications, paths } from "../api/queries";
import { asCommand } from "../model/command";
import { when } from "../model/show";
import { Found, Title, To } from "../parts/bits";
import { AsCurl, Command } from "../parts/copy";
import { type Column, Table } from "../parts/Table";
import { Examples } from "./home/Examples";

type Row = Schemas["Applications"]["applications"][number];

const COLUMNS: readonly Column<Row>[] = [
  { head: "Application", cell: (one) => <To route={{ page: "application", app: one.name }}>{one.name}</To> },
  { head: "Live version", kind: "number", cell: (one) => one.live ?? "none" },
  { head: "Versions", kind: "number", cell: (one) => one.versions },
  { head: "Grains", kind: "number", cell: (one) => one.grains?.length ?? "–" },
  { head: "Workflows", kind: "number", cell: (one) => one.workflows?.length ?? "–" },
  { head: "Deployed", cell: (one) => (one.createdMs === undefined ? "–" : when(one.createdMs)) },
];

export function Home() {
  const query = useQuery(applications());
  return (
    <>
      <Title
        aside={
          <To className="button first" route={{ page: "deploy", into: "" }}>
            New application
          </To>
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
              columns={COLUMNS}
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
