// Attempts as bars on one scale, each in its four parts.
import { type Attempt, PARTS, type Row, rowsOf } from "../model/timeline";
import { duration } from "../model/show";
import { type Column, Table } from "./Table";

const MOST_ROWS = 300;

const COLUMNS: readonly Column<Row>[] = [
  { head: "Grain", cell: (row) => row.label },
  { head: "When", kind: "bars", cell: (row) => <Bar row={row} /> },
  ...PARTS.map((part): Column<Row> => ({ head: part, kind: "number", cell: (row) => duration(row.parts.find((one) => one.part === part)?.ms ?? 0) })),
  { head: "Error", cell: (row) => <span className="fault">{row.error ?? ""}</span> },
];

/** What a single grain's attempts have no need of: whose they are, and the error, which stands beside them. */
const OF_ONE = COLUMNS.slice(1, -1);

/** @param isOfOne they are attempts of one grain, in little room */
export function Timeline({ attempts, isOfOne = false }: { readonly attempts: readonly Attempt[]; readonly isOfOne?: boolean }) {
  const { rows, spanMs, left } = rowsOf(attempts, MOST_ROWS);
  return (
    <>
      {rows.length > 0 && (
        <p className="legend">
          {PARTS.map((part) => (
            <span key={part}>
              <i className={`swatch ${part}`} /> {part}
            </span>
          ))}
          <span>in all {duration(spanMs)}</span>
        </p>
      )}
      <Table caption="Attempts" rows={rows} rowKey={(row) => row.key} columns={isOfOne ? [{ head: "Attempt", cell: (row) => rows.indexOf(row) + 1 }, ...OF_ONE] : COLUMNS} empty="No attempt of a grain has ended." />
      {left > 0 && <p>{left} more attempts are not shown.</p>}
    </>
  );
}

function Bar({ row }: { readonly row: Row }) {
  return (
    <svg viewBox="0 0 1000 16" preserveAspectRatio="none" role="img" aria-label={`from ${duration(row.startMs)}, ${duration(row.totalMs)} long`}>
      {row.parts.map((one) => (
        <rect key={one.part} className={one.part} x={one.fromShare * 1000} width={Math.max(one.share * 1000, 1)} y={2} height={12} />
      ))}
    </svg>
  );
}
