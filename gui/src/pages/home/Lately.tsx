// How one application did lately: its rate and its latencies over time.
import { useMemo } from "react";
import { figuresPath } from "../../api/figures";
import { useMay, useShownName } from "../../api/session";
import { type Figures, WINDOWS, failures, latency, linesOf, rate, seconds, shownOf } from "../../model/figures";
import { duration, when } from "../../model/show";
import { Section } from "../../parts/bits";
import { Chart } from "../../parts/Chart";
import { AsCurl } from "../../parts/copy";
import { replace } from "../../parts/router";

interface Props {
  readonly figures: Figures;
  readonly names: readonly string[];
  readonly chosen: string;
  readonly minutes: number;
}

const perSecond = (value: number): string => rate(value, 1);

export function Lately({ figures, names, chosen, minutes }: Props) {
  const app = shownOf(figures, chosen);
  const one = figures.applications.find((each) => each.application === app);
  const lines = useMemo(() => linesOf(figures, one), [figures, one]);
  const rates = useMemo(
    () => [{ name: "ended", colour: "run", values: lines.perSecond } as const, { name: "failed", colour: "bad", values: lines.failedPerSecond } as const],
    [lines],
  );
  const latencies = useMemo(
    () => [
      { name: "p50", colour: "good", values: lines.p50 } as const,
      { name: "p95", colour: "run", values: lines.p95 } as const,
      { name: "p99", colour: "caught", values: lines.p99 } as const,
    ],
    [lines],
  );
  const operates = useMay("operator");
  const shownName = useShownName();
  const silent = figures.hosts.filter((host) => host.problem !== null);
  const ask = (next: { readonly of?: string; readonly minutes?: number }): void =>
    replace({ page: "home", of: next.of ?? chosen, minutes: String(next.minutes ?? minutes) });
  return (
    <Section title="Lately">
      <div className="filters">
        <label>
          Application{" "}
          <select value={app} onChange={(event) => ask({ of: event.target.value })}>
            {(app === "" || names.includes(app) ? names : [...names, app]).map((name) => (
              <option key={name} value={name}>
                {shownName(name)}
              </option>
            ))}
          </select>
        </label>
        <label>
          Window{" "}
          <select value={minutes} onChange={(event) => ask({ minutes: Number(event.target.value) })}>
            {WINDOWS.map((each) => (
              <option key={each} value={each}>{`${each} minutes`}</option>
            ))}
          </select>
        </label>
        <span className="quiet">
          {`Executions that ended since ${when(Math.max(figures.fromMs, figures.sinceMs)).slice(0, 19)}, in steps of ${figures.stepMs / 1000} s.`}
        </span>
      </div>
      {silent.map((host, at) => (
        <p key={at} className="fault">{`${operates ? `Host ${host.host}` : "A host"} is not among them: ${host.problem}`}</p>
      ))}
      <div className="charts">
        <Chart
          title="Executions a second"
          inWords={one ? `${rate(one.ended, seconds(figures))} ended, ${failures(one)} failed` : "nothing ended"}
          times={lines.times}
          lines={rates}
          shown={perSecond}
        />
        <Chart
          title="Time to the end, at most"
          inWords={one ? `p50 ${latency(one.p50Ms)}, p95 ${latency(one.p95Ms)}, p99 ${latency(one.p99Ms)}` : "nothing ended"}
          times={lines.times}
          lines={latencies}
          shown={duration}
        />
      </div>
      <AsCurl name="figures" url={figuresPath(minutes)} command={["figures", "--minutes", String(minutes)]} />
    </Section>
  );
}
