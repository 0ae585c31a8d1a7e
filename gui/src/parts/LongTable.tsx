// A table of any length: only the rows that are to be seen are on the page, and the next ones are asked for before they are.
import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef } from "react";
import { Cells, type Column, Heads } from "./Table";

interface Props<T> {
  readonly caption: string;
  readonly rows: readonly T[];
  readonly rowKey: (row: T) => string;
  readonly columns: readonly Column<T>[];
  /** There are more than these. */
  readonly hasMore: boolean;
  readonly onMore: () => void;
}

/** Every row is one line. */
const ROW_PX = 40;
const OVERSCAN = 15;

export function LongTable<T>({ caption, rows, rowKey, columns, hasMore, onMore }: Props<T>) {
  const box = useRef<HTMLDivElement>(null);
  const shown = useVirtualizer({ count: rows.length, getScrollElement: () => box.current, estimateSize: () => ROW_PX, overscan: OVERSCAN });
  const items = shown.getVirtualItems();
  const [first, last] = [items[0], items.at(-1)];
  const isNearEnd = (last?.index ?? 0) >= rows.length - 1;
  useEffect(() => {
    if (hasMore && isNearEnd) onMore();
  }, [hasMore, isNearEnd, onMore, rows.length]);
  return (
    <div ref={box} className="wide long" tabIndex={0} role="region" aria-label={caption}>
      <table aria-rowcount={hasMore ? -1 : rows.length + 1}>
        <caption className="unseen">{caption}</caption>
        <Heads columns={columns} />
        <tbody>
          <Gap px={first?.start ?? 0} span={columns.length} />
          {items.map(({ index }) => {
            const row = rows[index];
            return (
              row !== undefined && (
                <tr key={rowKey(row)} aria-rowindex={index + 2}>
                  <Cells row={row} columns={columns} />
                </tr>
              )
            );
          })}
          <Gap px={shown.getTotalSize() - (last?.end ?? 0)} span={columns.length} />
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
