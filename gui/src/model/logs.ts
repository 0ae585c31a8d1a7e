// Lines of a log: which of them are wanted, and those that a page holds while older ones are fetched and newer ones come.

export const LEVELS = ["debug", "info", "warning", "error", "critical"] as const;
export const STREAMS = ["stdout", "stderr", "platform"] as const;

/** Texts of fields, and of an address; empty: any. */
export interface LineFilter {
  readonly grain: string;
  readonly level: string;
  readonly text: string;
  /** Streams that are not wanted, with commas between. */
  readonly hide: string;
  readonly execution: string;
}

export const ANY_LINE: LineFilter = { grain: "", level: "", text: "", hide: "", execution: "" };

export function isAnyLine(filter: LineFilter): boolean {
  return Object.values(askedOf(filter)).length === 0;
}

/** Of the platform: what is empty is not asked. */
export interface AskedLines {
  readonly grain?: string;
  readonly level?: (typeof LEVELS)[number];
  readonly text?: string;
  readonly stream?: string;
  readonly invocation?: string;
}

export function askedOf({ grain, level, text, hide, execution }: LineFilter): AskedLines {
  const shown = STREAMS.filter((stream) => !hide.split(",").includes(stream));
  const least = LEVELS.find((one) => one === level);
  return {
    ...(grain && { grain }),
    ...(least && { level: least }),
    ...(text && { text }),
    // Who hides all of them wants to see something all the same.
    ...(shown.length > 0 && shown.length < STREAMS.length && { stream: shown.join(",") }),
    ...(execution && { invocation: execution }),
  };
}

/** The same to the command. */
export function optionsOf(filter: LineFilter): string[] {
  const { stream, ...asked } = askedOf(filter);
  const streams = stream?.split(",").flatMap((one) => ["--stream", one]) ?? [];
  return [...Object.entries(asked).flatMap(([name, value]) => [`--${name}`, value]), ...streams];
}

interface Numbered {
  readonly sequence: number;
}

export interface Kept<Line extends Numbered> {
  /** Oldest first. */
  readonly lines: readonly Line[];
  /** Before which there are older ones; null: the platform keeps none. */
  readonly previous: number | null;
  /** How many were fetched as older ones: these are not dropped for newer ones. */
  readonly fetched: number;
}

export function withOlder<Line extends Numbered>(kept: Kept<Line>, page: { readonly lines: readonly Line[]; readonly previous: number | null }): Kept<Line> {
  return { lines: [...page.lines, ...kept.lines], previous: page.previous, fetched: kept.fetched + page.lines.length };
}

/** @param most lines that are kept besides those that were fetched: the oldest go, and can be fetched again */
export function withNewer<Line extends Numbered>(kept: Kept<Line>, come: readonly Line[], most: number): Kept<Line> {
  const last = kept.lines.at(-1)?.sequence ?? 0;
  const all = [...kept.lines, ...come.filter((line) => line.sequence > last)];
  const lines = all.slice(-(most + kept.fetched));
  return { ...kept, lines, previous: lines.length < all.length ? (lines[0]?.sequence ?? null) : kept.previous };
}
