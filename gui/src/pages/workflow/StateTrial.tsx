// The chosen state tried by itself, as the text stands: in memory, with something in place of what its task would give.
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { answered, client } from "../../api/client";
import { paths } from "../../api/queries";
import type { StateNode } from "../../model/definition";
import { jsonFault, value, visible } from "../../model/show";
import { GIVES, type Gives, trialBody, trialWords } from "../../model/trial";
import { Trouble } from "../../parts/bits";
import { Button } from "../../parts/Button";
import { AsCurl } from "../../parts/copy";
import { JsonField } from "../../parts/JsonField";
import { useKeptText } from "../../parts/kept";
import { useOnce } from "../../parts/once";

const JSON_TYPE = { "Content-Type": "application/json" };
const FIRST: Record<Gives, string> = { "its input": "null", "a result": "null", "an error": '{"error": "Name", "cause": "words"}' };

interface Props {
  readonly app: string;
  readonly workflow: string;
  readonly definition: string;
  readonly state: StateNode;
  readonly grains: readonly string[];
}

export function StateTrial({ app, workflow, definition, state, grains }: Props) {
  const [input, setInput] = useKeptText(`trial.${app}/${workflow}/${state.name}`, "{}");
  const [gives, setGives] = useState<Gives>("its input");
  const [given, setGiven] = useKeptText(`trial.${app}/${workflow}/${state.name}/${gives}`, FIRST[gives]);
  const fault = jsonFault(input);
  const givenFault = gives === "its input" ? null : jsonFault(given);
  const isOff = fault !== null || givenFault !== null;
  const body = isOff ? "" : trialBody(definition, state, input, gives, given, grains);
  const trial = useMutation({
    mutationFn: () =>
      answered(
        client.POST("/api/v1/asl/test-state", {
          headers: JSON_TYPE,
          // As it was typed: a number may have more digits than JavaScript keeps.
          body: body as never,
          bodySerializer: (text: unknown) => String(text),
          parseAs: "text",
        }),
      ) as unknown as Promise<string>,
  });
  const tryOnce = useOnce(trial);
  return (
    <details className="trial">
      <summary>Test {state.name} alone</summary>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (!isOff) tryOnce();
        }}
      >
        <JsonField id="trial-input" label="What it is given, as JSON" value={input} fault={fault} rows={3} onChange={setInput} />
        <label>
          A grain that it calls gives{" "}
          <select value={gives} onChange={(event) => setGives(event.target.value as Gives)}>
            {GIVES.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        </label>
        {gives !== "its input" && <JsonField id="trial-given" label={gives === "a result" ? "The result, as JSON" : "The error, as JSON"} value={given} fault={givenFault} rows={2} onChange={setGiven} />}
        <Button scope="invoke" type="submit" className="small" aria-disabled={trial.isPending} disabled={isOff}>
          Test
        </Button>
      </form>
      {trial.error && <Trouble error={trial.error} />}
      <div role="status">
        {trial.data !== undefined && (
          <>
            <p>{visible(trialWords(trial.data))}</p>
            <pre tabIndex={0} aria-label="what came of the test">
              {visible(value(trial.data).text)}
            </pre>
          </>
        )}
      </div>
      {!isOff && <AsCurl method="POST" url={paths.testState()} headers={JSON_TYPE} body={body} />}
    </details>
  );
}
