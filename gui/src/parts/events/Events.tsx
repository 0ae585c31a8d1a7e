// Events by name, which everybody who tests the grain or workflow has: one is chosen, edited, saved under its name or another one, deleted.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { type Target, deleteEvent, eventPath, expecting, saveEvent } from "../../api/savedEvents";
import { type EventDraft, isOvertaken, leftOf, nameFault, optionOf, sizeFault } from "../../model/savedEvent";
import { withLf } from "../../model/lines";
import { jsonFault } from "../../model/show";
import { Trouble } from "../bits";
import { Button } from "../Button";
import { Confirm } from "../Confirm";
import { Changes } from "../Changes";
import { AsCurl } from "../copy";
import { Download } from "../Download";
import { useKeptText } from "../kept";
import { useOnce } from "../once";
import type { TestEvent } from "./event";

interface Props {
  readonly target: Target;
  readonly event: TestEvent;
}

/** With what it was sent from: another event may be chosen when the answer comes. */
interface Sent {
  readonly from: TestEvent;
  readonly name: string;
  readonly text: string;
  /** The version that is replaced; null: there is to be none. */
  readonly tag: string | null;
}

export function Events({ target, event }: Props) {
  const { app } = target;
  const of = `${app}/${target.name}`;
  const { chosen, choose, events, kept, draft, setDraft, text } = event;
  const cache = useQueryClient();
  const [name, setName] = useKeptText(`event-name.${of}/${chosen}`, chosen);
  const [said, setSaid] = useState({ of: "", text: "" });
  const select = useRef<HTMLSelectElement>(null);
  const listed = events.find((one) => one.name === chosen);
  /** What was pressed is not there any more; a dialog that closes gives the focus back to it first. */
  const focus = (): void => void window.setTimeout(() => select.current?.focus());
  const choice = (next: (now: EventDraft | null) => EventDraft | null): void => {
    setDraft(next);
    focus();
  };
  const again = async (changed: string): Promise<void> => {
    await Promise.all([["saved-events", app, target.name], ["saved-event", app, target.name, changed]].map((queryKey) => cache.invalidateQueries({ queryKey })));
  };
  const save = useMutation({
    mutationFn: ({ name, text, tag }: Sent) => saveEvent(target, name, text, tag),
    onSuccess: async (tag, { from, name, text }) => {
      cache.setQueryData(["saved-event", app, target.name, name], { tag, text });
      from.setDraft((now) => leftOf(now, text, name === from.chosen ? tag : (now?.tag ?? null)));
      await again(name);
      if (chosen !== from.chosen) return;
      setName(chosen);
      choose(name);
      setSaid({ of: name, text: `${name} is saved.` });
    },
    // What somebody else has saved is looked at, when that is why.
    onError: (_, sent) => again(sent.name),
  });
  const drop = useMutation({
    mutationFn: ({ from, tag }: { readonly from: TestEvent; readonly tag: string }) => deleteEvent(target, from.chosen, tag),
    onSuccess: async (_, { from }) => {
      const isFile = from.events.some((one) => one.name === from.chosen && one.file !== null);
      from.setDraft(() => null);
      if (!isFile && chosen === from.chosen) choose("");
      setSaid({ of: isFile ? from.chosen : "", text: isFile ? `${from.chosen} is the file again.` : `${from.chosen} is gone.` });
      await again(from.chosen);
      focus();
    },
    onError: (_, { from }) => again(from.chosen),
  });
  const [saveOnce, dropOnce] = [useOnce(save), useOnce(drop)];
  const isPending = save.isPending || drop.isPending;
  useEffect(() => {
    save.reset();
    drop.reset();
  }, [chosen]);

  const isBehind = kept !== undefined && isOvertaken(draft, kept) && !isPending;
  const isGone = kept?.tag === null && kept.text === "";
  const fault = nameFault(name, chosen, events);
  const isNew = name !== chosen;
  const tag = isNew ? null : (draft ?? kept)?.tag ?? null;
  const canSave = name !== "" && fault === null && text !== undefined && jsonFault(text) === null && sizeFault(text) === null && (isNew || (draft !== null && !isBehind));
  // That it is no JSON is said below its field.
  const told = fault ?? (name === "" ? null : sizeFault(text ?? ""));
  const path = eventPath(target, name === "" || fault !== null ? "NAME" : name);
  return (
    <>
      <div className="filters">
        <label>
          Saved event{" "}
          <select ref={select} value={chosen} onChange={(changed) => choose(changed.target.value)}>
            <option value="">none</option>
            {chosen !== "" && !listed && <option value={chosen}>{chosen}</option>}
            {events.map((one) => (
              <option key={one.name} value={one.name}>
                {optionOf(one, event.version ?? 0)}
              </option>
            ))}
          </select>
        </label>
        <form
          onSubmit={(submitted) => {
            submitted.preventDefault();
            if (canSave) saveOnce({ from: event, name, text, tag });
          }}
        >
          <label>
            Name <input value={name} autoCapitalize="none" autoComplete="off" spellCheck={false} aria-invalid={fault !== null} aria-describedby="event-fault" onChange={(changed) => setName(changed.target.value)} />
          </label>{" "}
          <Button scope="deploy" type="submit" aria-disabled={isPending} disabled={!canSave}>
            Save the event
          </Button>
        </form>
        {listed && <Download url={eventPath(target, chosen)} name={`${chosen}.json`} />}
        {draft !== null && !isBehind && !isPending && (
          <Confirm label="Drop what was typed" title="Drop what was typed?" onConfirm={() => choice(() => null)}>
            <p>What was typed over {chosen} since it was saved will be gone.</p>
          </Confirm>
        )}
        {kept?.tag != null && (
          <Confirm scope="deploy" label="Delete" title={`Delete ${chosen}?`} disabled={isPending} onConfirm={() => kept.tag !== null && dropOnce({ from: event, tag: kept.tag })}>
            <p>
              It is gone then for everybody who tests this {target.kind}{draft !== null && ", with what was typed over it"}.
              {listed?.file != null && ` The file ${listed.file} is taken in its place.`}
            </p>
          </Confirm>
        )}
        <span role="status" className="quiet">
          {isPending && "saving…"}
          {!isPending && draft !== null && `It differs from what is kept as ${chosen}; ${event.isKept ? "kept in this tab until saved." : "this browser has no room to keep it: a reload would lose it."}`}
          {!isPending && draft === null && said.of === chosen && said.text}
        </span>
      </div>
      <p id="event-fault" className="fault" aria-live="polite">
        {told}
      </p>
      {isBehind && (
        <div role="alert" className="trouble">
          <strong>{isGone ? `${chosen} was deleted meanwhile` : `Somebody else saved ${chosen} meanwhile`}</strong>
          <p>What was typed here is still in the field.{!isGone && " This is how it differs from what is saved:"}</p>
          {!isGone && <Changes files={[{ path: chosen, change: "changed", before: withLf(kept.text), after: draft?.text ?? "" }]} />}
          <div className="actions">
            <button type="button" onClick={() => choice((now) => now && { ...now, tag: kept.tag })}>
              Keep mine, to be saved
            </button>
            <button type="button" className="danger" onClick={() => choice(() => null)}>
              Drop mine
            </button>
          </div>
        </div>
      )}
      {(save.error ?? drop.error) && !isBehind && fault === null && <Trouble error={save.error ?? drop.error} />}
      <AsCurl
        name="save event"
        method="PUT"
        url={path}
        headers={expecting(tag)}
        body={text ?? ""}
        command={["events", "save", of, name === "" || fault !== null ? "NAME" : name, "--data", text ?? ""]}
      />
    </>
  );
}
