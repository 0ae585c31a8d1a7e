// A workflow with its graph; and a run of it.
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { application } from "../api/queries";
import { EMPTY, graphOf } from "../model/definition";
import { own } from "../model/members";
import { jsonFault } from "../model/show";
import { Found, Section, Title, To, Value } from "../parts/bits";
import { Graph } from "../parts/Graph";
import { go } from "../parts/router";
import { Run } from "./target/Run";

interface Props {
  readonly app: string;
  readonly name: string;
  /** To begin with. */
  readonly input: string | null;
}

export function Workflow({ app, name, input }: Props) {
  const query = useQuery(application(app));
  return (
    <>
      <Title trail={<To route={{ page: "application", app }}>{app}</To>}>{name}</Title>
      <Found query={query}>
        {(found) => {
          const workflow = own(found.workflows, name);
          if (workflow === undefined) return <p role="alert">{`Version ${found.version} of ${app} has no workflow ${name}.`}</p>;
          return (
            <>
              <p>
                A workflow of version {found.version}. <To route={{ page: "executions", app, status: "", target: name, before: "" }}>Its executions</To>
              </p>
              <Section title="Run it" id="run">
                <Run app={app} name={name} given={input} onRun={(id) => go({ page: "execution", app, id })} />
              </Section>
              <Definition definition={workflow.definition} />
            </>
          );
        }}
      </Found>
    </>
  );
}

function Definition({ definition }: { readonly definition: string }) {
  const graph = useMemo(() => (jsonFault(definition) === null ? graphOf(definition) : EMPTY), [definition]);
  return (
    <>
      <Section title="Graph">
        <Graph graph={graph} progress={null} />
      </Section>
      <Section title="Definition">
        <Value text={definition} label="the definition" />
      </Section>
    </>
  );
}
