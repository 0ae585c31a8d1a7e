// How applications did lately, as lines over time and in words.
import type { Schemas } from "../api/client";
import { duration, when } from "./show";

export type Figures = Schemas["Figures"];
export type OfApplication = Figures["applications"][number];

/** What somebody may choose, in minutes. */
export const WINDOWS = [5, 15, 60] as const;
const USUAL = 15;

export function windowOf(text: string): number {
  return WINDOWS.find((minutes) => String(minutes) === text) ?? USUAL;
}

/** Seconds that the figures are of: fewer than the window while no host has run for so long. */
export function seconds(figures: Figures): number {
  return Math.max(1, (figures.untilMs - Math.max(figures.sinceMs, figures.fromMs)) / 1000);
}

export function rate(count: number, overSeconds: number): string {
  const perSecond = count / overSeconds;
  if (perSecond === 0) return "0/s";
  return perSecond >= 0.1 ? `${perSecond.toFixed(perSecond < 10 ? 1 : 0)}/s` : `${(perSecond * 60).toFixed(1)}/min`;
}

export function failures(one: { readonly ended: number; readonly failed: number }): string {
  if (one.failed === 0) return "0";
  const share = (100 * one.failed) / one.ended;
  return `${one.failed.toLocaleString("en")} (${share < 1 ? "under 1" : share.toFixed(0)} %)`;
}

/** A bound that the truth is at most a quarter under. */
export function latency(ms: number | undefined): string {
  return ms === undefined ? "–" : `≤ ${duration(ms)}`;
}

export type Line = readonly (number | null)[];
export interface Lines {
  /** Seconds since the epoch, a step apart, up to the last step that is over. */
  readonly times: readonly number[];
  readonly perSecond: Line;
  readonly failedPerSecond: Line;
  readonly p50: Line;
  readonly p95: Line;
  readonly p99: Line;
}

/** Where nothing ended the rate is nought, and there is no latency; before anybody looked there is neither. */
export function linesOf(figures: Figures, one: OfApplication | undefined): Lines {
  const { fromMs, sinceMs, untilMs, stepMs } = figures;
  const steps = new Map(one?.steps.map((step) => [step.startMs, step]));
  // The first may have begun before anybody looked, the last is not over: neither has the rate of its step.
  const starts: number[] = [];
  for (let at = fromMs; at + stepMs <= untilMs; at += stepMs) starts.push(at);
  const isSeen = (at: number): boolean => at + stepMs > sinceMs;
  const over = (at: number): number => (at + stepMs - Math.max(at, sinceMs)) / 1000;
  const rated = (of: "ended" | "failed"): Line => starts.map((at) => (isSeen(at) ? (steps.get(at)?.[of] ?? 0) / over(at) : null));
  const took = (of: "p50Ms" | "p95Ms" | "p99Ms"): Line => starts.map((at) => steps.get(at)?.[of] ?? null);
  return { times: starts.map((at) => at / 1000), perSecond: rated("ended"), failedPerSecond: rated("failed"), p50: took("p50Ms"), p95: took("p95Ms"), p99: took("p99Ms") };
}

/** What stands below the lines, in local time: hours and minutes, seconds where they are needed, and the day where one begins. @param times in seconds */
export function ticks(times: readonly number[]): readonly string[] {
  const texts = times.map((time) => when(time * 1000));
  const [hour, end] = ["YYYY-MM-DD ".length, times.every((time) => time % 60 === 0) ? "YYYY-MM-DD HH:MM".length : "YYYY-MM-DD HH:MM:SS".length];
  const dayOf = (text: string | undefined): string | undefined => text?.slice(0, hour - 1);
  return texts.map((text, i) => (dayOf(texts[i - 1]) === dayOf(text) ? text.slice(hour, end) : `${text.slice(hour, end)}\n${dayOf(text)}`));
}

/** The chosen one, else the one of which most ended. */
export function shownOf(figures: Figures, chosen: string): string {
  return chosen || ([...figures.applications].sort((a, b) => b.ended - a.ended)[0]?.application ?? "");
}
