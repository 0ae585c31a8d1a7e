// Log lines, as text; where they are of several executions, each with the way to its own.
import type { Schemas } from "../api/client";
import { logText, when } from "../model/show";
import { To } from "./bits";

interface Props {
  readonly lines: readonly Schemas["Line"][];
  readonly label: string;
  /** Where lines lead to their executions. */
  readonly app?: string;
}

export function Lines({ lines, label, app }: Props) {
  return (
    <pre className="log" tabIndex={0} aria-label={label}>
      {lines.map((line) => (
        <span key={line.sequence} className={line.level?.toLowerCase() ?? line.stream}>
          {app && line.executionId ? (
            <To route={{ page: "execution", app, id: line.executionId }}>
              <time>{when(line.epochMs)}</time>
            </To>
          ) : (
            <time>{when(line.epochMs)}</time>
          )}{" "}
          {line.grain ?? "platform"} {line.level ?? line.stream} {logText(line.text)}
          {"\n"}
        </span>
      ))}
    </pre>
  );
}
