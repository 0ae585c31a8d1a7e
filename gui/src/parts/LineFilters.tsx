// Which lines of a log are wanted: fields for it. What is typed is asked for when somebody stops typing.
import { useEffect, useRef, useState } from "react";
import { askedMs } from "../model/executionId";
import { LEVELS, type LineFilter, STREAMS } from "../model/logs";
import { Choice } from "./Choice";

const TYPED_MS = 200;
const MOST_TEXT = 256;

interface Props {
  readonly filter: LineFilter;
  readonly grains: readonly string[];
  /** Of lines that are one execution's there is none to be named. */
  readonly isOfOne?: boolean;
  readonly onChange: (filter: LineFilter) => void;
}

export function LineFilters({ filter, grains, isOfOne = false, onChange }: Props) {
  const hidden = filter.hide.split(",");

  function hide(stream: string, isHidden: boolean): void {
    const now = STREAMS.filter((one) => (one === stream ? isHidden : hidden.includes(one))).join(",");
    onChange({ ...filter, hide: now });
  }

  return (
    <>
      <Choice label="Grain" value={filter.grain} options={grains} onChoose={(grain) => onChange({ ...filter, grain })} />
      <Choice label="Level, at least" value={filter.level} options={LEVELS} onChoose={(level) => onChange({ ...filter, level })} />
      <Typed label="With the text" value={filter.text} most={MOST_TEXT} onType={(text) => onChange({ ...filter, text })} />
      {!isOfOne && <Typed label="Execution" value={filter.execution} most={26} isValue={(id) => askedMs(id) !== null} onType={(execution) => onChange({ ...filter, execution })} />}
      <fieldset>
        <legend>Streams</legend>
        {STREAMS.map((stream) => (
          <label key={stream}>
            <input type="checkbox" checked={!hidden.includes(stream)} onChange={(event) => hide(stream, !event.target.checked)} /> {stream}
          </label>
        ))}
      </fieldset>
    </>
  );
}

interface TypedProps {
  readonly label: string;
  readonly value: string;
  readonly most: number;
  /** What is none is not asked for. */
  readonly isValue?: (text: string) => boolean;
  readonly onType: (text: string) => void;
}

/** What is typed is the field's own; it is told when somebody stops typing, and the field has what is given when that is another's. */
function Typed({ label, value, most, isValue, onType }: TypedProps) {
  const [typed, setTyped] = useState(value);
  const [sent, setSent] = useState(value);
  if (value !== sent) {
    setSent(value);
    setTyped(value);
  }
  const isNone = typed !== "" && isValue?.(typed) === false;
  const tell = useRef(onType);
  useEffect(() => {
    tell.current = onType;
  });
  // Lines that come in meanwhile draw the page again, and do not begin the wait anew.
  useEffect(() => {
    if (typed === sent || isNone) return;
    const later = window.setTimeout(() => {
      setSent(typed);
      tell.current(typed);
    }, TYPED_MS);
    return () => window.clearTimeout(later);
  }, [typed, sent, isNone]);
  return (
    <label>
      {label} <input type="search" value={typed} maxLength={most} aria-invalid={isNone} onChange={(event) => setTyped(event.target.value)} />
    </label>
  );
}
