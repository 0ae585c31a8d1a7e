// Where lines over time go; what draws them comes behind the first bundle.
import { Suspense, lazy } from "react";
import type { PlotProps } from "./chart/Plot";

const Plot = lazy(() => import("./chart/Plot"));

interface Props extends PlotProps {
  readonly title: string;
  /** What the picture says, for who does not see it. */
  readonly inWords: string;
}

export function Chart({ title, inWords, ...plot }: Props) {
  return (
    <figure className="chart">
      <figcaption>
        <strong>{title}</strong>
        <span className="legend">
          {plot.lines.map((line) => (
            <span key={line.name} className={`key ${line.colour}`}>
              {line.name}
            </span>
          ))}
        </span>
      </figcaption>
      <div role="img" aria-label={`${title}: ${inWords}`} className="plot">
        <Suspense fallback={<p className="quiet">Loading…</p>}>
          <Plot {...plot} />
        </Suspense>
      </div>
    </figure>
  );
}
