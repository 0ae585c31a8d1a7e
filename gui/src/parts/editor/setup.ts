// What the editor is made of: the language, its colours by the page's own variables, and places with something to be said about.
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { json } from "@codemirror/lang-json";
import { python } from "@codemirror/lang-python";
import { HighlightStyle, bracketMatching, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { Annotation, Compartment, EditorState, type Extension, StateEffect, StateField } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, highlightActiveLine, highlightSpecialChars, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import type { Finding } from "../../model/source";

export type Language = "python" | "json" | "text";

export interface Told {
  readonly onChange: (text: string) => void;
  /** @param isMoved somebody, or the page, has put it there; else text before it has changed */
  readonly onCursor: (offset: number, isMoved: boolean) => void;
  readonly onSave: () => void;
}

const LANGUAGES: Readonly<Record<Language, () => Extension>> = {
  python: () => [python(), indentUnit.of("    ")],
  json: () => [json(), indentUnit.of("  ")],
  text: () => [],
};

const COLOURS = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword, tags.modifier], color: "var(--accent)" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--good)" },
  { tag: [tags.number, tags.bool, tags.null, tags.self], color: "var(--running)" },
  { tag: [tags.definition(tags.function(tags.variableName)), tags.definition(tags.className), tags.propertyName], color: "var(--caught)" },
  { tag: [tags.comment], color: "var(--quiet)", fontStyle: "italic" },
]);

const THEME = EditorView.theme({
  "&": { color: "var(--text)", backgroundColor: "var(--card)", fontSize: "0.9rem", flex: "1", minHeight: "0", border: "1px solid var(--edge)" },
  // Around the whole of it the page shows where the focus is.
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.5", overflow: "auto" },
  ".cm-content": { caretColor: "var(--text)" },
  ".cm-gutters": { backgroundColor: "var(--sunk)", color: "var(--quiet)", border: "none" },
  ".cm-activeLine": { backgroundColor: "color-mix(in srgb, var(--sunk) 70%, transparent)" },
  "&.cm-focused .cm-matchingBracket, .cm-matchingBracket": { backgroundColor: "transparent", outline: "1px solid var(--edge)" },
  ".finding": { textDecoration: "underline wavy var(--bad)", textUnderlineOffset: "0.2em" },
  ".found": { backgroundColor: "color-mix(in srgb, var(--bad) 10%, transparent)", boxShadow: "inset 3px 0 var(--bad)" },
});

/** The page has put it there, nobody has typed it. */
export const fromPage = Annotation.define<boolean>();

/** Whether text can be typed. */
export const writable = new Compartment();

export const setFindings = StateEffect.define<readonly Finding[]>();

const findings = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(shown, transaction) {
    let now = shown.map(transaction.changes);
    for (const effect of transaction.effects) if (effect.is(setFindings)) now = drawn(effect.value, transaction.state);
    return now;
  },
  provide: (field) => EditorView.decorations.from(field),
});

function drawn(found: readonly Finding[], state: EditorState): DecorationSet {
  const lines = new Set(found.map((one) => state.doc.lineAt(one.from).from));
  return Decoration.set(
    [
      ...[...lines].map((line) => Decoration.line({ class: "found" }).range(line)),
      ...found.filter((one) => one.to > one.from).map((one) => Decoration.mark({ class: "finding", attributes: { title: one.text } }).range(one.from, one.to)),
    ],
    true,
  );
}

export function stateOf(text: string, language: Language, label: string, told: Told): EditorState {
  return EditorState.create({
    doc: text,
    extensions: [
      writable.of(EditorState.readOnly.of(false)),
      lineNumbers(),
      history(),
      highlightActiveLine(),
      // What turns or hides other text is seen, and stays as it is.
      highlightSpecialChars(),
      bracketMatching(),
      indentOnInput(),
      LANGUAGES[language](),
      syntaxHighlighting(COLOURS),
      findings,
      THEME,
      EditorView.contentAttributes.of({ "aria-label": label, "aria-describedby": "hint", spellcheck: "false", tabindex: "0" }),
      keymap.of([{ key: "Mod-s", preventDefault: true, run: () => (told.onSave(), true) }, indentWithTab, ...defaultKeymap, ...historyKeymap]),
      EditorView.updateListener.of((update) => {
        if (update.docChanged && !update.transactions.every((one) => one.annotation(fromPage))) told.onChange(update.state.sliceDoc());
        if (update.docChanged || update.selectionSet) told.onCursor(update.state.selection.main.head, update.selectionSet);
      }),
    ],
  });
}
