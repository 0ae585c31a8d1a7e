// Attempts as bars on one scale, each in its four parts, and what a workflow waited for between them.
import { type Attempt, type CourseOfRows, PARTS, type Row, rowsOf } from "../model/timeline";
import { duration, exactly } from "../model/show";
import { type Column, Table } from "./Table";

const MOST_ROWS = 300;

const COLUMNS: readonly Column<Row>[] = [
  { head: "Grain", kind: "words", cell: (row) => row.label },
  { head: "When", kind: "bars", cell: (row) => <Bar row={row} /> },
  ...PARTS.map((part): Column<Row> => ({ head: part, kind: "number", cell: (row) => shown(row, part) })),
  { head: "Took", kind: "number", cell: took },
  { head: "Error", cell: (row) => <span className="fault">{row.error ?? ""}</span> },
];

/** A workflow's are at a state. */
const OF_WORKFLOW: readonly Column<Row>[] = [{ head: "State", kind: "words", cell: (row) => row.place }, ...COLUMNS];

/** What a single grain's attempts have no need of, in little room: whose they are, what they took in all, and the error, which stands beside them. */
const OF_ONE = COLUMNS.slice(1, -2);

interface Props {
  readonly attempts: readonly Attempt[];
  /** They are attempts of one grain, in little room. */
  readonly isOfOne?: boolean;
  /** They are a workflow's. */
  readonly course?: CourseOfRows;
}

export function Timeline({ attempts, isOfOne = false, course }: Props) {
  const { rows, spanMs, left } = rowsOf(attempts, MOST_ROWS, course);
  const hasWaits = rows.some((row) => row.parts[0]?.part === "wait");
  const columns = course ? OF_WORKFLOW : isOfOne ? [{ head: "Attempt", cell: (row: Row) => rows.indexOf(row) + 1 }, ...OF_ONE] : COLUMNS;
  return (
    <>
      {rows.length > 0 && (
        <p className="legend">
          {[...PARTS, ...(hasWaits ? (["wait"] as const) : [])].map((part) => (
            <span key={part}>
              <i className={`swatch ${part}`} /> {part}
            </span>
          ))}
          <span>in all {course ? duration(spanMs) : exactly(spanMs)}</span>
        </p>
      )}
      <Table caption="Attempts" rows={rows} rowKey={(row) => row.key} columns={columns} empty="No attempt of a grain has ended." />
      {left > 0 && <p>{left} more rows are not shown.</p>}
    </>
  );
}

/** What a workflow waits for is told by its history, in milliseconds. */
function took(row: Row): string {
  return exactly(row.totalMs, row.parts[0]?.part === "wait");
}

function shown(row: Row, part: (typeof PARTS)[number]): string {
  const found = row.parts.find((one) => one.part === part);
  return found ? exactly(found.ms) : "";
}

function Bar({ row }: { readonly row: Row }) {
  return (
    <svg viewBox="0 0 1000 16" preserveAspectRatio="none" role="img" aria-label={`from ${duration(row.startMs)}, ${took(row)} long`}>
      {row.parts.map((one) => (
        <rect key={one.part} className={one.part} x={one.fromShare * 1000} width={Math.max(one.share * 1000, 1)} y={2} height={12} />
      ))}
    </svg>
  );
}
