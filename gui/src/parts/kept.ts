// State of pages that is kept over a reload, for this tab and this platform alone: what is typed is not lost.
import { useCallback, useSyncExternalStore } from "react";
import { SERVER } from "../api/client";
import { keeping } from "../model/kept";

/** One origin may have several platforms, each below a path of its own. */
const PREFIX = `sand.kept.${new URL(SERVER).pathname} `;
/** What nobody would type again gladly. */
const DRAFTS = `${PREFIX}draft.`;
const WRITTEN_MS = 300;

const kept = keeping(
  () => sessionStorage,
  (flush) => window.setTimeout(flush, WRITTEN_MS),
);

window.addEventListener("pagehide", kept.flush);
window.addEventListener("beforeunload", (event) => {
  kept.flush();
  // The tab may be closed for good, and with it goes what it keeps.
  if (kept.hasRefused(DRAFTS) || isThereADraft()) event.preventDefault();
});

function isThereADraft(): boolean {
  try {
    return Object.keys(sessionStorage).some((name) => name.startsWith(DRAFTS));
  } catch {
    return false;
  }
}

/** @param read makes sense of what was kept, null: nothing was */
export function useKept<T>(name: string, read: (text: string | null) => T, write: (value: T) => string | null): readonly [T, (next: (before: T) => T) => void] {
  const full = PREFIX + name;
  const value = useSyncExternalStore(kept.subscribe, () => kept.get(full, read));
  const set = useCallback(
    (next: (before: T) => T) => {
      kept.set(full, next(kept.get(full, read)), write);
    },
    [full, read, write],
  );
  return [value, set];
}

/** False: it is gone with a reload, for the browser has no room for it. */
export function useIsKept(name: string): boolean {
  return useSyncExternalStore(kept.subscribe, () => kept.isKept(PREFIX + name));
}

export function useKeptText(name: string, first: string): readonly [string, (text: string) => void] {
  const [text, set] = useKept(
    name,
    (before) => before ?? first,
    (now: string) => (now === first ? null : now),
  );
  return [text, (now) => set(() => now)];
}
