// A run of a grain or a workflow with an input, which stays as it was typed.
import { useMutation } from "@tanstack/react-query";
import { type Schemas, answered, client } from "../api/client";
import { paths } from "../api/queries";
import { invokeWords } from "../model/savedEvent";
import { jsonFault } from "../model/show";
import { Trouble } from "./bits";
import { Button } from "./Button";
import { AsCurl } from "./copy";
import { JsonField } from "./JsonField";
import { useKeptText } from "./kept";
import { useOnce } from "./once";

const ASYNC = { Prefer: "respond-async" };

interface Props {
  readonly app: string;
  readonly name: string;
  readonly input: string;
  readonly onInput: (text: string) => void;
  /** Under which the platform has that input, as an event; "": under none. */
  readonly event?: string;
  readonly onRun: (executionId: string) => void;
}

/** @param given an input to begin with, in place of what was typed last */
export function useInput(app: string, name: string, given: string | null = null): readonly [string, (text: string) => void] {
  return useKeptText(`input.${app}/${name}${given === null ? "" : `?${given}`}`, given ?? "{}");
}

export function Run({ app, name, input, onInput, event = "", onRun }: Props) {
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
        onSubmit={(submitted) => {
          submitted.preventDefault();
          if (fault === null) runOnce();
        }}
      >
        <JsonField id="input" label="Input, as JSON" value={input} fault={fault} rows={6} onChange={onInput} />
        <Button scope="invoke" type="submit" className="first" aria-disabled={run.isPending} disabled={fault !== null}>
          Run
        </Button>
      </form>
      {run.error && <Trouble error={run.error} />}
      <AsCurl method="POST" url={paths.invoke(app, name)} headers={ASYNC} body={input} command={invokeWords(`${app}/${name}`, input, event)} />
    </>
  );
}
