// A workflow with its graph, or a grain; and a run of it.
import { useMutation, useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { type Schemas, answered, client } from "../api/client";
import { application, paths } from "../api/queries";
import { EMPTY, graphOf } from "../model/definition";
import { jsonFault } from "../model/show";
import { AsCurl, Found, Title, To, Trouble, Value } from "../parts/bits";
import { Graph } from "../parts/Graph";
import { go } from "../parts/router";

const ASYNC = { Prefer: "respond-async" };

export function Target({ app, kind, name }: { readonly app: string; readonly kind: "workflow" | "grain"; readonly name: string }) {
  const query = useQuery(application(app));
  return (
    <>
      <Title trail={<To route={{ page: "application", app }}>{app}</To>}>{name}</Title>
      <Found query={query}>
        {(found) => {
          if (!(name in (kind === "workflow" ? found.workflows : found.grains))) {
            return <p role="alert">{`Version ${found.version} of ${app} has no ${kind} ${name}.`}</p>;
          }
          return (
            <>
              <p>
                A {kind} of version {found.version}. <To route={{ page: "executions", app, status: "", target: name, before: "" }}>Its executions</To>
              </p>
              <Run app={app} name={name} />
              {kind === "workflow" && <Workflow definition={found.workflows[name]?.definition ?? ""} />}
              {kind === "grain" && <Limits grain={found.grains[name]} />}
            </>
          );
        }}
      </Found>
    </>
  );
}

function Run({ app, name }: { readonly app: string; readonly name: string }) {
  const [input, setInput] = useState("{}");
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
  return (
    <section aria-labelledby="run">
      <h2 id="run">Run it</h2>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (fault === null) run.mutate();
        }}
      >
        <label htmlFor="input">Input, as JSON</label>
        <textarea
          id="input"
          rows={6}
          spellCheck={false}
          value={input}
          aria-invalid={fault !== null}
          aria-describedby="input-fault"
          onChange={(event) => setInput(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) event.currentTarget.form?.requestSubmit();
          }}
        />
        <p id="input-fault" aria-live="polite" className="fault">
          {fault ?? ""}
        </p>
        <button type="submit" disabled={run.isPending || fault !== null}>
          Run
        </button>
      </form>
      {run.error && <Trouble error={run.error} />}
      <AsCurl method="POST" url={paths.invoke(app, name)} headers={ASYNC} body={input} />
    </section>
  );
}

function Workflow({ definition }: { readonly definition: string }) {
  const graph = useMemo(() => (jsonFault(definition) === null ? graphOf(definition) : EMPTY), [definition]);
  return (
    <>
      <section aria-labelledby="graph">
        <h2 id="graph">Graph</h2>
        <Graph graph={graph} progress={null} />
      </section>
      <section aria-labelledby="definition">
        <h2 id="definition">Definition</h2>
        <Value text={definition} label="the definition" />
      </section>
    </>
  );
}

function Limits({ grain }: { readonly grain: Schemas["Version"]["grains"][string] | undefined }) {
  return (
    <section aria-labelledby="limits">
      <h2 id="limits">Settings</h2>
      <Value text={JSON.stringify(grain ?? {})} label="the settings" />
    </section>
  );
}
