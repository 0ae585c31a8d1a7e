// Where an arrow key leads from a state of a graph: along its ways, into what it has inside, and through all states in turn.
import type { Graph } from "./definition";

/** @return a state's id; null: the key leads nowhere from here */
export function neighbour(graph: Graph, id: string, key: string): string | null {
  const at = graph.states.findIndex((state) => state.id === id);
  const state = graph.states[at];
  if (!state) return null;
  switch (key) {
    case "ArrowDown":
      return graph.transitions.find((edge) => edge.from === id)?.to ?? inside(graph, id);
    case "ArrowUp":
      return graph.transitions.find((edge) => edge.to === id)?.from ?? graph.regions.find((region) => region.id === state.region)?.owner ?? null;
    case "ArrowRight":
      return graph.states[at + 1]?.id ?? null;
    case "ArrowLeft":
      return graph.states[at - 1]?.id ?? null;
    default:
      return null;
  }
}

function inside(graph: Graph, owner: string): string | null {
  const region = graph.regions.find((one) => one.owner === owner);
  return graph.states.find((state) => region && state.region === region.id)?.id ?? null;
}
