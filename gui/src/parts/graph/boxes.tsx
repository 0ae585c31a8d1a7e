// What a graph is drawn of: boxes of states, the regions inside some of them, and ways between.
import { BaseEdge, type EdgeMarker, type EdgeProps, Handle, MarkerType, type NodeProps, Position } from "@xyflow/react";
import type { StateNode } from "../../model/definition";
import { type Way, pathOf } from "../../model/layout";
import type { StateProgress } from "../../model/progress";

type StateData = { readonly state: StateNode; readonly progress: StateProgress | undefined; readonly seen: boolean; readonly isFaulty: boolean };
type RegionData = { readonly label: string };

/** What its colour says, for who does not see it. */
const MARKS: Readonly<Record<string, string>> = { running: "…", succeeded: "✓", failed: "✗", caught: "↷", aborted: "■", unknown: "?" };

export const NODE_KINDS = { state: StateBox, region: RegionBox };
export const EDGE_KINDS = { way: WayEdge };

export function arrow(taken: boolean): EdgeMarker {
  return { type: MarkerType.ArrowClosed, width: 14, height: 14, color: taken ? "var(--good)" : "var(--quiet)" };
}

/** Along the way that the layout found. */
function WayEdge({ id, data, label, markerEnd }: EdgeProps) {
  const way = data?.way as Way | undefined;
  if (!way) return null;
  const at = way.label;
  return <BaseEdge id={id} path={pathOf(way.points)} {...(markerEnd !== undefined && { markerEnd })} {...(at && { label, labelX: at.x, labelY: at.y })} />;
}

function StateBox({ data }: NodeProps) {
  const { state, progress, seen, isFaulty } = data as StateData;
  const map = progress?.iterations;
  return (
    <div className={`state ${progress?.status ?? (seen ? "unreached" : "")}${isFaulty ? " faulty" : ""}`} data-state={state.id} data-status={progress?.status ?? ""}>
      <Handle type="target" position={Position.Top} isConnectable={false} />
      <span className="kind">
        {isFaulty && "! "}
        {progress && <span aria-hidden="true">{MARKS[progress.status]} </span>}
        {state.type}
        {progress && progress.entered > 1 && ` × ${progress.entered}`}
        {progress && progress.retries > 0 && ` · ${progress.retries} retried`}
        {progress && progress.redrives > 0 && ` · ${progress.redrives} redriven`}
        {map && ` · ${map.succeeded}/${map.of}${map.failed ? `, ${map.failed} failed` : ""}`}
      </span>{" "}
      <strong>{state.name}</strong>
      {isFaulty && <span className="unseen"> has a fault</span>}
      {seen && <span className="unseen"> {progress?.status ?? "not reached"}</span>}
      <Handle type="source" position={Position.Bottom} isConnectable={false} />
    </div>
  );
}

function RegionBox({ data }: NodeProps) {
  return <div className="region">{(data as RegionData).label}</div>;
}
