// What this page shows the platform, where that asks: a key, in this page's memory alone, so that it is gone with the page; or, of
// somebody who has signed in, what belongs to his session's cookie, which no script sees. docs/SECURITY.md.
import { useSyncExternalStore } from "react";

let key = "";
let csrf = "";
let isAsked = false;
let visits = 0;
let onOther = (): Promise<boolean> => Promise.resolve(false);
const listeners = new Set<() => void>();

/** What every request to the platform carries. */
export function shownKey(): Record<string, string> {
  if (key) return { Authorization: `Bearer ${key}` };
  return csrf ? { "Sand-Csrf": csrf } : {};
}

/** Somebody has signed in on this page: he is shown, and no key that was given before, which may be good no more. */
export function signedIn(token: string): void {
  key = "";
  hasSession(token);
}

/** Of the session; "": it is over. */
export function hasSession(token: string): void {
  csrf = token;
  if (token) comeIn();
}

export function isKeyed(): boolean {
  return key !== "";
}

/** Whether the platform knows who is here: so a program needs a key. */
export function isKnown(): boolean {
  return key !== "" || csrf !== "";
}

/** Whether who is here has signed in on this page, though his session may be over by now. */
export function isSignedIn(): boolean {
  return key === "" && csrf !== "";
}

/** How often somebody who was asked who he is has said it. */
export function visit(): number {
  return visits;
}

/** The platform answered that it wants one, or another. @param sent with what, since answers to older requests come late */
export function askForKey(sent: Readonly<Record<string, string>>): void {
  const now = shownKey();
  if (["Authorization", "Sand-Csrf"].every((name) => (sent[name] ?? "") === (now[name] ?? ""))) ask(true);
}

/** @param listener is told that what this page shows is not of the cookie's session any more, and finds out whose that is, or not */
export function onOtherSession(listener: () => Promise<boolean>): void {
  onOther = listener;
}

/** The platform answered that the cookie is of another session than what came beside it. @return whether this page knows of that one by now */
export function otherSession(): Promise<boolean> {
  return onOther();
}

export function giveKey(given: string): void {
  key = given.trim();
  csrf = "";
  comeIn();
}

/** Whether somebody should be asked for it. */
export function isKeyAsked(): boolean {
  return isAsked;
}

export function useKeyAsked(): boolean {
  return useSyncExternalStore(listen, isKeyAsked);
}

export function useVisit(): number {
  return useSyncExternalStore(listen, visit);
}

function listen(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function comeIn(): void {
  if (isAsked) visits += 1;
  ask(false);
}

function ask(asked: boolean): void {
  isAsked = asked;
  for (const listener of listeners) listener();
}
