// Log lines, as text; where they are of several executions, each with the way to its own.
import { useLayoutEffect, useRef } from "react";
import type { Schemas } from "../api/client";
import { logText, when } from "../model/show";
import { To } from "./bits";

interface Props {
  readonly lines: readonly Schemas["Line"][];
  readonly label: string;
  /** Where lines lead to their executions. */
  readonly app?: string;
  /** New lines come in below: who is at the end stays there. */
  readonly follows?: boolean;
}

export function Lines({ lines, label, app, follows = false }: Props) {
  const box = useRef<HTMLPreElement>(null);
  const isAtEnd = useRef(follows);
  useLayoutEffect(() => {
    if (box.current && isAtEnd.current) box.current.scrollTop = box.current.scrollHeight;
  }, [lines]);
  function look(): void {
    const shown = box.current;
    isAtEnd.current = follows && shown !== null && shown.scrollHeight - shown.scrollTop - shown.clientHeight < 8;
  }
  return (
    <pre ref={box} className="log" tabIndex={0} aria-label={label} onScroll={look}>
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
