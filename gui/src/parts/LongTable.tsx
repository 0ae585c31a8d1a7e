// A table of any length: only the rows that are to be seen are on the page, and the next ones are asked for before they are.
import { type Range, defaultRangeExtractor, useVirtualizer } from "@tanstack/react-virtual";
import { type RefObject, useCallback, useEffect, useLayoutEffect, useState } from "react";
import { asksForMore } from "../model/longList";
import { Cells, type Column, Heads } from "./Table";

interface Props<T> {
  /** Which list it is: who comes back to it finds it where it was. */
  readonly name: string;
  /** What is scrolled. */
  readonly box: RefObject<HTMLDivElement | null>;
  readonly caption: string;
  readonly rows: readonly T[];
  readonly rowKey: (row: T) => string;
  readonly columns: readonly Column<T>[];
  /** There are more than these. */
  readonly hasMore: boolean;
  /** The next ones did not come. */
  readonly isStuck: boolean;
  readonly onMore: () => void;
}

/** Every row is one line. */
const ROW_PX = 40;
const OVERSCAN = 15;
const MOST_OFFSETS = 50;

/** How far each list was scrolled, the one that was left last at the end. */
const offsets = new Map<string, number>();

export function LongTable<T>({ name, box, caption, rows, rowKey, columns, hasMore, isStuck, onMore }: Props<T>) {
  const [focused, setFocused] = useState<string | null>(null);
  const kept = focused === null ? -1 : rows.findIndex((row) => rowKey(row) === focused);
  const shown = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: () => ROW_PX,
    overscan: OVERSCAN,
    initialOffset: () => offsets.get(name) ?? 0,
    // The row with the focus stays: else the focus would be nowhere.
    rangeExtractor: useCallback((range: Range) => (kept < 0 ? defaultRangeExtractor(range) : [...new Set([...defaultRangeExtractor(range), kept])].sort((a, b) => a - b)), [kept]),
  });
  const items = shown.getVirtualItems();
  const isNearEnd = (shown.range?.endIndex ?? 0) + OVERSCAN >= rows.length - 1;
  const isScrolled = (shown.scrollOffset ?? 0) > 0;
  useEffect(() => {
    const isFilled = box.current !== null && box.current.scrollHeight > box.current.clientHeight;
    if (asksForMore({ hasMore, isStuck, isNearEnd, isScrolled, isFilled })) onMore();
  }, [hasMore, isStuck, isNearEnd, isScrolled, onMore, rows.length]);
  useLayoutEffect(() => {
    const scrolled = box.current;
    return () => {
      offsets.delete(name);
      offsets.set(name, scrolled?.scrollTop ?? 0);
      for (const [oldest] of offsets) if (offsets.size > MOST_OFFSETS) offsets.delete(oldest);
    };
  }, [name, box]);
  return (
    <div ref={box} className="wide long" tabIndex={0} role="region" aria-label={caption}>
      <table aria-rowcount={hasMore ? -1 : rows.length + 1}>
        <caption className="unseen">{caption}</caption>
        <Heads columns={columns} rowIndex={1} />
        <tbody onBlur={() => setFocused(null)}>
          {items.flatMap(({ index, start }, i) => {
            const row = rows[index];
            if (row === undefined) return [];
            const key = rowKey(row);
            return [
              <Gap key={`before ${key}`} px={start - (items[i - 1]?.end ?? 0)} span={columns.length} />,
              <tr key={key} aria-rowindex={index + 2} onFocus={() => setFocused(key)}>
                <Cells row={row} columns={columns} />
              </tr>,
            ];
          })}
          <Gap px={shown.getTotalSize() - (items.at(-1)?.end ?? 0)} span={columns.length} />
        </tbody>
      </table>
    </div>
  );
}

/** As high as the rows that are not there. */
function Gap({ px, span }: { readonly px: number; readonly span: number }) {
  if (px <= 0) return null;
  return (
    <tr aria-hidden="true" className="gap">
      <td colSpan={span} style={{ height: px }} />
    </tr>
  );
}
