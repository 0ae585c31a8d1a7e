// Where text is edited; what edits it comes behind the first bundle.
import { Suspense, lazy } from "react";
import type { CodeProps } from "./editor/Code";

const Code = lazy(() => import("./editor/Code"));

export function Editor(props: CodeProps) {
  return (
    <Suspense fallback={<p role="status">Loading the editor…</p>}>
      <Code {...props} />
    </Suspense>
  );
}
