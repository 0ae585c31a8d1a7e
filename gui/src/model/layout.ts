// A workflow's graph in the form that ELK lays out, and what ELK makes of it as boxes.
import type { Graph, StateNode } from "./definition";

export interface Box {
  readonly id: string;
  readonly kind: "state" | "region";
  readonly parent: string | null;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** The part of ELK's JSON that is used here. */
export interface ElkShape {
  id: string;
  x?: number;
  y?: number;
  width?: number;
  height?: number;
  children?: ElkShape[];
  edges?: { id: string; sources: string[]; targets: string[] }[];
  layoutOptions?: Record<string, string>;
}

export const STATE_WIDTH = 190;
export const STATE_HEIGHT = 56;
const ROOT = "";
const HEAD = "[top=60,left=12,bottom=12,right=12]";
const REGION = "[top=30,left=12,bottom=12,right=12]";

export function toElk(graph: Graph): ElkShape {
  const regionsOf = Map.groupBy(graph.regions, (region) => region.owner);
  const statesOf = Map.groupBy(graph.states, (state) => state.region ?? ROOT);

  function shape(state: StateNode): ElkShape {
    const regions = regionsOf.get(state.id) ?? [];
    if (regions.length === 0) return { id: state.id, width: STATE_WIDTH, height: STATE_HEIGHT };
    return {
      id: state.id,
      layoutOptions: { "elk.padding": HEAD, "elk.nodeSize.constraints": "MINIMUM_SIZE", "elk.nodeSize.minimum": `(${STATE_WIDTH},${STATE_HEIGHT})` },
      children: regions.map((region) => ({
        id: region.id,
        layoutOptions: { "elk.padding": REGION },
        children: (statesOf.get(region.id) ?? []).map(shape),
      })),
    };
  }

  return {
    id: "root",
    layoutOptions: {
      "elk.algorithm": "layered",
      "elk.direction": "DOWN",
      "elk.hierarchyHandling": "INCLUDE_CHILDREN",
      "elk.layered.spacing.nodeNodeBetweenLayers": "48",
      "elk.spacing.nodeNode": "28",
    },
    children: (statesOf.get(ROOT) ?? []).map(shape),
    edges: graph.transitions.map(({ id, from, to }) => ({ id, sources: [from], targets: [to] })),
  };
}

/** Parents before what is in them; places are relative to the parent. */
export function boxesOf(laidOut: ElkShape, graph: Graph): readonly Box[] {
  const regions = new Set(graph.regions.map((region) => region.id));
  const boxes: Box[] = [];
  function add(shape: ElkShape, parent: string | null): void {
    const { id, x = 0, y = 0, width = STATE_WIDTH, height = STATE_HEIGHT } = shape;
    boxes.push({ id, kind: regions.has(id) ? "region" : "state", parent, x, y, width, height });
    for (const child of shape.children ?? []) add(child, id);
  }
  for (const child of laidOut.children ?? []) add(child, null);
  return boxes;
}
