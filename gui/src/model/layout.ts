// A workflow's graph in the form that ELK lays out, and what ELK makes of it as boxes.
import type { Graph, StateNode } from "./definition";

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** The way of a transition round all boxes, and where its label is; from the root's corner. */
export interface Way {
  readonly points: readonly Point[];
  readonly label: Point | null;
}

export interface LaidOut {
  readonly boxes: readonly Box[];
  readonly ways: ReadonlyMap<string, Way>;
}

export interface Box {
  /** Of all boxes: a state may have the name of a region. */
  readonly key: string;
  readonly id: string;
  readonly kind: "state" | "region";
  /** Its key. */
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
  edges?: ElkEdge[];
  layoutOptions?: Record<string, string>;
}

interface ElkEdge {
  id: string;
  sources: string[];
  targets: string[];
  labels?: { text: string; width: number; height: number; x?: number; y?: number }[];
  sections?: { startPoint: Point; endPoint: Point; bendPoints?: Point[] }[];
}

const LABEL_HEIGHT = 18;
const CHARACTER_WIDTH = 7;

export const STATE_WIDTH = 190;
export const STATE_HEIGHT = 56;
const ROOT = "";
/** What ids begin with, that all share one space in ELK. */
const STATE = "state:";
const REGION_ID = "region:";
const EDGE = "edge:";

/** Between boxes that stand in none. */
export const SPACING = { below: 48, beside: 28 };
/** Between those in another: ELK's own. */
export const INNER_SPACING = { below: 20, beside: 20 };
/** Of a state that has regions, above which its own text stands; of a region, which has its label there; and of all of it. */
export const STATE_PADDING = { top: 60, left: 12, bottom: 12, right: 12 };
export const REGION_PADDING = { top: 30, left: 12, bottom: 12, right: 12 };
export const ROOT_PADDING = { top: 12, left: 12, bottom: 12, right: 12 };

export function stateKey(id: string): string {
  return STATE + id;
}

export function regionKey(id: string): string {
  return REGION_ID + id;
}

/** What stands in that box: a state, or the last one of a region. */
export function stateInBox(graph: Graph, key: string): StateNode | null {
  return graph.states.findLast((one) => stateKey(one.id) === key || (one.region !== null && regionKey(one.region) === key)) ?? null;
}

const elkPadding = ({ top, left, bottom, right }: typeof ROOT_PADDING): string => `[top=${top},left=${left},bottom=${bottom},right=${right}]`;
const HEAD = elkPadding(STATE_PADDING);
const REGION = elkPadding(REGION_PADDING);

export function toElk(graph: Graph): ElkShape {
  const regionsOf = Map.groupBy(graph.regions, (region) => region.owner);
  const statesOf = Map.groupBy(graph.states, (state) => state.region ?? ROOT);

  function shape(state: StateNode): ElkShape {
    const regions = regionsOf.get(state.id) ?? [];
    if (regions.length === 0) return { id: STATE + state.id, width: STATE_WIDTH, height: STATE_HEIGHT };
    return {
      id: STATE + state.id,
      layoutOptions: { "elk.padding": HEAD, "elk.nodeSize.constraints": "MINIMUM_SIZE", "elk.nodeSize.minimum": `(${STATE_WIDTH},${STATE_HEIGHT})` },
      children: regions.map((region) => ({
        id: REGION_ID + region.id,
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
      "elk.json.edgeCoords": "ROOT",
      "elk.edgeLabels.inline": "true",
      "elk.padding": elkPadding(ROOT_PADDING),
      "elk.layered.spacing.nodeNodeBetweenLayers": String(SPACING.below),
      "elk.spacing.nodeNode": String(SPACING.beside),
    },
    children: (statesOf.get(ROOT) ?? []).map(shape),
    edges: graph.transitions.map(({ id, from, to, label }) => ({
      id: EDGE + id,
      sources: [STATE + from],
      targets: [STATE + to],
      labels: label ? [{ text: label, width: label.length * CHARACTER_WIDTH + 8, height: LABEL_HEIGHT }] : [],
    })),
  };
}

/** Parents before what is in them; places are relative to the parent. */
export function laidOutOf(laidOut: ElkShape): LaidOut {
  const boxes: Box[] = [];
  function add(shape: ElkShape, parent: string | null): void {
    const { id: key, x = 0, y = 0, width = STATE_WIDTH, height = STATE_HEIGHT } = shape;
    const kind = key.startsWith(STATE) ? "state" : "region";
    const id = key.slice((kind === "state" ? STATE : REGION_ID).length);
    boxes.push({ key, id, kind, parent, x, y, width, height });
    for (const child of shape.children ?? []) add(child, key);
  }
  for (const child of laidOut.children ?? []) add(child, null);
  return { boxes, ways: new Map((laidOut.edges ?? []).map((edge) => [edge.id.slice(EDGE.length), wayOf(edge)])) };
}

function wayOf(edge: ElkEdge): Way {
  const points = (edge.sections ?? []).flatMap((section) => [section.startPoint, ...(section.bendPoints ?? []), section.endPoint]);
  const label = edge.labels?.[0];
  return { points, label: label ? { x: (label.x ?? 0) + label.width / 2, y: (label.y ?? 0) + label.height / 2 } : null };
}

/** As an SVG path, its corners rounded. */
export function pathOf(points: readonly Point[], radius = 8): string {
  return points
    .map((at, i) => {
      const before = points[i - 1];
      const after = points[i + 1];
      if (!before) return `M${at.x},${at.y}`;
      if (!after) return `L${at.x},${at.y}`;
      const from = toward(at, before, radius);
      const to = toward(at, after, radius);
      return `L${from.x},${from.y}Q${at.x},${at.y} ${to.x},${to.y}`;
    })
    .join("");
}

/** So far from one point to the other, at most half of the way. */
function toward(from: Point, to: Point, distance: number): Point {
  const length = Math.hypot(to.x - from.x, to.y - from.y);
  const share = length === 0 ? 0 : Math.min(distance / length, 0.5);
  return { x: from.x + (to.x - from.x) * share, y: from.y + (to.y - from.y) * share };
}
