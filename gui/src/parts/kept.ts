// State of a page that is kept over a reload, for this tab alone: what is typed is not lost.
import { useCallback, useState } from "react";

const PREFIX = "sand.kept.";

/** @param name of which there is one; a component that changes it has to be made anew. @param read makes sense of what was kept, null: nothing was */
export function useKept<T>(name: string, read: (text: string | null) => T, write: (value: T) => string | null): readonly [T, (next: (before: T) => T) => void] {
  const [value, setValue] = useState(() => read(get(name)));
  const set = useCallback(
    (next: (before: T) => T) =>
      setValue((before) => {
        const now = next(before);
        put(name, write(now));
        return now;
      }),
    [name, write],
  );
  return [value, set];
}

const asIs = (text: string): string => text;

export function useKeptText(name: string, first: string): readonly [string, (text: string) => void] {
  const [text, set] = useKept(name, (kept) => kept ?? first, asIs);
  return [text, (now) => set(() => now)];
}

function get(name: string): string | null {
  try {
    return sessionStorage.getItem(PREFIX + name);
  } catch {
    return null;
  }
}

/** A browser that keeps nothing, or no more, is no reason to stop typing. */
function put(name: string, text: string | null): void {
  try {
    if (text === null) sessionStorage.removeItem(PREFIX + name);
    else sessionStorage.setItem(PREFIX + name, text);
  } catch {
    // It stays in this page.
  }
}
