// One value: shown, edited and deleted under the version that was read, so that nobody's change is lost.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { dataPaths, dataValue, deleteValue, isConflict, putValue } from "../../api/data";
import { Refusal } from "../../api/client";
import { operands } from "../../model/command";
import { type StoredValue, type ValueDraft, isJson, isOvertaken, leftToSave, readValueDraft, textOf, typedValue, unlike } from "../../model/data";
import { isText as isTextual } from "../../model/execution";
import { withLf } from "../../model/lines";
import { bytes, jsonFault } from "../../model/show";
import { Facts, Section, Trouble } from "../../parts/bits";
import { Button } from "../../parts/Button";
import { Confirm } from "../../parts/Confirm";
import { AsCurl } from "../../parts/copy";
import { Download } from "../../parts/Download";
import { JsonField } from "../../parts/JsonField";
import { LargeValue } from "../../parts/LargeValue";
import { useIsKept, useKept } from "../../parts/kept";
import { useOnce } from "../../parts/once";
import { Overtaken } from "./Overtaken";

interface Props {
  readonly app: string;
  readonly name: string;
}

const NONE: StoredValue = { version: "", contentType: "application/json", size: 0, bytes: new Uint8Array() };
const write = (draft: ValueDraft | null): string | null => (draft === null ? null : JSON.stringify(draft));

export function OneValue({ app, name }: Props) {
  const query = useQuery(dataValue(app, name));
  const isAbsent = query.error instanceof Refusal && query.error.problem?.type?.endsWith("unknown-key") === true;
  const stored = isAbsent ? NONE : query.data;
  return (
    <Section title={name} id="value">
      {query.error !== null && !isAbsent && <Trouble error={query.error} />}
      {query.isPending && <p role="status">Loading…</p>}
      {stored && <Editing app={app} name={name} stored={stored} />}
      <AsCurl name="value" url={dataPaths.value(app, name)} command={["data", "get", ...operands(app, name)]} />
    </Section>
  );
}

/** @param stored as it was last read: what was typed into an earlier version is kept until whoever typed it has chosen */
function Editing({ app, name, stored }: Props & { readonly stored: StoredValue }) {
  const cache = useQueryClient();
  const place = `draft.${app}/data/${name}`;
  const [typed, setDraft] = useKept<ValueDraft | null>(place, readValueDraft, write);
  const isKept = useIsKept(place);
  const draft = unlike(typed, stored);
  useEffect(() => {
    if (typed !== null && draft === null) setDraft(() => null);
  }, [typed, draft]);
  const shown = textOf(stored);
  const text = draft?.text ?? ("text" in shown ? withLf(shown.text) : "");
  const isText = draft !== null || "text" in shown;
  const isThere = stored.version !== "";
  const { contentType } = draft ?? stored;
  // Of a key that is new nothing was typed yet, which is no fault.
  const isToSave = draft !== null || isThere;
  const fault = isToSave && isJson(contentType) ? jsonFault(text) : null;
  const keys = (): Promise<void> => cache.invalidateQueries({ queryKey: ["data", app] });
  /** Another's change is looked at, when that is why it was refused. */
  const onError = (error: Error): Promise<unknown> | undefined => (isConflict(error) ? Promise.all([keys(), cache.invalidateQueries({ queryKey: ["value", app, name] })]) : undefined);
  const save = useMutation({
    mutationFn: (sent: ValueDraft) => putValue({ app, key: name, text: sent.text, contentType: sent.contentType, expected: sent.version === "" ? null : sent.version }),
    onSuccess: async (now, sent) => {
      cache.setQueryData(["value", app, name], now);
      setDraft((left) => leftToSave(left, sent.text, now.version));
      await keys();
    },
    onError,
  });
  const drop = useMutation({
    mutationFn: () => deleteValue(app, name, stored.version),
    onSuccess: async () => {
      setDraft(() => null);
      await Promise.all([keys(), cache.resetQueries({ queryKey: ["value", app, name] })]);
    },
    onError,
  });
  const [saveOnce, dropOnce] = [useOnce(save), useOnce(drop)];
  const isBehind = isOvertaken(draft, stored) && !save.isPending;
  const canSave = isText && isToSave && fault === null && !isBehind;
  const error = save.error ?? drop.error;
  const form = useRef<HTMLFormElement>(null);
  const choose = (next: ValueDraft | null): void => {
    setDraft(() => next);
    save.reset();
    // What was pressed is not there any more.
    window.setTimeout(() => form.current?.querySelector("textarea")?.focus());
  };
  return (
    <>
      <Facts
        facts={[
          ["Version", isThere ? stored.version.replaceAll('"', "") : "none yet"],
          ["Type", contentType],
          ["Size", isThere ? bytes(stored.size) : null],
        ]}
      />
      {error && !isConflict(error) && <Trouble error={error} />}
      {isConflict(drop.error) && !drop.isPending && <p role="alert">Somebody changed it since it was read. It was not deleted: this is what is stored by now.</p>}
      {isBehind && <Overtaken stored={stored} draft={draft} choose={choose} />}
      <form
        ref={form}
        onSubmit={(event) => {
          event.preventDefault();
          if (canSave) saveOnce(draft ?? { version: stored.version, contentType, text });
        }}
      >
        {isText ? (
          <JsonField id="data-value" label={isJson(contentType) ? "Value, as JSON" : "Value"} value={text} fault={fault} rows={8} onChange={(now) => setDraft((before) => typedValue(before, stored, now))} />
        ) : (
          <>
            <p>{"instead" in shown && shown.instead}</p>
            {stored.bytes === null && isTextual(stored.contentType) && (
              <LargeValue key={stored.version} url={dataPaths.value(app, name)} size={stored.size} isJson={isJson(stored.contentType)} label={`the value of ${name}`} />
            )}
          </>
        )}
        <div className="actions">
          {isText && (
            <Button scope="deploy" type="submit" className="first" aria-disabled={save.isPending} disabled={!canSave}>
              Save
            </Button>
          )}
          {draft !== null && !isBehind && !save.isPending && (
            <Confirm label="Drop what was typed" title="Drop what was typed?" onConfirm={() => choose(null)}>
              <p>What was typed over {name} since it was saved will be gone.</p>
            </Confirm>
          )}
          {isThere && <Download url={dataPaths.value(app, name)} name="value" />}
          {isThere && (
            <Confirm scope="deploy" label="Delete" title={`Delete ${name}?`} disabled={drop.isPending} onConfirm={() => dropOnce()}>
              <p>
                Its value is gone then{draft !== null && ", with what was typed over it"}, and triggers on data fire.
              </p>
            </Confirm>
          )}
          <span role="status" className="quiet">
            {draft !== null && !save.isPending && (isKept ? "It differs from what is stored; kept in this tab until saved." : "It differs from what is stored; this browser has no room to keep it: a reload would lose it.")}
          </span>
        </div>
      </form>
    </>
  );
}
