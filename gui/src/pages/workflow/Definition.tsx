// A workflow's definition in an editor and its graph beside it: each follows the other. What the platform would refuse stands at its
// place in both; saving makes a version.
import { useIsFetching, useQuery } from "@tanstack/react-query";
import { type DragEvent, useMemo, useRef, useState } from "react";
import { Refusal } from "../../api/client";
import { check } from "../../api/deploy";
import { version } from "../../api/queries";
import { workflowFile } from "../../api/versions";
import { type Base, isBehind, sentFiles, typed } from "../../model/draft";
import type { StateNode } from "../../model/definition";
import { ENDS, addAfter, canFollow, canRemove, connect, leadsTo, remove } from "../../model/edit";
import { type Written, findingAt, placeOfState, stateAt, written } from "../../model/findings";
import { stateInBox } from "../../model/layout";
import { withLf } from "../../model/lines";
import { own } from "../../model/members";
import { many } from "../../model/show";
import { type Finding, lineOf } from "../../model/source";
import { Section, Trouble } from "../../parts/bits";
import { Editor } from "../../parts/Editor";
import { Graph } from "../../parts/Graph";
import { Saves } from "../../parts/Saves";
import { useDraft, useSave } from "../../parts/save";
import { useSettled } from "../../parts/settled";
import { Building, DRAGGED, draggedOf } from "./Building";
import { StateTrial } from "./StateTrial";

const SETTLED_MS = 500;
/** Each question is an upload. */
const ASKED_MS = 2_000;
/** What is drawn before there is a text. */
const NOTHING = "{}";
const NONE: ReadonlySet<string> = new Set();

interface Props {
  readonly app: string;
  readonly name: string;
  readonly live: Base;
}

export function Definition({ app, name, live }: Props) {
  const [draft, setDraft, isKept] = useDraft(app, `workflows/${name}`);
  const saving = useSave(app, setDraft);
  const deployed = useQuery({ ...version(app, (draft ?? live).base), placeholderData: (before) => before });
  // Until another version is there, what is typed is typed into the one that is shown.
  const at: Base = draft ?? (deployed.data ? { base: deployed.data.version, bundle: deployed.data.bundle } : live);
  const isThere = deployed.data?.version === at.base;
  const original = own(deployed.data?.workflows, name)?.definition;
  const found = useQuery({ ...workflowFile(app, at.base, name, original ?? ""), enabled: original !== undefined && isThere, placeholderData: (before) => before });
  const path = Object.keys(draft?.files ?? {})[0] ?? found.data ?? null;
  const isReady = isThere && path !== null && (draft !== null || !found.isPlaceholderData);
  const plain = original === undefined ? undefined : withLf(original);
  const text = (path === null ? undefined : draft?.files[path]) ?? plain;
  const now = useMemo(() => written(text ?? NOTHING), [text]);
  const settled = useSettled(now, SETTLED_MS);
  const drawn = useLastGood(settled);
  // Never two questions at once: the next one waits for the answer.
  const asked = useSettled(now, ASKED_MS, useIsFetching({ queryKey: ["check", app] }) > 0);
  const isChecked = draft !== null && !isBehind(draft, live) && path !== null && !asked.fault && asked.text !== NOTHING && asked.text !== plain;
  const edits = isChecked ? ({ kind: "edits", app, base: at.base, files: sentFiles({ ...draft, files: { [path]: asked.text } }) } as const) : null;
  const checked = useQuery({ ...check(edits ?? { kind: "edits", app, base: at.base, files: {} }), enabled: edits !== null && !saving.isPending });
  const isAnswered = edits !== null && asked.text === now.text;
  const refused = edits !== null && asked.text === settled.text ? checked.error : null;
  const fresh = useMemo(() => findingsOf(settled, refused, path), [settled, refused, path]);
  // They are places of the text that they were found in: while somebody types, the editor moves the marks with it.
  const findings = useLastWhile(fresh, now.text === settled.text);
  const [cursor, setCursor] = useState<number | null>(null);
  const [goTo, setGoTo] = useState<{ readonly from: number; readonly to: number; readonly isFocused: boolean } | null>(null);
  const [step, setStep] = useState<{ readonly back: boolean } | null>(null);
  const chosen = cursor === null ? null : stateAt(now, cursor);
  const faults = useMemo(() => (settled.fault ? NONE : new Set(fresh.flatMap((one) => stateAt(settled, one.from)?.id ?? []))), [fresh, settled]);

  function choose(id: string, at: Written = now): void {
    const state = at.graph.states.find((one) => one.id === id);
    const place = state && placeOfState(at, state);
    if (place) setGoTo({ ...place, isFocused: false });
  }

  function change(next: string, then: string | null): void {
    if (!isReady) return;
    setDraft((before) => typed(before, at, path, next, original ?? null));
    if (then !== null) choose(then, written(next));
  }

  function add(type: string, behind: string | null, grain: string): void {
    if (now.fault) return;
    const made = addAfter(now.text, placeFor(type, behind), type, grain);
    if (made.name !== "") change(made.text, made.name);
  }

  /** Behind that one; else the last that leads on. */
  function placeFor(type: string, behind: string | null): string | null {
    const { states } = now.graph;
    return (states.find((one) => one.id === behind) ?? states.findLast((one) => one.region === null && canFollow(now.text, one.pointer, type)))?.pointer ?? null;
  }

  function canAdd(type: string): boolean {
    if (now.fault) return false;
    const place = placeFor(type, chosen?.id ?? null);
    return place === null ? now.graph.states.length === 0 || !ENDS.includes(type) : canFollow(now.text, place, type);
  }

  function removeState(state: StateNode): void {
    change(remove(now.text, state.pointer), null);
    // Else the one that stands there now would be gone with the next press.
    setCursor(null);
  }

  const grains = Object.keys(deployed.data?.grains ?? {});

  function onDrop(event: DragEvent): void {
    const dragged = draggedOf(event.dataTransfer);
    if (dragged === null) return;
    event.preventDefault();
    const key = event.target instanceof Element ? event.target.closest<HTMLElement>(".react-flow__node")?.dataset.id : undefined;
    add(dragged.type, (key === undefined ? null : stateInBox(now.graph, key)?.id) ?? null, dragged.grain);
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
            isReadOnly={!isReady}
            language="json"
            label={`definition of ${name}`}
            findings={findings}
            goTo={goTo}
            step={step}
            onChange={(next) => change(next, null)}
            onCursor={(offset, isMoved) => setCursor((before) => (before === null && !isMoved ? null : offset))}
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
        {isAnswered && checked.data && "The platform would take it."}
        {findings.length > 0 && `${many(findings.length, "place")} wrong.`}
      </span>
      {isAnswered && checked.error && findings.length === 0 && <Trouble error={checked.error} />}
      {path !== null && (
        <Building
          states={now.graph.states}
          chosen={chosen}
          grains={grains}
          isOff={now.fault !== null || !isReady}
          onChoose={choose}
          onAdd={(type, grain) => add(type, chosen?.id ?? null, grain)}
          to={chosen && !now.fault ? leadsTo(now.text, chosen.pointer) : null}
          canAdd={canAdd}
          canRemove={chosen !== null && !now.fault && canRemove(now.text, chosen.pointer)}
          onStep={isReady ? (back) => setStep({ back }) : null}
          onRemove={removeState}
          onConnect={(state, to) => change(connect(now.text, state.pointer, to), state.id)}
        />
      )}
      {chosen && !now.fault && <StateTrial key={chosen.id} app={app} workflow={name} definition={now.text} state={chosen} grains={grains} />}
      <Saves app={app} live={live} draft={draft} isKept={isKept} saving={saving} setDraft={setDraft} />
    </Section>
  );
}

/** While it is no JSON the graph stays as it was. */
function useLastGood(now: Written): Written {
  const good = useRef(now);
  if (now.tree) good.current = now;
  return good.current;
}

/** What was so when it was last to be taken. */
function useLastWhile<T>(value: T, isTaken: boolean): T {
  const last = useRef(value);
  if (isTaken) last.current = value;
  return last.current;
}

function findingsOf(now: Written, error: Error | null, path: string | null): readonly Finding[] {
  if (now.fault) return [now.fault];
  const errors = error instanceof Refusal ? (error.problem?.errors ?? []) : [];
  return errors.flatMap((one) => (now.tree && one.file === path ? findingAt(now.tree, one.pointer, one.detail) : []));
}
