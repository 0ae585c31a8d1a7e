// A long JSON value as a tree that is opened row by row, by mouse and keyboard: arrows, Home, End, Enter and Space.
import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from "react";
import { FoldedJson, type Row } from "../model/foldedJson";
import { moved } from "../model/treeKeys";

const ROOT = "$";

export function JsonTree({ text, label }: { readonly text: string; readonly label: string }) {
  const json = useMemo(() => new FoldedJson(text), [text]);
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set([ROOT]));
  const [active, setActive] = useState(ROOT);
  const rows = useMemo(() => json.rows(open), [json, open]);
  const name = useId();
  const box = useRef<HTMLDivElement>(null);
  const at = Math.max(0, rows.findIndex((row) => row.id === active));
  const isKeyboard = useRef(false);
  useEffect(() => {
    if (isKeyboard.current) box.current?.children[at]?.scrollIntoView({ block: "nearest" });
  }, [at]);

  function toggle(row: Row, wanted = row.isOpen === false): void {
    if (row.isOpen === null || row.isOpen === wanted) return;
    setOpen((before) => {
      const next = new Set(before);
      if (wanted) next.add(row.id);
      else next.delete(row.id);
      return next;
    });
  }

  function onKey(event: KeyboardEvent): void {
    const row = rows[at];
    const deed = row && !event.ctrlKey && !event.metaKey && !event.altKey ? moved(rows, at, event.key) : null;
    if (!row || deed === null) return;
    event.preventDefault();
    isKeyboard.current = true;
    if ("open" in deed) toggle(row, deed.open);
    else setActive(rows[deed.to]?.id ?? ROOT);
  }

  return (
    <div ref={box} className="tree" role="tree" aria-label={label} tabIndex={0} aria-activedescendant={`${name}${at}`} onKeyDown={onKey}>
      {rows.map((row, i) => (
        <div
          key={row.id}
          id={`${name}${i}`}
          role="treeitem"
          aria-level={row.level}
          aria-setsize={row.siblings}
          aria-posinset={row.position}
          aria-expanded={row.isOpen ?? undefined}
          aria-selected={i === at}
          style={{ paddingInlineStart: `${row.level * 1.1}rem` }}
          onClick={() => {
            isKeyboard.current = false;
            setActive(row.id);
            // Text that was marked is to be copied.
            if (window.getSelection()?.isCollapsed !== false) toggle(row, row.isOpen === false);
          }}
        >
          {row.label !== "" && <span className="key-of">{row.label}</span>}
          {row.label !== "" && row.text !== "" && ": "}
          {row.text}
        </div>
      ))}
    </div>
  );
}
