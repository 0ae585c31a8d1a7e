// Where the keyboard is when a button that was pressed goes away with what it did, as "Cancel" does on an execution that has ended: a
// browser would have it at the page's very beginning. For the frame around all pages, so that no page has to think of it.
import { type RefObject, useEffect } from "react";

/** What came of it, where that is said; else the heading of the part that the button was in. */
const SAID = '[role="status"][tabindex="-1"]:not(:empty)';
const HEADING = ':is(h1, h2)[tabindex="-1"]';

export function useLanding(page: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const main = page.current;
    if (!main) return;
    /** From the button that has the focus up to the page; empty: none has it. */
    let way: readonly Element[] = [];
    const focused = ({ target }: Event): void => {
      way = target instanceof HTMLButtonElement && main.contains(target) ? wayUp(target, main) : [];
    };
    // Who presses beside everything has left it, without another thing being focused.
    const pressed = ({ target }: Event): void => {
      if (target instanceof Node && !way[0]?.contains(target)) way = [];
    };
    const gone = new MutationObserver(() => {
      if (!way[0] || way[0].isConnected) return;
      const left = way;
      way = [];
      // A page may know better where to go on, or another one is there.
      window.setTimeout(() => {
        if (document.activeElement === document.body) placeOn(left)?.focus();
      });
    });
    document.addEventListener("focusin", focused);
    document.addEventListener("pointerdown", pressed);
    gone.observe(main, { childList: true, subtree: true });
    return () => {
      document.removeEventListener("focusin", focused);
      document.removeEventListener("pointerdown", pressed);
      gone.disconnect();
    };
  }, [page]);
}

function wayUp(from: Element, to: Element): readonly Element[] {
  const way = [from];
  for (let at = from; at !== to && at.parentElement; at = at.parentElement) way.push(at.parentElement);
  return way;
}

function placeOn(way: readonly Element[]): HTMLElement | null {
  for (const at of way) {
    const place = at.isConnected ? (at.querySelector<HTMLElement>(SAID) ?? at.querySelector<HTMLElement>(HEADING)) : null;
    if (place) return place;
  }
  return null;
}
