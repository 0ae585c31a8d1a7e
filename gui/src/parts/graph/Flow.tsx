// A workflow's graph, drawn; loaded only where there is one to draw.
import { Background, Controls, type Edge, Handle, MarkerType, type Node, type NodeProps, Position, ReactFlow } from "@xyflow/react";
import "@xyflow/react/dist/base.css";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { Graph, StateNode } from "../../model/definition";
import type { Box } from "../../model/layout";
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

export default function Flow({ graph, progress, onSelect }: FlowProps) {
  // The layout depends on the definition alone: colours change without it.
  const boxes = useQuery({ queryKey: ["layout", graph], queryFn: () => layout(graph), staleTime: Number.POSITIVE_INFINITY });
  const nodes = useMemo(() => (boxes.data ? nodesOf(boxes.data, graph, progress) : []), [boxes.data, graph, progress]);
  const edges = useMemo(() => edgesOf(graph, progress), [graph, progress]);
  if (boxes.error) return <Trouble error={boxes.error} />;
  if (!boxes.data) return <p role="status">Laying out…</p>;
  return (
    <ReactFlow
      nodes={nodes}
      edges={edges}
      nodeTypes={KINDS}
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

function edgesOf(graph: Graph, progress: Progress | null): Edge[] {
  return graph.transitions.map((edge): Edge => {
    const taken = progress?.taken.has(edge.id) ?? false;
    return {
      id: edge.id,
      source: edge.from,
      target: edge.to,
      label: edge.label,
      className: [edge.onError ? "on-error" : "", taken ? "taken" : ""].join(" "),
      markerEnd: { type: MarkerType.ArrowClosed },
      zIndex: 1,
    };
  });
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
