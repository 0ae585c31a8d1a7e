// Small things that every page is made of.
import type { UseQueryResult } from "@tanstack/react-query";
import { type ReactNode, useEffect, useState } from "react";
import { Refusal } from "../api/client";
import { type Shown, asCurl } from "../model/curl";
import { type Route, formatRoute } from "../model/route";
import { value } from "../model/show";

export function To({ route, children }: { readonly route: Route; readonly children: ReactNode }) {
  return <a href={formatRoute(route)}>{children}</a>;
}

/** The page's heading and name; what leads to it stands before. */
export function Title({ trail, children, aside }: { readonly trail?: ReactNode; readonly children: string; readonly aside?: ReactNode }) {
  useEffect(() => {
    document.title = `${children} – SAND`;
  }, [children]);
  return (
    <div className="title">
      {trail && <nav aria-label="Where this is">{trail}</nav>}
      <h1>{children}</h1>
      {aside}
    </div>
  );
}

export function Copy({ text, label }: { readonly text: string; readonly label: string }) {
  const [done, setDone] = useState(false);
  useEffect(() => {
    if (!done) return;
    const back = window.setTimeout(() => setDone(false), 1_500);
    return () => window.clearTimeout(back);
  }, [done]);
  // Without TLS browsers give pages no clipboard, but for those of this machine.
  if (!navigator.clipboard) return null;
  return (
    <button type="button" className="small" aria-label={`Copy ${label}`} onClick={() => void navigator.clipboard.writeText(text).then(() => setDone(true))}>
      {done ? "copied" : "copy"}
    </button>
  );
}

export function Command({ text }: { readonly text: string }) {
  return (
    <div className="command">
      <pre tabIndex={0}>{text}</pre>
      <Copy text={text} label="the command" />
    </div>
  );
}

export function AsCurl(request: Shown) {
  return (
    <details className="curl">
      <summary>as curl</summary>
      <Command text={asCurl(request)} />
    </details>
  );
}

export function Trouble({ error }: { readonly error: unknown }) {
  const refusal = error instanceof Refusal ? error : null;
  return (
    <div role="alert" className="trouble">
      <strong>{refusal?.problem?.title ?? (refusal ? `Status ${refusal.status}` : "The platform does not answer")}</strong>
      <p>{error instanceof Error ? error.message : String(error)}</p>
      {refusal?.problem?.errors?.map((one) => (
        <p key={one.file + one.pointer}>
          <code>
            {one.file} {one.pointer}
          </code>
          : {one.detail}
        </p>
      ))}
    </div>
  );
}

/** What a query has found; while there is nothing, that, or why. */
export function Found<T>({ query, children }: { readonly query: UseQueryResult<T>; readonly children: (data: T) => ReactNode }) {
  return (
    <>
      {query.error !== null && <Trouble error={query.error} />}
      {query.data !== undefined ? children(query.data) : query.error === null && <p role="status">Loading…</p>}
    </>
  );
}

export function StatusBadge({ status }: { readonly status: string }) {
  return <span className={`badge ${status.toLowerCase().replace("_", "-")}`}>{status.toLowerCase().replace("_", " ")}</span>;
}

/** A value as text and never as anything else. */
export function Value({ text, label }: { readonly text: string; readonly label: string }) {
  const shown = value(text);
  return (
    <div className="value">
      <pre tabIndex={0} aria-label={label}>
        {shown.text}
      </pre>
      {shown.cut && <p>Only the beginning is shown.</p>}
      <Copy text={text} label={label} />
    </div>
  );
}
