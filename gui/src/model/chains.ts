// Layout of what needs none of ELK's art: states one after the other, and regions side by side. Most small workflows are that, and they
// are drawn at once, without the worker.
import type { Graph, StateNode, Transition } from "./definition";
import { type Box, type LaidOut, type Way, INNER_SPACING, REGION_PADDING, ROOT_PADDING, SPACING, STATE_HEIGHT, STATE_PADDING, STATE_WIDTH, regionKey, stateKey } from "./layout";

/** More of them beside each other are put into rows by ELK. */
const MOST_REGIONS = 3;

interface Size {
  readonly width: number;
  readonly height: number;
}

/** As ELK lays it out, but for a stripe that it leaves empty below regions of one state; null: something branches, comes together, goes back, stands alone or has a label, and that is ELK's. */
export function chained(graph: Graph): LaidOut | null {
  const statesOf = Map.groupBy(graph.states, (state) => state.region);
  const regionsOf = Map.groupBy(graph.regions, (region) => region.owner);
  const chains = new Map<string | null, readonly StateNode[]>();
  const next = nextOf(graph.transitions);
  if (next === null) return null;
  for (const [region, states] of statesOf) {
    const chain = chainOf(states, next);
    if (chain === null) return null;
    chains.set(region, chain);
  }
  if ([...regionsOf.values()].some((regions) => regions.length > MOST_REGIONS)) return null;
  const sizes = new Map<string, Size>();

  function sizeOf(state: StateNode): Size {
    const known = sizes.get(state.id);
    if (known) return known;
    const regions = (regionsOf.get(state.id) ?? []).map(({ id }) => chainSize(id, REGION_PADDING));
    const size =
      regions.length === 0
        ? { width: STATE_WIDTH, height: STATE_HEIGHT }
        : {
            width: Math.max(STATE_WIDTH, sum(regions.map((one) => one.width)) + INNER_SPACING.beside * (regions.length - 1) + STATE_PADDING.left + STATE_PADDING.right),
            height: Math.max(STATE_HEIGHT, Math.max(...regions.map((one) => one.height)) + STATE_PADDING.top + STATE_PADDING.bottom),
          };
    sizes.set(state.id, size);
    return size;
  }

  function chainSize(region: string | null, padding: typeof REGION_PADDING): Size {
    const all = (chains.get(region) ?? []).map(sizeOf);
    const between = belowIn(region) * Math.max(0, all.length - 1);
    return { width: Math.max(0, ...all.map((one) => one.width)) + padding.left + padding.right, height: sum(all.map((one) => one.height)) + between + padding.top + padding.bottom };
  }

  const boxes: Box[] = [];
  const ways = new Map<string, Way>();

  /** @param x and y: where what they stand in is, from the root's corner */
  function place(region: string | null, parent: string | null, x: number, y: number, padding: typeof REGION_PADDING): void {
    const { width } = chainSize(region, padding);
    let top = padding.top;
    let before: { readonly id: string; readonly end: { readonly x: number; readonly y: number } } | null = null;
    for (const state of chains.get(region) ?? []) {
      const size = sizeOf(state);
      const left = (width - size.width) / 2;
      boxes.push({ key: stateKey(state.id), id: state.id, kind: "state", parent, x: left, y: top, ...size });
      const middle = x + width / 2;
      const transition: Transition | undefined = before === null ? undefined : next?.get(before.id);
      if (before && transition) ways.set(transition.id, { points: [before.end, { x: middle, y: y + top }], label: null });
      before = { id: state.id, end: { x: middle, y: y + top + size.height } };
      inside(state, x + left, y + top);
      top += size.height + belowIn(region);
    }
  }

  function inside(state: StateNode, x: number, y: number): void {
    let left = STATE_PADDING.left;
    for (const { id } of regionsOf.get(state.id) ?? []) {
      const size = chainSize(id, REGION_PADDING);
      boxes.push({ key: regionKey(id), id, kind: "region", parent: stateKey(state.id), x: left, y: STATE_PADDING.top, ...size });
      place(id, regionKey(id), x + left, y + STATE_PADDING.top, REGION_PADDING);
      left += size.width + INNER_SPACING.beside;
    }
  }

  place(null, null, 0, 0, ROOT_PADDING);
  return { boxes, ways };
}

function belowIn(region: string | null): number {
  return (region === null ? SPACING : INNER_SPACING).below;
}

/** The one way out of each state; null: some state has two, or something is to be read on a way. */
function nextOf(transitions: readonly Transition[]): ReadonlyMap<string, Transition> | null {
  const next = new Map(transitions.map((one) => [one.from, one]));
  return next.size < transitions.length || transitions.some((one) => one.label !== "") ? null : next;
}

/** In the order in which they run; null: they are no chain. */
function chainOf(states: readonly StateNode[], next: ReadonlyMap<string, Transition>): readonly StateNode[] | null {
  const here = new Map(states.map((state) => [state.id, state]));
  const reached = new Set(states.map((state) => next.get(state.id)?.to).filter((to) => to !== undefined));
  const chain: StateNode[] = [];
  const starts = states.filter((state) => !reached.has(state.id));
  for (let at = starts.length === 1 ? starts[0] : undefined; at && chain.length <= states.length; at = here.get(next.get(at.id)?.to ?? "")) chain.push(at);
  return chain.length === states.length ? chain : null;
}

function sum(values: readonly number[]): number {
  return values.reduce((all, one) => all + one, 0);
}
