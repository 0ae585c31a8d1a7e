// Log lines, as text; where they are of several executions, each with the way to its own.
import { type ReactNode, useLayoutEffect, useRef } from "react";
import type { Schemas } from "../api/client";
import { logText, visible, when } from "../model/show";
import { To } from "./bits";

interface Props {
  readonly lines: readonly Schemas["Line"][];
  readonly label: string;
  /** What stands before the first one. */
  readonly before: ReactNode;
  /** Where lines lead to their executions. */
  readonly app?: string;
  /** New lines come in below: who is at the end stays there. */
  readonly follows?: boolean;
}

export function Lines({ lines, label, before, app, follows = false }: Props) {
  const box = useRef<HTMLPreElement>(null);
  const isAtEnd = useRef(follows);
  const seen = useRef({ first: 0, height: 0 });
  // Who reads further up sees the same lines when older ones come before them.
  useLayoutEffect(() => {
    const shown = box.current;
    if (!shown) return;
    const { first, height } = seen.current;
    const now = lines[0]?.sequence ?? 0;
    if (now < first) shown.scrollTop += shown.scrollHeight - height;
    else if (isAtEnd.current) shown.scrollTop = shown.scrollHeight;
    seen.current = { first: now, height: shown.scrollHeight };
  }, [lines]);
  function look(): void {
    const shown = box.current;
    isAtEnd.current = follows && shown !== null && shown.scrollHeight - shown.scrollTop - shown.clientHeight < 8;
  }
  return (
    <pre ref={box} className="log" tabIndex={0} aria-label={label} onScroll={look}>
      {before}
      {"\n"}
      {lines.map((line) => (
        <span key={line.sequence} className={line.level?.toLowerCase() ?? line.stream}>
          {app && line.executionId ? (
            <To route={{ page: "execution", app, id: line.executionId }}>
              <time>{when(line.epochMs)}</time>
            </To>
          ) : (
            <time>{when(line.epochMs)}</time>
          )}{" "}
          {line.grain ?? "platform"} {line.level ?? line.stream} {visible(logText(line.text))}
          {"\n"}
        </span>
      ))}
    </pre>
  );
}
