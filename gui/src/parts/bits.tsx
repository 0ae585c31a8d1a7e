// Small things that every page is made of.
import type { UseQueryResult } from "@tanstack/react-query";
import { type ReactNode, useEffect, useMemo, useState } from "react";
import { Refusal, isGone } from "../api/client";
import { useVisit } from "../api/key";
import { useShownName } from "../api/session";
import { isFolded } from "../model/foldedJson";
import { type Route, formatRoute } from "../model/route";
import { SHOWN_CHARACTERS, value, visible } from "../model/show";
import { Copy } from "./copy";
import { DirectOffered } from "./Direct";
import { JsonTree } from "./JsonTree";
import { plain } from "./plain";

export function To({ route, children, className }: { readonly route: Route; readonly children: ReactNode; readonly className?: string }) {
  return (
    <a href={formatRoute(route)} className={className}>
      {plain(children)}
    </a>
  );
}

/** By its name, as who looks knows it. */
export function ToApplication({ app }: { readonly app: string }) {
  return <To route={{ page: "application", app }}>{useShownName()(app)}</To>;
}

/** The page's heading and name; what leads to it stands before, what can be done with it behind. */
export function Title({ trail, children, aside }: { readonly trail?: ReactNode; readonly children: string; readonly aside?: ReactNode }) {
  useEffect(() => {
    document.title = `${children} – SAND`;
  }, [children]);
  return (
    <div className="title">
      {trail && <nav aria-label="Where this is">{trail}</nav>}
      <div className="heading">
        <h1 tabIndex={-1}>{plain(children)}</h1>
        {aside}
      </div>
    </div>
  );
}

export function Section({ title, children, aside, id }: { readonly title: string; readonly children: ReactNode; readonly aside?: ReactNode; readonly id?: string }) {
  const heading = id ?? title.toLowerCase().replaceAll(" ", "-");
  return (
    <section aria-labelledby={heading}>
      <div className="heading">
        <h2 id={heading} tabIndex={-1}>
          {plain(title)}
        </h2>
        {aside}
      </div>
      {children}
    </section>
  );
}

/** Facts side by side; those without a value are left out. */
export function Facts({ facts }: { readonly facts: readonly (readonly [string, ReactNode])[] }) {
  return (
    <dl className="facts">
      {facts.map(([name, fact]) =>
        fact === null || fact === undefined ? null : (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{plain(fact)}</dd>
          </div>
        ),
      )}
    </dl>
  );
}

export function Trouble({ error }: { readonly error: unknown }) {
  const refusal = error instanceof Refusal ? error : null;
  const now = useVisit();
  if (refusal?.isAnswered(now)) return null;
  return (
    <div role="alert" className="trouble">
      <strong>{refusal?.problem?.title ?? (refusal ? `Status ${refusal.status}` : error instanceof TypeError ? "The platform does not answer" : "That did not work")}</strong>
      <p>{visible(error instanceof Error ? error.message : String(error))}</p>
      {refusal?.problem?.errors?.map((one) => (
        <p key={`${one.file} ${one.pointer} ${one.detail}`}>
          <code>
            {one.file} {one.pointer}
          </code>
          : {visible(one.detail)}
        </p>
      ))}
      {refusal?.problem && <DirectOffered problem={refusal.problem} />}
    </div>
  );
}

/** What a query has found; while there is nothing, that, or why. What was found before it was gone is not shown beside that. */
export function Found<T>({ query, children }: { readonly query: UseQueryResult<T>; readonly children: (data: T) => ReactNode }) {
  return (
    <>
      {query.error !== null && <Trouble error={query.error} />}
      {query.data !== undefined && !isGone(query.error) ? children(query.data) : query.error === null && <p role="status">Loading…</p>}
    </>
  );
}

export function StatusBadge({ status }: { readonly status: string }) {
  return <span className={`badge ${status.toLowerCase().replaceAll("_", "-")}`}>{status.toLowerCase().replaceAll("_", " ")}</span>;
}

interface ValueProps {
  readonly text: string;
  readonly label: string;
  /** A file is shown as it is, JSON indented unless it is one. */
  readonly as?: "value" | "written";
}

/** A value as text and never as anything else; long JSON is folded into a tree, as long as nobody wants it as text. */
export function Value({ text, label, as = "value" }: ValueProps) {
  const canFold = useMemo(() => as === "value" && isFolded(text), [as, text]);
  const [isTree, setTree] = useState(true);
  if (text === "") return <p className="quiet">It is empty.</p>;
  return (
    <div className="value">
      {canFold && isTree ? <JsonTree key={label} text={text} label={label} /> : <Written text={text} label={label} as={as} />}
      <span className="tools">
        {canFold && (
          <button type="button" className="small" aria-pressed={!isTree} onClick={() => setTree(!isTree)}>
            as text
          </button>
        )}
        <Copy text={text} label={label} />
      </span>
    </div>
  );
}

function Written({ text, label, as }: Required<ValueProps>) {
  const shown = as === "value" ? value(text) : { text: text.slice(0, SHOWN_CHARACTERS), cut: text.length > SHOWN_CHARACTERS };
  return (
    <>
      <pre tabIndex={0} aria-label={label}>
        {visible(shown.text)}
      </pre>
      {shown.cut && <p>Only the beginning is shown.</p>}
    </>
  );
}

/** A share of a whole, as a bar beside its figure. */
export function Meter({ share, label }: { readonly share: number; readonly label: string }) {
  const kept = Math.min(Math.max(share, 0), 1);
  return <meter min={0} max={1} low={0.7} high={0.9} optimum={0} value={kept} aria-label={label} />;
}
