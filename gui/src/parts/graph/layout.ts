// Laying out, in a worker: a large graph takes seconds, and the page goes on meanwhile.
import ELK from "elkjs/lib/elk-api";
import workerUrl from "elkjs/lib/elk-worker.min.js?url";
import type { Graph } from "../../model/definition";
import { type ElkShape, type LaidOut, laidOutOf, toElk } from "../../model/layout";

let elk: InstanceType<typeof ELK> | null = null;

export async function layout(graph: Graph): Promise<LaidOut> {
  elk ??= new ELK({ workerUrl });
  return laidOutOf((await elk.layout(toElk(graph) as Parameters<typeof elk.layout>[0])) as ElkShape);
}
