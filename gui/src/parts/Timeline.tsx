// Attempts as bars on one scale, each in its four parts.
import { type Attempt, PARTS, rowsOf } from "../model/timeline";
import { duration } from "../model/show";

const MOST_ROWS = 300;

export function Timeline({ attempts }: { readonly attempts: readonly Attempt[] }) {
  const { rows, spanMs, left } = rowsOf(attempts, MOST_ROWS);
  if (rows.length === 0) return <p>No attempt of a grain has ended.</p>;
  return (
    <>
      <p className="legend">
        {PARTS.map((part) => (
          <span key={part}>
            <i className={`swatch ${part}`} /> {part}
          </span>
        ))}
        <span>in all {duration(spanMs)}</span>
      </p>
      <div className="wide" tabIndex={0} role="region" aria-label="Attempts">
        <table className="timeline">
          <thead>
            <tr>
              <th scope="col">Grain</th>
              <th scope="col" className="bars">
                When
              </th>
              {PARTS.map((part) => (
                <th scope="col" key={part}>
                  {part}
                </th>
              ))}
              <th scope="col">Error</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.key}>
                <th scope="row">{row.label}</th>
                <td>
                  <svg viewBox="0 0 1000 16" preserveAspectRatio="none" role="img" aria-label={`from ${duration(row.startMs)}, ${duration(row.totalMs)} long`}>
                    {row.parts.map((one) => (
                      <rect key={one.part} className={one.part} x={one.fromShare * 1000} width={Math.max(one.share * 1000, 1)} y={2} height={12} />
                    ))}
                  </svg>
                </td>
                {row.parts.map((one) => (
                  <td key={one.part}>{duration(one.ms)}</td>
                ))}
                <td>{row.error ?? ""}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {left > 0 && <p>{left} more attempts are not shown.</p>}
    </>
  );
}
