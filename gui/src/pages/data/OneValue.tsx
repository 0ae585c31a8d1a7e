// One value: shown, edited and deleted under the version that was read, so that nobody's change is lost.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { type Kept, dataPaths, dataValue, deleteValue, isConflict, putValue } from "../../api/data";
import { Refusal } from "../../api/client";
import { isJson, textOf } from "../../model/data";
import { bytes, jsonFault } from "../../model/show";
import { Facts, Section, Trouble } from "../../parts/bits";
import { Confirm } from "../../parts/Confirm";
import { AsCurl } from "../../parts/copy";
import { Download } from "../../parts/Download";
import { JsonField } from "../../parts/JsonField";
import { useOnce } from "../../parts/once";

interface Props {
  readonly app: string;
  readonly name: string;
}

const NONE: Kept = { version: "", contentType: "application/json", bytes: new Uint8Array() };

export function OneValue({ app, name }: Props) {
  const query = useQuery(dataValue(app, name));
  const isAbsent = query.error instanceof Refusal && query.error.problem?.type?.endsWith("unknown-key") === true;
  const kept = isAbsent ? NONE : query.data;
  return (
    <Section title={name} id="value">
      {query.error !== null && !isAbsent && <Trouble error={query.error} />}
      {query.isPending && <p role="status">Loading…</p>}
      {kept && <Editing key={name} app={app} name={name} found={kept} />}
      <AsCurl name="value" url={dataPaths.value(app, name)} command={["data", "get", app, name]} />
    </Section>
  );
}

/** @param found as it was last read: what is typed stays over the version that it was typed over, whatever comes */
function Editing({ app, name, found }: Props & { readonly found: Kept }) {
  const cache = useQueryClient();
  const [kept, setKept] = useState(found);
  const [typed, setTyped] = useState<string | null>(null);
  if (typed === null && found !== kept) setKept(found);
  const shown = textOf(kept);
  const text = typed ?? ("text" in shown ? shown.text : "");
  const isThere = kept.version !== "";
  const fault = isJson(kept.contentType) ? jsonFault(text) : null;
  const again = (): void => void Promise.all([cache.invalidateQueries({ queryKey: ["data", app] }), cache.resetQueries({ queryKey: ["value", app, name] })]);
  const save = useMutation({
    mutationFn: () => putValue({ app, key: name, text, contentType: kept.contentType, expected: isThere ? kept.version : null }),
    onSuccess: again,
  });
  const drop = useMutation({ mutationFn: () => deleteValue(app, name, kept.version), onSuccess: again });
  const [saveOnce, dropOnce] = [useOnce(save), useOnce(drop)];
  const error = save.error ?? drop.error;
  return (
    <>
      <Facts
        facts={[
          ["Version", isThere ? kept.version.replaceAll('"', "") : "none yet"],
          ["Type", kept.contentType],
          ["Size", isThere ? bytes(kept.bytes.length) : null],
        ]}
      />
      {error && <Trouble error={error} />}
      {isConflict(error) && (
        <p>
          Somebody changed it since it was read. What was typed is still here.{" "}
          <button type="button" className="small" onClick={again}>
            Read it again
          </button>
        </p>
      )}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (fault === null) saveOnce();
        }}
      >
        {"text" in shown ? (
          <JsonField id="data-value" label={isJson(kept.contentType) ? "Value, as JSON" : "Value"} value={text} fault={fault} rows={8} onChange={setTyped} />
        ) : (
          <p>{shown.instead}</p>
        )}
        <div className="actions">
          {"text" in shown && (
            <button type="submit" className="first" aria-disabled={save.isPending} disabled={fault !== null}>
              Save
            </button>
          )}
          {isThere && <Download url={dataPaths.value(app, name)} name="value" />}
          {isThere && (
            <Confirm label="Delete" title={`Delete ${name}?`} disabled={drop.isPending} onConfirm={() => dropOnce()}>
              <p>Its value is gone then, and triggers on data fire.</p>
            </Confirm>
          )}
        </div>
      </form>
    </>
  );
}
