// The input of a test: typed freely, or an event that is chosen by its name, with what was typed over it.
import { useQuery } from "@tanstack/react-query";
import { type Target, savedEvent, savedEvents } from "../../api/savedEvents";
import { withLf } from "../../model/lines";
import { type EventDraft, type KeptEvent, type Listed, readEventDraft, typedEvent } from "../../model/savedEvent";
import { useIsKept, useKept, useKeptText } from "../kept";
import { useInput } from "../Run";

export interface TestEvent {
  /** Of which version the files are; undefined: nothing is known yet. */
  readonly version: number | undefined;
  readonly events: readonly Listed[];
  /** "": none, the input is typed freely. */
  readonly chosen: string;
  readonly choose: (name: string) => void;
  readonly kept: KeptEvent | undefined;
  /** What was typed over the chosen one and is not saved. */
  readonly draft: EventDraft | null;
  readonly setDraft: (next: (before: EventDraft | null) => EventDraft | null) => void;
  /** A reload leaves the draft. */
  readonly isKept: boolean;
  /** Undefined while it is on its way. */
  readonly text: string | undefined;
  readonly setText: (text: string) => void;
  readonly error: Error | null;
}

const write = (draft: EventDraft | null): string | null => (draft === null ? null : JSON.stringify(draft));

/** @param given an input to begin with, in place of what was typed or chosen last; null: there is none */
export function useEvent(target: Target, given: string | null = null): TestEvent {
  const of = `${target.app}/${target.name}`;
  const [free, setFree] = useInput(target.app, target.name, given);
  const [wanted, choose] = useKeptText(`event.${of}${given === null ? "" : `?${given}`}`, "");
  const name = `event.${of}/${wanted}`;
  const [draft, setDraft] = useKept<EventDraft | null>(name, readEventDraft, write);
  const isKept = useIsKept(name);
  const listed = useQuery(savedEvents(target));
  const events = listed.data?.events ?? [];
  // One that somebody else has deleted is chosen as long as something is typed over it.
  const isThere = listed.data === undefined || draft !== null || events.some((one) => one.name === wanted);
  const chosen = isThere ? wanted : "";
  const one = useQuery(savedEvent(target, chosen));
  const kept = chosen === "" ? undefined : one.data;
  const isFree = chosen === "";
  return {
    version: listed.data?.version,
    events,
    chosen,
    choose,
    kept,
    draft: isFree ? null : draft,
    setDraft,
    isKept,
    text: isFree ? free : (draft?.text ?? (kept && withLf(kept.text))),
    setText: isFree ? setFree : (text) => kept && setDraft((before) => typedEvent(before, kept, text)),
    error: listed.error ?? (isFree ? null : one.error),
  };
}
