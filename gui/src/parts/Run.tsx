// A run of a grain or a workflow with an input, which stays as it was typed.
import { useMutation } from "@tanstack/react-query";
import { type Schemas, answered, client } from "../api/client";
import { paths } from "../api/queries";
import { jsonFault } from "../model/show";
import { Trouble } from "./bits";
import { AsCurl } from "./copy";
import { JsonField } from "./JsonField";
import { useKeptText } from "./kept";
import { useOnce } from "./once";

const ASYNC = { Prefer: "respond-async" };

interface Props {
  readonly app: string;
  readonly name: string;
  /** An input to begin with, in place of what was typed last. */
  readonly given?: string | null;
  readonly onRun: (executionId: string) => void;
}

export function Run({ app, name, given = null, onRun }: Props) {
  const [input, setInput] = useKeptText(`input.${app}/${name}${given === null ? "" : `?${given}`}`, given ?? "{}");
  const fault = jsonFault(input);
  const run = useMutation({
    mutationFn: () =>
      answered(
        client.POST("/api/v1/applications/{app}/invoke/{target}", {
          params: { path: { app, target: name } },
          headers: { ...ASYNC, "Content-Type": "application/json" },
          // As it was typed: a number may have more digits than JavaScript keeps.
          body: input,
          bodySerializer: (body: unknown) => String(body),
        }),
      ) as Promise<Schemas["Accepted"]>,
    onSuccess: (accepted) => onRun(accepted.executionId),
  });
  const runOnce = useOnce(run);
  return (
    <>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (fault === null) runOnce();
        }}
      >
        <JsonField id="input" label="Input, as JSON" value={input} fault={fault} rows={6} onChange={setInput} />
        <button type="submit" className="first" aria-disabled={run.isPending} disabled={fault !== null}>
          Run
        </button>
      </form>
      {run.error && <Trouble error={run.error} />}
      <AsCurl method="POST" url={paths.invoke(app, name)} headers={ASYNC} body={input} command={["invoke", `${app}/${name}`, "--async", "--data", input]} />
    </>
  );
}
