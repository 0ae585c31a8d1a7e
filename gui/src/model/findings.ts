// A definition as it is typed: its states where they stand, and what is wrong where it is.
import { EMPTY, type Graph, type StateNode, graphOf } from "./definition";
import { JsonFault, type JsonNode, at, nearest, treeOf } from "./jsonTree";
import type { Finding } from "./source";

export interface Written {
  readonly text: string;
  readonly graph: Graph;
  /** null: it is no JSON. */
  readonly tree: JsonNode | null;
  readonly fault: Finding | null;
}

export function written(text: string): Written {
  try {
    return { text, graph: graphOf(text), tree: treeOf(text), fault: null };
  } catch (fault) {
    const offset = fault instanceof JsonFault ? fault.offset : placeOfFault(text);
    const from = Math.min(offset, Math.max(0, text.length - 1));
    return { text, graph: EMPTY, tree: null, fault: { from, to: Math.min(from + 1, text.length), text: fault instanceof Error ? fault.message : String(fault) } };
  }
}

/** JSON.parse was first to refuse it. */
function placeOfFault(text: string): number {
  try {
    treeOf(text);
  } catch (fault) {
    if (fault instanceof JsonFault) return fault.offset;
  }
  return 0;
}

/** What a diagnostic is about: a value, or the key of what has members. */
export function findingAt(tree: JsonNode, pointer: string, text: string): Finding {
  const node = nearest(tree, pointer);
  if (node.kind === "scalar") return { from: node.from, to: node.to, text };
  return { from: node.start, to: node.start === node.from ? node.from + 1 : node.from, text };
}

/** The innermost state that is written around a place. */
export function stateAt({ graph, tree }: Written, offset: number): StateNode | null {
  if (!tree) return null;
  let found: { readonly state: StateNode; readonly size: number } | null = null;
  for (const state of graph.states) {
    const node = at(tree, state.pointer);
    if (!node || offset < node.start || offset > node.to) continue;
    if (!found || node.to - node.start <= found.size) found = { state, size: node.to - node.start };
  }
  return found?.state ?? null;
}

/** A state's name, where it is written. */
export function placeOfState({ tree }: Written, state: StateNode): { readonly from: number; readonly to: number } | null {
  const node = tree && at(tree, state.pointer);
  return node ? { from: node.start, to: node.from } : null;
}
