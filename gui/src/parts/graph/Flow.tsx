// A workflow's graph, drawn; loaded only where there is one to draw.
import { Background, BaseEdge, Controls, type Edge, type EdgeProps, Handle, MarkerType, type Node, type NodeProps, Position, ReactFlow } from "@xyflow/react";
import "@xyflow/react/dist/base.css";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { Graph, StateNode } from "../../model/definition";
import { type Box, type Way, pathOf } from "../../model/layout";
import type { Progress, StateProgress } from "../../model/progress";
import { Trouble } from "../bits";
import { layout } from "./layout";

export interface FlowProps {
  readonly graph: Graph;
  readonly progress: Progress | null;
  readonly onSelect?: ((state: string) => void) | undefined;
}

type StateData = { readonly state: StateNode; readonly progress: StateProgress | undefined; readonly seen: boolean };
type RegionData = { readonly label: string };

const KINDS = { state: StateBox, region: RegionBox };
const WAYS = { way: WayEdge };

export default function Flow({ graph, progress, onSelect }: FlowProps) {
  // The layout depends on the definition alone: colours change without it.
  const laidOut = useQuery({ queryKey: ["layout", graph], queryFn: () => layout(graph), staleTime: Number.POSITIVE_INFINITY });
  const nodes = useMemo(() => (laidOut.data ? nodesOf(laidOut.data.boxes, graph, progress) : []), [laidOut.data, graph, progress]);
  const edges = useMemo(() => (laidOut.data ? edgesOf(laidOut.data.ways, graph, progress) : []), [laidOut.data, graph, progress]);
  if (laidOut.error) return <Trouble error={laidOut.error} />;
  if (!laidOut.data) return <p role="status">Laying out…</p>;
  return (
    <ReactFlow
      nodes={nodes}
      edges={edges}
      nodeTypes={KINDS}
      edgeTypes={WAYS}
      fitView
      fitViewOptions={{ maxZoom: 1 }}
      minZoom={0.05}
      nodesDraggable={false}
      nodesConnectable={false}
      edgesFocusable={false}
      nodesFocusable={onSelect !== undefined}
      elementsSelectable={onSelect !== undefined}
      preventScrolling={false}
      zoomOnScroll={false}
      onNodeClick={(_, node) => node.type === "state" && onSelect?.(node.id)}
      onSelectionChange={({ nodes: [node] }) => node?.type === "state" && onSelect?.(node.id)}
    >
      <Background />
      <Controls showInteractive={false} />
    </ReactFlow>
  );
}

function nodesOf(boxes: readonly Box[], graph: Graph, progress: Progress | null): Node[] {
  const states = new Map(graph.states.map((state) => [state.id, state]));
  const regions = new Map(graph.regions.map((region) => [region.id, region]));
  return boxes.map((box): Node => {
    const state = states.get(box.id);
    const ran = progress?.states.get(box.id);
    return {
      id: box.id,
      type: box.kind,
      position: { x: box.x, y: box.y },
      width: box.width,
      height: box.height,
      ...(box.parent !== null && { parentId: box.parent }),
      selectable: box.kind === "state",
      focusable: box.kind === "state",
      ariaLabel: state ? `${state.type} ${state.id}${progress ? `: ${ran?.status ?? "not reached"}` : ""}` : (regions.get(box.id)?.label ?? ""),
      data: state ? { state, progress: ran, seen: progress !== null } : { label: regions.get(box.id)?.label ?? "" },
    };
  });
}

function edgesOf(ways: ReadonlyMap<string, Way>, graph: Graph, progress: Progress | null): Edge[] {
  return graph.transitions.map((edge): Edge => {
    const taken = progress?.taken.has(edge.id) ?? false;
    return {
      id: edge.id,
      type: "way",
      source: edge.from,
      target: edge.to,
      label: edge.label,
      className: [edge.onError ? "on-error" : "", taken ? "taken" : ""].join(" "),
      markerEnd: { type: MarkerType.ArrowClosed, width: 14, height: 14, color: taken ? "var(--good)" : "var(--quiet)" },
      data: { way: ways.get(edge.id) },
      zIndex: taken ? 2 : 1,
    };
  });
}

/** Along the way that the layout found. */
function WayEdge({ id, data, label, markerEnd }: EdgeProps) {
  const way = data?.way as Way | undefined;
  if (!way) return null;
  const at = way.label;
  return <BaseEdge id={id} path={pathOf(way.points)} {...(markerEnd !== undefined && { markerEnd })} {...(at && { label, labelX: at.x, labelY: at.y })} />;
}

function StateBox({ data }: NodeProps) {
  const { state, progress, seen } = data as StateData;
  const map = progress?.iterations;
  return (
    <div className={`state ${progress?.status ?? (seen ? "unreached" : "")}`} data-state={state.id} data-status={progress?.status ?? ""}>
      <Handle type="target" position={Position.Top} isConnectable={false} />
      <span className="kind">
        {state.type}
        {progress && progress.entered > 1 && ` × ${progress.entered}`}
        {progress && progress.retries > 0 && ` · ${progress.retries} retried`}
        {map && ` · ${map.succeeded}/${map.of}${map.failed ? `, ${map.failed} failed` : ""}`}
      </span>
      <strong>{state.id}</strong>
      <Handle type="source" position={Position.Bottom} isConnectable={false} />
    </div>
  );
}

function RegionBox({ data }: NodeProps) {
  return <div className="region">{(data as RegionData).label}</div>;
}
