// A workflow with its graph, or a grain; and a run of it.
import { useMutation, useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { type Schemas, answered, client } from "../api/client";
import { application, paths } from "../api/queries";
import { EMPTY, graphOf } from "../model/definition";
import { own } from "../model/members";
import { jsonFault } from "../model/show";
import { Found, Section, Title, To, Trouble, Value } from "../parts/bits";
import { AsCurl } from "../parts/copy";
import { Graph } from "../parts/Graph";
import { JsonField } from "../parts/JsonField";
import { useOnce } from "../parts/once";
import { go } from "../parts/router";

const ASYNC = { Prefer: "respond-async" };

interface Props {
  readonly app: string;
  readonly kind: "workflow" | "grain";
  readonly name: string;
  readonly input: string;
}

export function Target({ app, kind, name, input }: Props) {
  const query = useQuery(application(app));
  return (
    <>
      <Title trail={<To route={{ page: "application", app }}>{app}</To>}>{name}</Title>
      <Found query={query}>
        {(found) => {
          const workflow = own(found.workflows, name);
          const grain = own(found.grains, name);
          if ((kind === "workflow" ? workflow : grain) === undefined) {
            return <p role="alert">{`Version ${found.version} of ${app} has no ${kind} ${name}.`}</p>;
          }
          return (
            <>
              <p>
                A {kind} of version {found.version}. <To route={{ page: "executions", app, status: "", target: name, before: "" }}>Its executions</To>
              </p>
              <Run app={app} name={name} first={input} />
              {kind === "workflow" && workflow && <Workflow definition={workflow.definition} />}
              {kind === "grain" && grain && <Limits grain={grain} />}
            </>
          );
        }}
      </Found>
    </>
  );
}

function Run({ app, name, first }: { readonly app: string; readonly name: string; readonly first: string }) {
  const [input, setInput] = useState(first);
  const fault = jsonFault(input);
  const run = useMutation({
    mutationFn: () =>
      answered(
        client.POST("/invoke/{app}/{target}", {
          params: { path: { app, target: name } },
          headers: { ...ASYNC, "Content-Type": "application/json" },
          // As it was typed: a number may have more digits than JavaScript keeps.
          body: input,
          bodySerializer: (body: unknown) => String(body),
        }),
      ) as Promise<Schemas["Accepted"]>,
    onSuccess: (accepted) => go({ page: "execution", app, id: accepted.executionId }),
  });
  const runOnce = useOnce(run);
  return (
    <Section title="Run it" id="run">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (fault === null) runOnce();
        }}
      >
        <JsonField id="input" label="Input, as JSON" value={input} fault={fault} rows={6} onChange={setInput} />
        <button type="submit" className="first" disabled={run.isPending || fault !== null}>
          Run
        </button>
      </form>
      {run.error && <Trouble error={run.error} />}
      <AsCurl method="POST" url={paths.invoke(app, name)} headers={ASYNC} body={input} command={["invoke", `${app}/${name}`, "--async", "--data", input]} />
    </Section>
  );
}

function Workflow({ definition }: { readonly definition: string }) {
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

function Limits({ grain }: { readonly grain: Schemas["Version"]["grains"][string] }) {
  return (
    <Section title="Settings">
      <Value text={JSON.stringify(grain)} label="the settings" />
    </Section>
  );
}
