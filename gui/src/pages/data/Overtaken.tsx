// Somebody else wrote a value while it was edited here: what is stored and what was typed, side by side, and whoever typed chooses.
import { type StoredValue, type ValueDraft, textOf } from "../../model/data";
import { withLf } from "../../model/lines";
import { Changes } from "../../parts/Changes";

interface Props {
  readonly stored: StoredValue;
  readonly draft: ValueDraft;
  /** @param next what is in the field from then on; null: what is stored */
  readonly choose: (next: ValueDraft | null) => void;
}

export function Overtaken({ stored, draft, choose }: Props) {
  const isGone = stored.version === "";
  const shown = textOf(stored);
  return (
    <div role="alert" className="trouble">
      <strong>{isGone ? "It was deleted meanwhile" : "Somebody else wrote it meanwhile"}</strong>
      <p>
        What was typed here is still in the field, to be edited on.
        {!isGone && ("text" in shown ? " This is how it differs from what is stored:" : ` Stored are ${shown.instead}`)}
      </p>
      {!isGone && "text" in shown && <Changes files={[{ path: `version ${stored.version.replaceAll('"', "")}`, change: "changed", before: withLf(shown.text), after: draft.text }]} />}
      <div className="actions">
        <button type="button" onClick={() => choose({ ...draft, version: stored.version })}>
          {isGone ? "Keep mine, to be saved anew" : "Keep mine, to be saved over it"}
        </button>
        <button type="button" className="danger" onClick={() => choose(null)}>
          {isGone ? "Drop mine" : "Drop mine and take what is stored"}
        </button>
      </div>
    </div>
  );
}
