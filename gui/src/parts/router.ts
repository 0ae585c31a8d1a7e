// The page's address as state.
import { useSyncExternalStore } from "react";
import { type Route, formatRoute, parseRoute } from "../model/route";

const listeners = new Set<() => void>();

function subscribe(changed: () => void): () => void {
  listeners.add(changed);
  window.addEventListener("hashchange", changed);
  return () => {
    listeners.delete(changed);
    window.removeEventListener("hashchange", changed);
  };
}

/** The event comes later: until then what somebody clicked on would be as it was. */
function changed(): void {
  for (const listener of listeners) listener();
}

export function useRoute(): Route {
  return parseRoute(useSyncExternalStore(subscribe, () => window.location.hash));
}

export function go(route: Route): void {
  window.location.hash = formatRoute(route);
  changed();
}

/** Another state of the same page: no step to go back to. */
export function replace(route: Route): void {
  window.location.replace(formatRoute(route));
  changed();
}
