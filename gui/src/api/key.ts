// The platform's key, where it asks for one: in this page's memory alone, so that it is gone with the page. docs/SECURITY.md.
import { useSyncExternalStore } from "react";

let key = "";
let isAsked = false;
const listeners = new Set<() => void>();

/** What every request to the platform carries. */
export function shownKey(): Record<string, string> {
  return key ? { Authorization: `Bearer ${key}` } : {};
}

export function isKeyed(): boolean {
  return key !== "";
}

/** The platform answered that it wants one, or another. @param sent with what, since answers to older requests come late */
export function askForKey(sent: string | null): void {
  if (sent === (shownKey().Authorization ?? null)) ask(true);
}

export function giveKey(given: string): void {
  key = given.trim();
  ask(false);
}

/** Whether somebody should be asked for it. */
export function useKeyAsked(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => isAsked,
  );
}

function ask(asked: boolean): void {
  isAsked = asked;
  for (const listener of listeners) listener();
}
