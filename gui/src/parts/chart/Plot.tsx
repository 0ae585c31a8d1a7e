// Lines over time, drawn by uPlot. Colours are those of the page, read anew with each drawing: the theme may be another by then.
import { useEffect, useRef } from "react";
import UPlot from "uplot";
import { ticks } from "../../model/figures";
import "uplot/dist/uPlot.min.css";

export interface PlotProps {
  /** In seconds. */
  readonly times: readonly number[];
  readonly lines: readonly { readonly name: string; readonly colour: "run" | "bad" | "good" | "caught"; readonly values: readonly (number | null)[] }[];
  readonly shown: (value: number) => string;
}

const HEIGHT = 180;
const AXIS = 66;
/** Between two times, at least: they stand beside each other with seconds. */
const TICKS = 76;

export default function Plot({ times, lines, shown }: PlotProps) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<UPlot>(null);
  const first = useRef({ times, lines, shown });
  useEffect(() => {
    const parent = place.current;
    if (!parent) return;
    const { lines: drawn, shown: inWords } = first.current;
    const colour = (name: string) => () => resolved(parent, name);
    const axis = { stroke: colour("quiet"), grid: { stroke: colour("border"), width: 1 }, ticks: { show: false } };
    const made = new UPlot(
      {
        width: Math.max(parent.clientWidth, 1),
        height: HEIGHT,
        legend: { show: false },
        cursor: { show: false },
        scales: { y: { range: (_u, _low, high) => [0, high > 0 ? high * 1.1 : 1] } },
        axes: [{ ...axis, space: TICKS, values: (_u, at) => [...ticks(at)] }, { ...axis, size: AXIS, values: (_u, at) => at.map((value) => inWords(value)) }],
        series: [{}, ...drawn.map((line) => ({ label: line.name, stroke: colour(line.colour), width: 2, spanGaps: false, points: { size: 5 } }))],
      },
      dataOf(first.current),
      parent,
    );
    plot.current = made;
    const size = new ResizeObserver(() => made.setSize({ width: Math.max(parent.clientWidth, 1), height: HEIGHT }));
    size.observe(parent);
    const again = (): void => made.redraw(false);
    const theme = new MutationObserver(again);
    theme.observe(document.documentElement, { attributeFilter: ["data-theme"] });
    const dark = window.matchMedia("(prefers-color-scheme: dark)");
    dark.addEventListener("change", again);
    return () => {
      size.disconnect();
      theme.disconnect();
      dark.removeEventListener("change", again);
      made.destroy();
      plot.current = null;
    };
  }, []);
  useEffect(() => plot.current?.setData(dataOf({ times, lines })), [times, lines]);
  return <div ref={place} />;
}

function dataOf({ times, lines }: Pick<PlotProps, "times" | "lines">): UPlot.AlignedData {
  return [[...times], ...lines.map((line) => [...line.values])];
}

/** A canvas knows no variables of style sheets. */
function resolved(parent: HTMLElement, name: string): string {
  const probe = document.createElement("span");
  probe.style.color = `var(--${name})`;
  parent.append(probe);
  const found = getComputedStyle(probe).color;
  probe.remove();
  return found;
}
