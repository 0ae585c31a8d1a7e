// A workflow's definition in an editor and its graph beside it: each follows the other. What the platform would refuse stands at its
// place in both; saving makes a version.
import { useQuery } from "@tanstack/react-query";
import { type DragEvent, useMemo, useRef, useState } from "react";
import { Refusal } from "../../api/client";
import { check } from "../../api/deploy";
import { version } from "../../api/queries";
import { workflowFile } from "../../api/versions";
import { typed } from "../../model/draft";
import { addAfter, connect, remove } from "../../model/edit";
import { type Written, findingAt, placeOfState, stateAt, written } from "../../model/findings";
import { stateKey } from "../../model/layout";
import { own } from "../../model/members";
import { type Finding, lineOf } from "../../model/source";
import { Section, Trouble } from "../../parts/bits";
import { Editor } from "../../parts/Editor";
import { Graph } from "../../parts/Graph";
import { Saves } from "../../parts/Saves";
import { useDraft, useSave } from "../../parts/save";
import { useSettled } from "../../parts/settled";
import { Building, DRAGGED } from "./Building";

const SETTLED_MS = 500;

interface Props {
  readonly app: string;
  readonly name: string;
  readonly live: number;
}

export function Definition({ app, name, live }: Props) {
  const [draft, setDraft] = useDraft(app, `workflows/${name}`);
  const saving = useSave(app, setDraft);
  const base = draft?.base ?? live;
  const deployed = useQuery({ ...version(app, base), placeholderData: (before) => before });
  const original = own(deployed.data?.workflows, name)?.definition;
  const found = useQuery({ ...workflowFile(app, base, name, original ?? ""), enabled: original !== undefined && !deployed.isPlaceholderData, placeholderData: (before) => before });
  const path = Object.keys(draft?.files ?? {})[0] ?? found.data ?? null;
  const text = (path === null ? undefined : draft?.files[path]) ?? original;
  const now = useMemo(() => written(text ?? "{}"), [text]);
  const settled = useSettled(now, SETTLED_MS);
  const drawn = useLastGood(settled);
  const isChecked = draft !== null && draft.base === live && path !== null && !settled.fault && settled.text !== original;
  const edits = isChecked ? ({ kind: "edits", app, base, files: { [path]: settled.text } } as const) : null;
  const checked = useQuery({ ...check(edits ?? { kind: "edits", app, base, files: {} }), enabled: edits !== null && !saving.isPending });
  const refused = edits ? checked.error : null;
  const findings = useMemo(() => findingsOf(settled, refused, path), [settled, refused, path]);
  const [cursor, setCursor] = useState<number | null>(null);
  const [goTo, setGoTo] = useState<{ readonly from: number; readonly to: number; readonly isFocused: boolean } | null>(null);
  const chosen = cursor === null ? null : stateAt(now, cursor);
  const faults = useMemo(() => new Set(findings.flatMap((one) => stateAt(drawn, one.from)?.id ?? [])), [findings, drawn]);

  function choose(id: string, at: Written = now): void {
    const state = at.graph.states.find((one) => one.id === id);
    const place = state && placeOfState(at, state);
    if (place) setGoTo({ ...place, isFocused: false });
  }

  function change(next: string, then: string | null): void {
    if (path === null) return;
    setDraft((before) => typed(before, base, path, next, original ?? null));
    if (then !== null) choose(then, written(next));
  }

  function add(type: string, behind: string | null, grain: string): void {
    const top = now.graph.states.filter((one) => one.region === null);
    const state = now.graph.states.find((one) => one.id === behind) ?? top.at(-1);
    if (now.fault) return;
    const made = addAfter(now.text, state?.pointer ?? null, type, grain);
    if (made.name !== "") change(made.text, made.name);
  }

  const grains = Object.keys(deployed.data?.grains ?? {});

  function onDrop(event: DragEvent): void {
    const type = event.dataTransfer.getData(DRAGGED);
    if (type === "") return;
    event.preventDefault();
    const key = event.target instanceof Element ? event.target.closest<HTMLElement>(".react-flow__node")?.dataset.id : undefined;
    add(type, now.graph.states.find((one) => stateKey(one.id) === key)?.id ?? null, grains[0] ?? "");
  }

  return (
    <Section title="Definition">
      {deployed.error && <Trouble error={deployed.error} />}
      {found.error && <Trouble error={found.error} />}
      {found.data === null && path === null && <p>No file of this version is this definition as it stands: it cannot be edited here.</p>}
      <div className="sides">
        <div onDragOver={(event) => event.dataTransfer.types.includes(DRAGGED) && event.preventDefault()} onDrop={onDrop}>
          <Graph graph={drawn.graph} progress={null} chosen={chosen?.id ?? null} faults={faults} onSelect={choose} />
        </div>
        {text !== undefined && (
          <Editor
            text={text}
            language="json"
            label={`definition of ${name}`}
            findings={findings}
            goTo={goTo}
            onChange={(next) => change(next, null)}
            onCursor={setCursor}
            onSave={() => draft && saving.save(draft)}
          />
        )}
      </div>
      {findings.length > 0 && (
        <ul className="places" aria-label="What is wrong">
          {findings.map((one, i) => (
            <li key={i}>
              <button type="button" className="small" onClick={() => setGoTo({ ...one, isFocused: true })}>
                line {lineOf(settled.text, one.from)}
              </button>{" "}
              {one.text}
            </li>
          ))}
        </ul>
      )}
      <span role="status" className="quiet">
        {edits && checked.isFetching && "checking…"}
        {edits && checked.data && "The platform would take it."}
      </span>
      {edits && checked.error && findings.length === 0 && <Trouble error={checked.error} />}
      {path !== null && (
        <Building
          states={now.graph.states}
          chosen={chosen}
          grains={grains}
          isOff={now.fault !== null}
          onChoose={choose}
          onAdd={(type, grain) => add(type, chosen?.id ?? null, grain)}
          onRemove={(state) => change(remove(now.text, state.pointer), null)}
          onConnect={(state, to) => change(connect(now.text, state.pointer, to), state.id)}
        />
      )}
      <Saves app={app} live={live} draft={draft} saving={saving} setDraft={setDraft} />
    </Section>
  );
}

/** While it is no JSON the graph stays as it was. */
function useLastGood(now: Written): Written {
  const good = useRef(now);
  if (now.tree) good.current = now;
  return good.current;
}

function findingsOf(now: Written, error: Error | null, path: string | null): readonly Finding[] {
  if (now.fault) return [now.fault];
  const errors = error instanceof Refusal ? (error.problem?.errors ?? []) : [];
  return errors.flatMap((one) => (now.tree && one.file === path ? findingAt(now.tree, one.pointer, one.detail) : []));
}
