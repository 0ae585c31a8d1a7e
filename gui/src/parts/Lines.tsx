// Log lines, as text.
import type { Schemas } from "../api/client";
import { logText, when } from "../model/show";

export function Lines({ lines, label }: { readonly lines: readonly Schemas["Line"][]; readonly label: string }) {
  return (
    <pre className="log" tabIndex={0} aria-label={label}>
      {lines.map((line) => (
        <span key={line.sequence} className={line.level?.toLowerCase() ?? line.stream}>
          <time>{when(line.epochMs)}</time> {line.grain ?? "platform"} {line.level ?? line.stream} {logText(line.text)}
          {"\n"}
        </span>
      ))}
    </pre>
  );
}
