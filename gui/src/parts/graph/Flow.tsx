// A workflow's graph, drawn; loaded only where there is one to draw. By keyboard: Tab comes to a state, arrow keys go from state
// to state along the ways, Enter or Space chooses. What is come to or chosen is brought into view.
import { Background, Controls, type Edge, type Node, ReactFlow, type ReactFlowInstance } from "@xyflow/react";
import "@xyflow/react/dist/base.css";
import { useQuery } from "@tanstack/react-query";
import { type FocusEvent, type KeyboardEvent, useEffect, useMemo, useRef, useState } from "react";
import type { Graph } from "../../model/definition";
import { type Box, type Way, stateKey } from "../../model/layout";
import { neighbour } from "../../model/neighbours";
import { type Progress, whereOf } from "../../model/progress";
import { firstView, placesOf, showing } from "../../model/view";
import { Trouble } from "../bits";
import { EDGE_KINDS, NODE_KINDS, arrow } from "./boxes";
import { laidOut } from "./layout";

export interface FlowProps {
  readonly graph: Graph;
  readonly progress: Progress | null;
  readonly chosen?: string | null;
  /** States with something wrong. */
  readonly faults?: ReadonlySet<string>;
  readonly onSelect?: ((state: string) => void) | undefined;
}

const NONE: ReadonlySet<string> = new Set();
/** All of it, however small: somebody has asked for that. */
const FIT = { maxZoom: 1 };

export default function Flow({ graph: wanted, progress, chosen = null, faults = NONE, onSelect }: FlowProps) {
  const isChosenFrom = onSelect !== undefined;
  // The layout depends on the definition alone: colours change without it.
  const found = useQuery({ ...laidOut(wanted), placeholderData: (before) => before });
  // What is drawn is what was laid out last, until the next one is.
  const graph = found.data?.graph ?? wanted;
  const nodes = useMemo(() => (found.data ? nodesOf(found.data.boxes, graph, progress, chosen, faults, isChosenFrom) : []), [found.data, graph, progress, chosen, faults, isChosenFrom]);
  const edges = useMemo(() => (found.data ? edgesOf(found.data.ways, graph, progress) : []), [found.data, graph, progress]);
  const places = useMemo(() => placesOf(found.data?.boxes ?? []), [found.data]);
  const drawn = useRef<HTMLDivElement>(null);
  const [flow, setFlow] = useState<ReactFlowInstance | null>(null);
  const room = () => ({ width: drawn.current?.clientWidth ?? 0, height: drawn.current?.clientHeight ?? 0 });

  /** The first states are what is fitted in; later ones leave what is seen where it is. */
  function begin(at: ReactFlowInstance): void {
    const near = chosen ?? graph.states.find(({ name }) => name === (progress && whereOf(progress)))?.id;
    void at.setViewport(firstView(places, room(), near === undefined ? undefined : places.get(stateKey(near))));
    setFlow(at);
  }

  function show(key: string | undefined): void {
    const place = key === undefined ? undefined : places.get(key);
    if (!flow || !place) return;
    const view = flow.getViewport();
    const next = showing(view, room(), place);
    if (next !== view) void flow.setViewport(next);
  }

  useEffect(() => show(chosen === null ? undefined : stateKey(chosen)), [chosen, flow, places]);

  function onFocus({ target }: FocusEvent<HTMLDivElement>): void {
    // What is pressed stays under the pointer until it is let go.
    if (target.matches(".react-flow__node:focus-visible")) show(target.dataset.id);
  }

  function onKeyDown(event: KeyboardEvent<HTMLDivElement>): void {
    const key = event.target instanceof HTMLElement && event.target.matches(".react-flow__node") ? event.target.dataset.id : undefined;
    const at = graph.states.find((state) => stateKey(state.id) === key)?.id;
    if (at === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Enter" || event.key === " ") {
      onSelect?.(at);
    } else {
      const to = neighbour(graph, at, event.key);
      if (to === null) return;
      drawn.current?.querySelector<HTMLElement>(`[data-id="${CSS.escape(stateKey(to))}"]`)?.focus();
    }
    event.preventDefault();
  }

  if (found.error) return <Trouble error={found.error} />;
  if (!found.data) return <p role="status">Laying out…</p>;
  return (
    <div className="drawn" ref={drawn} onKeyDown={onKeyDown} onFocus={onFocus}>
      <ReactFlow
        key={nodes.length === 0 ? "empty" : "drawn"}
        nodes={nodes}
        edges={edges}
        nodeTypes={NODE_KINDS}
        edgeTypes={EDGE_KINDS}
        onInit={begin}
        minZoom={0.05}
        nodesDraggable={false}
        nodesConnectable={false}
        edgesFocusable={false}
        nodesFocusable={isChosenFrom}
        disableKeyboardA11y
        preventScrolling={false}
        zoomOnScroll={false}
        {...(onSelect && { onNodeClick: (_: unknown, node: Node) => void (node.type === "state" && onSelect(String(node.data.id))) })}
      >
        <Background />
        <Controls showInteractive={false} fitViewOptions={FIT} />
      </ReactFlow>
    </div>
  );
}

function nodesOf(boxes: readonly Box[], graph: Graph, progress: Progress | null, chosen: string | null, faults: ReadonlySet<string>, isChosenFrom: boolean): Node[] {
  const states = new Map(graph.states.map((state) => [state.id, state]));
  const regions = new Map(graph.regions.map((region) => [region.id, region]));
  return boxes.map((box): Node => {
    const state = box.kind === "state" ? states.get(box.id) : undefined;
    const ran = state && progress?.states.get(state.name);
    const label = regions.get(box.id)?.label ?? "";
    return {
      id: box.key,
      type: box.kind,
      position: { x: box.x, y: box.y },
      width: box.width,
      height: box.height,
      ...(box.parent !== null && { parentId: box.parent }),
      focusable: box.kind === "state",
      // What it is called is what stands in its box.
      ...(state && isChosenFrom && { ariaRole: "button" as const, domAttributes: { "aria-pressed": state.id === chosen } }),
      selected: state !== undefined && state.id === chosen,
      data: state ? { id: state.id, state, progress: ran, seen: progress !== null, isFaulty: faults.has(state.id) } : { label },
    };
  });
}

function edgesOf(ways: ReadonlyMap<string, Way>, graph: Graph, progress: Progress | null): Edge[] {
  return graph.transitions.map((edge): Edge => {
    const taken = progress?.taken.has(edge.id) ?? false;
    return {
      id: edge.id,
      type: "way",
      source: stateKey(edge.from),
      target: stateKey(edge.to),
      label: edge.label,
      ariaLabel: `${edge.from} leads to ${edge.to}${taken ? ": taken" : ""}`,
      className: [edge.onError ? "on-error" : "", taken ? "taken" : ""].join(" "),
      markerEnd: arrow(taken),
      data: { way: ways.get(edge.id) },
      zIndex: taken ? 2 : 1,
    };
  });
}
