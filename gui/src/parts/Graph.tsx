// Where a graph goes; what draws it comes behind the first bundle.
import { Suspense, lazy } from "react";
import type { FlowProps } from "./graph/Flow";

const Flow = lazy(() => import("./graph/Flow"));

export function Graph(props: FlowProps) {
  return (
    <div className="graph">
      <Suspense fallback={<p role="status">Loading the graph…</p>}>
        <Flow {...props} />
      </Suspense>
    </div>
  );
}
