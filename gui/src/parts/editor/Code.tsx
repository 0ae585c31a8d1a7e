// CodeMirror in a shadow root: there its styles are sheets that the page's policy allows.
import { redo, undo } from "@codemirror/commands";
import { EditorState } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { useEffect, useRef } from "react";
import type { Finding } from "../../model/source";
import { type Language, fromPage, setFindings, type Told, stateOf, writable } from "./setup";

export interface CodeProps {
  /** Its lines end with "\n". */
  readonly text: string;
  readonly isReadOnly?: boolean;
  readonly language: Language;
  /** What the field is called. */
  readonly label: string;
  readonly findings?: readonly Finding[];
  /** Where the caret is to go; another object is another wish. */
  readonly goTo?: { readonly from: number; readonly to: number; readonly isFocused: boolean } | null;
  /** One step of what was done; another object is another wish. */
  readonly step?: { readonly back: boolean } | null;
  readonly onChange: (text: string) => void;
  readonly onCursor?: Told["onCursor"];
  readonly onSave?: () => void;
}

const NONE: readonly Finding[] = [];

export default function Code({ text, isReadOnly = false, language, label, findings = NONE, goTo = null, step = null, onChange, onCursor, onSave }: CodeProps) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  // What the editor calls is what the page was drawn with last.
  const told = useRef({ onChange, onCursor, onSave });
  told.current = { onChange, onCursor, onSave };
  const first = useRef(text);
  first.current = text;
  /** What was typed and has not come back as the page's text yet. */
  const typed = useRef<string[]>([]);

  useEffect(() => {
    if (!host.current) return;
    const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: "open", delegatesFocus: true });
    const hint = document.createElement("p");
    hint.id = "hint";
    hint.style.cssText = "margin: 0.35rem 0 0; font-size: 0.82rem; color: var(--quiet)";
    hint.textContent = "Tab indents; Escape, then Tab, leaves the editor. Ctrl+S saves.";
    const made = new EditorView({
      root,
      state: stateOf(first.current, language, label, {
        onChange: (now) => {
          typed.current.push(now);
          told.current.onChange(now);
        },
        onCursor: (offset, isMoved) => told.current.onCursor?.(offset, isMoved),
        onSave: () => told.current.onSave?.(),
      }),
    });
    root.replaceChildren(made.dom, hint);
    view.current = made;
    return () => {
      made.destroy();
      view.current = null;
    };
  }, [language, label]);

  useEffect(() => {
    const now = view.current;
    const at = typed.current.lastIndexOf(text);
    typed.current = typed.current.slice(at + 1);
    // The page is drawn behind what is typed: only another's text takes the place.
    if (!now || at >= 0 || now.state.sliceDoc() === text) return;
    typed.current = [];
    now.dispatch({ changes: difference(now.state.sliceDoc(), text), annotations: fromPage.of(true) });
  }, [text, language, label]);

  useEffect(() => {
    view.current?.dispatch({ effects: writable.reconfigure(EditorState.readOnly.of(isReadOnly)) });
  }, [isReadOnly, language, label]);

  useEffect(() => {
    if (view.current && step) (step.back ? undo : redo)(view.current);
  }, [step]);

  useEffect(() => {
    const now = view.current;
    now?.dispatch({ effects: setFindings.of(findings.filter((one) => one.to <= now.state.doc.length)) });
  }, [findings, language, label]);

  useEffect(() => {
    const now = view.current;
    if (!now || !goTo) return;
    const anchor = Math.min(goTo.from, now.state.doc.length);
    now.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y: "center" }) });
    if (goTo.isFocused) now.focus();
  }, [goTo]);

  return <div ref={host} className="editor" />;
}

/** What lies between the beginning and the end that two texts share: the caret and what stands at a place stay there. */
function difference(before: string, after: string): { readonly from: number; readonly to: number; readonly insert: string } {
  const most = Math.min(before.length, after.length);
  let from = 0;
  while (from < most && before[from] === after[from]) from += 1;
  let same = 0;
  while (same < most - from && before[before.length - 1 - same] === after[after.length - 1 - same]) same += 1;
  return { from, to: before.length - same, insert: after.slice(from, after.length - same) };
}
