// States put into a workflow, led elsewhere and taken out: by buttons and lists, or dragged into the graph.
import { useState } from "react";
import type { StateNode } from "../../model/definition";
import { PALETTE } from "../../model/edit";

/** The kind of what is dragged. */
export const DRAGGED = "application/x-sand-state";

interface Props {
  readonly states: readonly StateNode[];
  readonly chosen: StateNode | null;
  readonly grains: readonly string[];
  readonly isOff: boolean;
  readonly onChoose: (id: string) => void;
  readonly onAdd: (type: string, grain: string) => void;
  readonly onRemove: (state: StateNode) => void;
  readonly onConnect: (state: StateNode, to: string | null) => void;
}

const END = "";

export function Building({ states, chosen, grains, isOff, onChoose, onAdd, onRemove, onConnect }: Props) {
  const [grain, setGrain] = useState(grains[0] ?? "");
  const beside = states.filter((one) => chosen !== null && one.region === chosen.region && one.id !== chosen.id);
  const canLead = chosen !== null && !["Succeed", "Fail"].includes(chosen.type);
  return (
    <fieldset className="building">
      <legend className="unseen">States</legend>
      <div className="filters">
        <label>
          State{" "}
          <select value={chosen?.id ?? ""} onChange={(event) => onChoose(event.target.value)}>
            <option value="">choose one, here, in the graph or in the text</option>
            {states.map((one) => (
              <option key={one.id} value={one.id}>
                {one.id}
              </option>
            ))}
          </select>
        </label>
        {canLead && (
          <label>
            {chosen.type === "Choice" ? "otherwise leads to" : "leads to"}{" "}
            <select value="?" disabled={isOff} onChange={(event) => onConnect(chosen, event.target.value === END ? null : event.target.value)}>
              <option value="?">…</option>
              {beside.map((one) => (
                <option key={one.id} value={one.name}>
                  {one.name}
                </option>
              ))}
              {chosen.type !== "Choice" && <option value={END}>the end</option>}
            </select>
          </label>
        )}
        {chosen && (
          <button type="button" className="danger" disabled={isOff} onClick={() => onRemove(chosen)}>
            Remove {chosen.name}
          </button>
        )}
      </div>
      <div className="filters">
        <span>Add behind {chosen ? chosen.name : "the last"}, or drag into the graph:</span>
        {Object.keys(PALETTE).map((type) => (
          <button
            key={type}
            type="button"
            className="small"
            draggable
            disabled={isOff}
            onDragStart={(event) => {
              event.dataTransfer.setData(DRAGGED, type);
              event.dataTransfer.effectAllowed = "copy";
            }}
            onClick={() => onAdd(type, grain || grains[0] || "")}
          >
            {type}
          </button>
        ))}
        {grains.length > 0 && (
          <label>
            a Task calls{" "}
            <select value={grain || grains[0]} onChange={(event) => setGrain(event.target.value)}>
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
