// States put into a workflow, led elsewhere and taken out: by buttons and lists, or dragged into the graph.
import { useEffect, useRef, useState } from "react";
import type { StateNode } from "../../model/definition";
import { ENDS, PALETTE } from "../../model/edit";

/** The kind of what is dragged. */
export const DRAGGED = "application/x-sand-state";

interface Dragged {
  readonly type: string;
  readonly grain: string;
}

export function draggedOf(transfer: DataTransfer): Dragged | null {
  const [type = "", ...grain] = transfer.getData(DRAGGED).split(" ");
  return type === "" ? null : { type, grain: grain.join(" ") };
}

interface Props {
  readonly states: readonly StateNode[];
  readonly chosen: StateNode | null;
  /** Where the chosen one leads. */
  readonly to: string | null;
  readonly grains: readonly string[];
  readonly isOff: boolean;
  readonly canAdd: (type: string) => boolean;
  readonly canRemove: boolean;
  readonly onChoose: (id: string) => void;
  readonly onAdd: (type: string, grain: string) => void;
  readonly onRemove: (state: StateNode) => void;
  readonly onConnect: (state: StateNode, to: string | null) => void;
  /** null: not now. */
  readonly onStep: ((back: boolean) => void) | null;
}

export function Building({ states, chosen, to, grains, isOff, canAdd, canRemove, onChoose, onAdd, onRemove, onConnect, onStep }: Props) {
  const [wanted, setGrain] = useState("");
  const grain = grains.includes(wanted) ? wanted : (grains[0] ?? "");
  const list = useRef<HTMLSelectElement>(null);
  const beside = states.filter((one) => chosen !== null && one.region === chosen.region && one.id !== chosen.id).map((one) => one.name);
  const isLastInside = chosen !== null && !isOff && !canRemove;
  return (
    <fieldset className="building">
      <legend className="unseen">States</legend>
      <div className="filters">
        <label>
          State{" "}
          <select ref={list} value={chosen?.id ?? ""} onChange={(event) => onChoose(event.target.value)}>
            <option value="">choose one, here, in the graph or in the text</option>
            {states.map((one) => (
              <option key={one.id} value={one.id}>
                {one.id}
              </option>
            ))}
          </select>
        </label>
        {chosen && !ENDS.includes(chosen.type) && <LeadsTo key={chosen.id} state={chosen} to={to} beside={beside} isOff={isOff} onConnect={onConnect} />}
        {chosen && (
          <button
            type="button"
            className="danger"
            aria-disabled={isOff || !canRemove}
            title={isLastInside ? "The only state inside another stays" : undefined}
            onClick={() => {
              if (isOff || !canRemove) return;
              onRemove(chosen);
              list.current?.focus();
            }}
          >
            Remove {chosen.name}
          </button>
        )}
        <button type="button" className="small" aria-disabled={onStep === null} onClick={() => onStep?.(true)}>
          Undo
        </button>
        <button type="button" className="small" aria-disabled={onStep === null} onClick={() => onStep?.(false)}>
          Redo
        </button>
      </div>
      <div className="filters">
        <span>Add behind {chosen ? chosen.name : "the last"}, or drag into the graph:</span>
        {Object.keys(PALETTE).map((type) => (
          <button
            key={type}
            type="button"
            className="small"
            draggable={!isOff}
            aria-disabled={isOff || !canAdd(type)}
            title={!isOff && !canAdd(type) ? (ENDS.includes(chosen?.type ?? "") ? "Nothing follows an end" : "An end goes behind a state that leads nowhere, or a Choice") : undefined}
            onDragStart={(event) => {
              event.dataTransfer.setData(DRAGGED, `${type} ${grain}`);
              event.dataTransfer.effectAllowed = "copy";
            }}
            onClick={() => !isOff && onAdd(type, grain)}
          >
            {type}
          </button>
        ))}
        {grains.length > 0 && (
          <label>
            a Task calls{" "}
            <select value={grain} onChange={(event) => setGrain(event.target.value)}>
              {grains.map((one) => (
                <option key={one}>{one}</option>
              ))}
            </select>
          </label>
        )}
      </div>
    </fieldset>
  );
}

const END = "";

interface LeadsToProps {
  readonly state: StateNode;
  readonly to: string | null;
  readonly beside: readonly string[];
  readonly isOff: boolean;
  readonly onConnect: Props["onConnect"];
}

/** Chosen in a list and led there by a button: arrow keys go through the list without changing anything. */
function LeadsTo({ state, to, beside, isOff, onConnect }: LeadsToProps) {
  const [target, setTarget] = useState(to ?? END);
  useEffect(() => setTarget(to ?? END), [to]);
  const isSame = isOff || target === (to ?? END);
  const options = to === null || beside.includes(to) ? beside : [to, ...beside];
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (!isSame) onConnect(state, target === END ? null : target);
      }}
    >
      <label>
        {state.type === "Choice" ? "otherwise leads to" : "leads to"}{" "}
        <select value={target} onChange={(event) => setTarget(event.target.value)}>
          {options.map((one) => (
            <option key={one}>{one}</option>
          ))}
          <option value={END}>{state.type === "Choice" ? "nothing" : "the end"}</option>
        </select>
      </label>{" "}
      <button type="submit" className="small" aria-disabled={isSame}>
        Lead there
      </button>
    </form>
  );
}
