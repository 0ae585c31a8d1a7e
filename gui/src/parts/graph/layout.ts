// Laying out, in a worker: a large graph takes seconds, and the page goes on meanwhile. What needs no art is laid out here, at once.
import { queryOptions } from "@tanstack/react-query";
import ELK from "elkjs/lib/elk-api";
import workerUrl from "elkjs/lib/elk-worker.min.js?url";
import { chained } from "../../model/chains";
import type { Graph } from "../../model/definition";
import { type ElkShape, type LaidOut, laidOutOf, toElk } from "../../model/layout";

let elk: InstanceType<typeof ELK> | null = null;

async function layout(graph: Graph): Promise<LaidOut> {
  const chain = chained(graph);
  if (chain) return chain;
  elk ??= new ELK({ workerUrl });
  return laidOutOf((await elk.layout(toElk(graph) as Parameters<typeof elk.layout>[0])) as ElkShape);
}

/** With the graph that it is of. It depends on the definition alone. */
export const laidOut = (graph: Graph) =>
  queryOptions({
    queryKey: ["layout", graph],
    queryFn: async () => ({ graph, ...(await layout(graph)) }),
    staleTime: Number.POSITIVE_INFINITY,
  });
