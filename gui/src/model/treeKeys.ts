// What a key does in a tree of rows, as the ARIA practices have it.
import type { Row } from "./foldedJson";

export type Deed = { readonly to: number } | { readonly open: boolean };

/** @param at the row that the keyboard is on; @return null: the key is not the tree's */
export function moved(rows: readonly Pick<Row, "level" | "isOpen">[], at: number, key: string): Deed | null {
  const row = rows[at];
  if (!row) return null;
  switch (key) {
    case "ArrowDown":
      return { to: Math.min(at + 1, rows.length - 1) };
    case "ArrowUp":
      return { to: Math.max(at - 1, 0) };
    case "Home":
      return { to: 0 };
    case "End":
      return { to: rows.length - 1 };
    case "ArrowRight":
      return row.isOpen === true ? { to: at + 1 } : { open: true };
    case "ArrowLeft":
      return row.isOpen === true ? { open: false } : { to: around(rows, at, row.level) };
    case "Enter":
    case " ":
      return { open: row.isOpen !== true };
    default:
      return null;
  }
}

/** The row that has this one; of the outermost itself. */
function around(rows: readonly Pick<Row, "level">[], at: number, level: number): number {
  for (let i = at - 1; i >= 0; i--) if ((rows[i]?.level ?? level) < level) return i;
  return at;
}
