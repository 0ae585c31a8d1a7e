// The code of a grain in an editor: what was found wrong stands at its line, and saving makes a version.
import { useQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useRef, useState } from "react";
import { Refusal } from "../../api/client";
import { MOST_SHOWN_BYTES, file, files } from "../../api/versions";
import { type Base, typed } from "../../model/draft";
import { withLf } from "../../model/lines";
import type { Route } from "../../model/route";
import { many } from "../../model/show";
import { type Finding, handlersOf, lineAt, placesOf } from "../../model/source";
import { Section, To, Trouble } from "../../parts/bits";
import { Editor } from "../../parts/Editor";
import { replace } from "../../parts/router";
import { Saves } from "../../parts/Saves";
import { useDraft, useSave } from "../../parts/save";

type Shown = Extract<Route, { page: "grain" }>;

interface Props {
  readonly route: Shown;
  readonly live: Base;
  readonly entry: string;
}

interface Said {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

export function Code({ route, live, entry }: Props) {
  const { app, name } = route;
  const [draft, setDraft, isKept] = useDraft(app, `grains/${name}`);
  const saving = useSave(app, setDraft);
  const { base } = draft ?? live;
  const listed = useQuery({ ...files(app, String(base)), placeholderData: (before) => before });
  const there = listed.data?.files ?? [];
  const paths = there.map((one) => one.path);
  const handlers = handlersOf(name, entry);
  const path = route.path ?? handlers.find((one) => paths.includes(one)) ?? handlers[0] ?? "";
  const requirements = `grains/${name}/requirements.txt`;
  const own = [...new Set([...paths.filter((one) => one.startsWith(`grains/${name}/`)), requirements])];
  const isThere = paths.includes(path);
  const isLarge = (there.find((one) => one.path === path)?.size ?? 0) > MOST_SHOWN_BYTES;
  const read = useQuery({ ...file(app, String(base), path), enabled: isThere && !isLarge && !listed.isPlaceholderData });
  const original = listed.isPlaceholderData ? undefined : isThere ? read.data : listed.data ? "" : undefined;
  // Until the files of another version are there the text stays, but nothing is typed into it.
  const isReady = typeof original === "string";
  const text = useLast(path, draft?.files[path] ?? (isReady ? withLf(original) : original));
  const isMarked = useIsOf(route, path, base, isReady ? text : undefined);
  const said = useMemo(() => saidOf(saving.error, paths), [saving.error, listed.data]);
  const findings = useMemo(() => findingsOf(said, isMarked ? route : null, path, text ?? ""), [said, isMarked, route.line, route.failed, path, text === undefined]);
  const [goTo, setGoTo] = useState<{ readonly from: number; readonly to: number; readonly isFocused: boolean } | null>(null);
  const isShown = text !== undefined && text !== null;

  useEffect(() => {
    const first = findings[0];
    if (isShown && first) setGoTo({ ...first, isFocused: false });
  }, [findings, isShown]);
  // A refusal in another file leads there.
  useEffect(() => {
    const first = said[0];
    if (first && paths.includes(first.path) && !said.some((one) => one.path === path)) replace({ page: "grain", app, name, path: first.path });
  }, [said]);

  return (
    <Section title="Code">
      <div className="filters">
        <label>
          File{" "}
          <select value={path} onChange={(event) => replace({ page: "grain", app, name, path: event.target.value })}>
            <optgroup label="of this grain">
              {own.map((one) => (
                <option key={one} value={one}>
                  {one}
                  {!paths.includes(one) && " (new)"}
                </option>
              ))}
            </optgroup>
            <optgroup label="of the application">
              {[...new Set([...paths, path])].filter((one) => !own.includes(one)).map((one) => (
                <option key={one}>{one}</option>
              ))}
            </optgroup>
          </select>
        </label>
        {route.failed && (
          <span>
            {isMarked || !route.version ? `line ${route.line}` : <To route={{ page: "files", app, version: route.version, path }}>{`line ${route.line} of version ${route.version}`}</To>}, where{" "}
            <To className="id" route={{ page: "execution", app, id: route.failed }}>
              {route.failed}
            </To>{" "}
            failed
          </span>
        )}
      </div>
      {listed.error && <Trouble error={listed.error} />}
      {read.error && <Trouble error={read.error} />}
      {isLarge && <p className="quiet">It is too long to be edited here.</p>}
      {text === null && <p className="quiet">It is no text.</p>}
      {isShown && (
        <Editor
          key={path}
          text={text}
          isReadOnly={!isReady}
          language={/\.py$/.test(path) ? "python" : /\.json$/.test(path) ? "json" : "text"}
          label={path}
          findings={findings}
          goTo={goTo}
          onChange={(now) => setDraft((before) => typed(before, live, path, now, original ?? null))}
          onSave={() => draft && saving.save(draft)}
        />
      )}
      <span role="status" className="unseen">
        {said.length > 0 && `${many(said.length, "place")} refused.`}
      </span>
      {said.length > 0 && (
        <ul className="places" aria-label="What was refused">
          {said.map((one, i) => (
            <li key={i}>
              <button
                type="button"
                className="small"
                onClick={() => (one.path === path ? setGoTo({ ...lineAt(text ?? "", one.line), isFocused: true }) : replace({ page: "grain", app, name, path: one.path }))}
              >
                {one.path}, line {one.line}
              </button>{" "}
              {one.text}
            </li>
          ))}
        </ul>
      )}
      <Saves app={app} live={live} draft={draft} isKept={isKept} saving={saving} setDraft={setDraft} />
    </Section>
  );
}

/** The text of that file which was there last, while the next one is not known. */
function useLast(path: string, text: string | null | undefined): string | null | undefined {
  const last = useRef({ path, text });
  if (last.current.path !== path || text !== undefined) last.current = { path, text };
  return last.current.text;
}

/** The line is one of the text that was here at first: of another version's it would be another line. */
function useIsOf(route: Shown, path: string, base: number, text: string | null | undefined): boolean {
  const isAsked = route.line !== undefined && route.version !== undefined && route.path === path;
  const there = useQuery({ ...file(route.app, route.version ?? "", path), enabled: isAsked }).data;
  const key = `${route.version} ${base} ${path}`;
  const decided = useRef({ key: "", is: false });
  if (isAsked && typeof there === "string" && typeof text === "string" && decided.current.key !== key) decided.current = { key, is: withLf(there) === text };
  return isAsked && decided.current.key === key && decided.current.is;
}

/** Where, of what the platform refused. */
function saidOf(error: Error | null, paths: readonly string[]): readonly Said[] {
  const problem = error instanceof Refusal ? error.problem : null;
  if (!problem) return [];
  const raised = placesOf(problem.stackTrace ?? "", paths)[0];
  const found = (problem.errors ?? []).map((one) => ({ path: one.file, line: 1, text: one.detail }));
  return raised ? [{ ...raised, text: problem.detail }, ...found] : found;
}

/** @param failed with the line where an execution failed */
function findingsOf(said: readonly Said[], failed: Shown | null, path: string, text: string): readonly Finding[] {
  const found = said.filter((one) => one.path === path).map((one) => ({ ...lineAt(text, one.line), text: one.text }));
  const line = Number(failed?.line);
  if (found.length > 0 || !Number.isInteger(line) || line < 1) return found;
  return [{ ...lineAt(text, line), text: "An execution failed here." }];
}
