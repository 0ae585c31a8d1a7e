// An execution as facts; its input and output by their types.
import { duration, when } from "./show";

/** It can be shown as text; anything else is to be downloaded. */
export function isText(contentType: string): boolean {
  return /^(text\/|application\/json)/.test(contentType);
}

interface Run {
  readonly startedMs: number;
  readonly endedMs: number | null;
  readonly redriveCount?: number;
}

/**
 * Its times. Of one that was redriven the platform tells when it was asked for, and no more when it was begun; what lies between its
 * runs is in what it took. @param redrivenMs when it was redriven last; null: not known
 */
export function timesOf({ startedMs, endedMs, redriveCount = 0 }: Run, redrivenMs: number | null): readonly (readonly [string, string | null])[] {
  const since = redrivenMs !== null && endedMs !== null && endedMs >= redrivenMs ? `, ${duration(endedMs - redrivenMs)} of it since it was redriven` : "";
  return [
    [redriveCount > 0 ? "Asked for" : "Started", when(startedMs)],
    ["Redriven", redriveCount > 0 ? `${redriveCount} ×${redrivenMs === null ? "" : `, last ${when(redrivenMs)}`}` : null],
    ["Took", endedMs === null ? "runs" : duration(endedMs - startedMs) + since],
  ];
}
