// Every table of the GUI: its name, its columns, and what to say when it has no row. The first column names the row.
import type { ReactNode } from "react";
import { plain } from "./plain";

export interface Column<T> {
  readonly head: string;
  /** The heading is for screen readers alone, as that of buttons. */
  readonly quiet?: boolean;
  /** `text` wraps and takes what room there is, `words` wrap where there is little. */
  readonly kind?: "number" | "bars" | "text" | "words" | "deeds";
  readonly cell: (row: T) => ReactNode;
}

interface Props<T> {
  readonly caption: string;
  readonly rows: readonly T[];
  readonly rowKey: (row: T) => string | number;
  readonly columns: readonly Column<T>[];
  readonly empty?: ReactNode;
}

export function Table<T>({ caption, rows, rowKey, columns, empty }: Props<T>) {
  if (rows.length === 0 && empty !== undefined) return <Empty>{empty}</Empty>;
  return (
    <div className="wide" tabIndex={0} role="region" aria-label={caption}>
      <table>
        <caption className="unseen">{caption}</caption>
        <Heads columns={columns} />
        <tbody>
          {rows.map((row) => (
            <tr key={rowKey(row)}>
              <Cells row={row} columns={columns} />
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** @param rowIndex of a table whose rows are not all on the page */
export function Heads<T>({ columns, rowIndex }: { readonly columns: readonly Column<T>[]; readonly rowIndex?: number }) {
  return (
    <thead>
      <tr aria-rowindex={rowIndex}>
        {columns.map((column) => (
          <th key={column.head} scope="col" className={column.kind}>
            {column.quiet ? <span className="unseen">{column.head}</span> : column.head}
          </th>
        ))}
      </tr>
    </thead>
  );
}

export function Cells<T>({ row, columns }: { readonly row: T; readonly columns: readonly Column<T>[] }) {
  return columns.map((column, i) =>
    i === 0 ? (
      <th key={column.head} scope="row" className={column.kind}>
        {plain(column.cell(row))}
      </th>
    ) : (
      <td key={column.head} className={column.kind}>
        {plain(column.cell(row))}
      </td>
    ),
  );
}

/** Nothing is there: what it would be, and how it comes to be. */
export function Empty({ children }: { readonly children: ReactNode }) {
  return <div className="empty">{children}</div>;
}
