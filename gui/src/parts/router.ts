// The page's address as state.
import { useSyncExternalStore } from "react";
import { type Route, formatRoute, parseRoute } from "../model/route";

function subscribe(changed: () => void): () => void {
  window.addEventListener("hashchange", changed);
  return () => window.removeEventListener("hashchange", changed);
}

export function useRoute(): Route {
  return parseRoute(useSyncExternalStore(subscribe, () => window.location.hash));
}

export function go(route: Route): void {
  window.location.hash = formatRoute(route);
}

/** Another state of the same page: no step to go back to. */
export function replace(route: Route): void {
  window.location.replace(formatRoute(route));
}
