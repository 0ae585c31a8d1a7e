// Where in an application's files something is: what a stack trace names, and the lines of a text.

export interface Place {
  readonly path: string;
  /** From 1. */
  readonly line: number;
}

/** Part of a text, with what is to be said about it. */
export interface Finding {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** Places of a Python stack trace that are in the application's files, where it was raised first. @param paths of these files */
export function placesOf(stackTrace: string, paths: readonly string[]): readonly Place[] {
  const found = [...stackTrace.matchAll(/^\s*File "([^"\n]+)", line (\d+)/gm)].flatMap(([, file = "", line]): Place[] => {
    // The folder that they were in is the host's own: the longest path that fits is meant.
    const own = paths.filter((path) => file === path || file.endsWith(`/${path}`)).sort((a, b) => b.length - a.length)[0];
    return own === undefined ? [] : [{ path: own, line: Number(line) }];
  });
  return found.reverse();
}

/** The grain that a file is of, or null. */
export function grainOf(path: string): string | null {
  return /^grains\/([^/]+)\/./.exec(path)?.[1] ?? null;
}

/** Where a grain's handler may be, the likelier first. @param entry such as `handler:handle` */
export function handlersOf(grain: string, entry: string): readonly string[] {
  const module = entry.slice(0, entry.indexOf(":")).replaceAll(".", "/");
  return [`grains/${grain}/${module}.py`, `grains/${grain}/${module}/__init__.py`];
}

/** A line without the white space before it and its end; of a line that is not there, the nearest. @param line from 1 */
export function lineAt(text: string, line: number): { readonly from: number; readonly to: number } {
  let from = 0;
  for (let at = 1; at < line; at++) {
    const next = text.indexOf("\n", from);
    if (next < 0) break;
    from = next + 1;
  }
  const end = text.indexOf("\n", from);
  const to = end < 0 ? text.length : end;
  const indent = /^[ \t]*/.exec(text.slice(from, to))?.[0].length ?? 0;
  return { from: Math.min(from + indent, to), to };
}

/** From 1. */
export function lineOf(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at >= 0 && at < offset; at = text.indexOf("\n", at + 1)) line += 1;
  return line;
}
