// Rows of a tree that is opened row by row, by mouse and keyboard: arrows, Home, End, Enter and Space. Of very many only those that are
// to be seen are on the page.
import { type Range, defaultRangeExtractor, useVirtualizer } from "@tanstack/react-virtual";
import { type CSSProperties, type KeyboardEvent, type Ref, useCallback, useEffect, useId, useRef, useState } from "react";
import type { Row } from "../model/foldedJson";
import { visible } from "../model/show";
import { moved } from "../model/treeKeys";

export const ROOT = "$";
/** Up to so many all are on the page, where the browser's own search finds them. */
const ALL_DRAWN = 500;
const ROW_PX = 22;
const OVERSCAN = 20;

interface Props {
  readonly rows: readonly Row[];
  readonly label: string;
  readonly onToggle: (row: Row, open: boolean) => void;
}

/** @return which rows are open, and how one is opened and closed */
export function useOpen(): readonly [ReadonlySet<string>, Props["onToggle"]] {
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set([ROOT]));
  const onToggle = useCallback((row: Row, wanted: boolean): void => {
    setOpen((before) => {
      const next = new Set(before);
      if (wanted) next.add(row.id);
      else next.delete(row.id);
      return next;
    });
  }, []);
  return [open, onToggle];
}

export function Tree({ rows, label, onToggle }: Props) {
  const [active, setActive] = useState(ROOT);
  const name = useId();
  const box = useRef<HTMLDivElement>(null);
  const at = Math.max(0, rows.findIndex((row) => row.id === active));
  const isKeyboard = useRef(false);
  const isLong = rows.length > ALL_DRAWN;
  const shown = useVirtualizer({
    count: rows.length,
    enabled: isLong,
    getScrollElement: () => box.current,
    estimateSize: () => ROW_PX,
    getItemKey: (index) => rows[index]?.id ?? index,
    overscan: OVERSCAN,
    // It was scrolled while all rows were on the page.
    initialOffset: () => box.current?.scrollTop ?? 0,
    // The row that the keyboard is on stays: it is what a screen reader reads.
    rangeExtractor: useCallback((range: Range) => [...new Set([...defaultRangeExtractor(range), at])].sort((a, b) => a - b), [at]),
  });
  useEffect(() => {
    if (!isKeyboard.current) return;
    if (isLong) shown.scrollToIndex(at);
    else box.current?.children[at]?.scrollIntoView({ block: "nearest" });
  }, [at, isLong, shown]);

  function toggle(row: Row, wanted = row.isOpen === false): void {
    if (row.isOpen !== null && row.isOpen !== wanted) onToggle(row, wanted);
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

  function onClick(row: Row): void {
    isKeyboard.current = false;
    setActive(row.id);
    // Text that was marked is to be copied.
    if (window.getSelection()?.isCollapsed !== false) toggle(row);
  }

  const item = (row: Row, index: number, measured?: Ref<HTMLDivElement>) => (
    <Item key={row.id} row={row} index={index} id={`${name}${index}`} isActive={index === at} onClick={onClick} {...(measured && { measured })} />
  );
  const items = isLong ? shown.getVirtualItems() : [];
  return (
    <div ref={box} className="tree" role="tree" aria-label={label} tabIndex={0} aria-activedescendant={`${name}${at}`} onKeyDown={onKey}>
      {!isLong && rows.map((row, i) => item(row, i))}
      {items.flatMap(({ index, start }, i) => {
        const row = rows[index];
        return row ? [<Gap key={`before ${row.id}`} px={start - (items[i - 1]?.end ?? 0)} />, item(row, index, shown.measureElement)] : [];
      })}
      {isLong && <Gap px={shown.getTotalSize() - (items.at(-1)?.end ?? 0)} />}
    </div>
  );
}

/** In place of rows that are not to be seen. */
function Gap({ px }: { readonly px: number }) {
  return px > 0 ? <div className="gap" role="presentation" style={{ height: px }} /> : null;
}

interface ItemProps {
  readonly row: Row;
  readonly index: number;
  readonly id: string;
  readonly isActive: boolean;
  readonly onClick: (row: Row) => void;
  readonly measured?: Ref<HTMLDivElement>;
}

function Item({ row, index, id, isActive, onClick, measured }: ItemProps) {
  const style: CSSProperties = { paddingInlineStart: `${row.level * 1.1}rem` };
  return (
    <div
      ref={measured}
      data-index={index}
      id={id}
      role="treeitem"
      aria-level={row.level}
      aria-setsize={row.siblings}
      aria-posinset={row.position}
      aria-expanded={row.isOpen ?? undefined}
      aria-selected={isActive}
      style={style}
      onClick={() => onClick(row)}
    >
      {row.label !== "" && <span className="key-of">{visible(row.label)}</span>}
      {row.label !== "" && row.text !== "" && ": "}
      {visible(row.text)}
    </div>
  );
}
