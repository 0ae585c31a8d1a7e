// State of pages that is kept over a reload, for this tab, this platform and whoever typed it alone: what is typed is not lost.
import { useCallback, useSyncExternalStore } from "react";
import { kept } from "../api/kept";

/** @param read makes sense of what was kept, null: nothing was */
export function useKept<T>(name: string, read: (text: string | null) => T, write: (value: T) => string | null): readonly [T, (next: (before: T) => T) => void] {
  const value = useSyncExternalStore(kept.subscribe, () => kept.get(name, read));
  const set = useCallback(
    (next: (before: T) => T) => {
      kept.set(name, next(kept.get(name, read)), write);
    },
    [name, read, write],
  );
  return [value, set];
}

/** False: it is gone with a reload, for the browser has no room for it. */
export function useIsKept(name: string): boolean {
  return useSyncExternalStore(kept.subscribe, () => kept.isKept(name));
}

/** Another one each time that somebody else has come: what is drawn for him begins anew. */
export function useTurn(): number {
  return useSyncExternalStore(kept.subscribe, kept.turns);
}

export function useKeptText(name: string, first: string): readonly [string, (text: string) => void] {
  const [text, set] = useKept(
    name,
    (before) => before ?? first,
    (now: string) => (now === first ? null : now),
  );
  return [text, (now) => set(() => now)];
}
