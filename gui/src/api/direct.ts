// Whether this page asks the platform to do by itself what a grain of its management did not: until somebody wants the grains again, or
// the page is loaded anew.
import { useSyncExternalStore } from "react";
import { DIRECT, canBeDirect } from "../model/direct";

let direct = false;
const listeners = new Set<() => void>();

/** @param path below the platform's address */
export function shownDirect(path: string): Record<string, string> {
  return direct && canBeDirect(path) ? DIRECT : {};
}

export function goDirect(now: boolean): void {
  direct = now;
  for (const listener of listeners) listener();
}

export function useDirect(): boolean {
  return useSyncExternalStore(listen, () => direct);
}

function listen(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
