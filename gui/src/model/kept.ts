// Values by name that outlast the component that shows them, and a reload as far as the shelf has room. There is one of each name.

/** The browser's, which may have no room or refuse altogether. */
export interface Shelf {
  getItem(name: string): string | null;
  setItem(name: string, text: string): void;
  removeItem(name: string): void;
}

export interface Kept {
  readonly get: <T>(name: string, read: (text: string | null) => T) => T;
  /** @param write what to put on the shelf; null: nothing */
  readonly set: <T>(name: string, value: T, write: (value: T) => string | null) => void;
  /** Puts on the shelf what has changed since. */
  readonly flush: () => void;
  /** It is on the shelf, or will be. */
  readonly isKept: (name: string) => boolean;
  /** The shelf has no room for one whose name begins so. */
  readonly hasRefused: (prefix: string) => boolean;
  readonly subscribe: (listener: () => void) => () => void;
}

/** @param later calls back after a while: what changes with each key is written once for many */
export function keeping(shelf: () => Shelf, later: (flush: () => void) => void): Kept {
  const values = new Map<string, unknown>();
  const unwritten = new Map<string, () => string | null>();
  const refused = new Set<string>();
  const listeners = new Set<() => void>();
  const tell = (): void => listeners.forEach((listener) => listener());

  function put(name: string, text: string | null): void {
    try {
      if (text === null) shelf().removeItem(name);
      else shelf().setItem(name, text);
      refused.delete(name);
    } catch {
      // What was there before is older than what was typed: it is not to come back.
      if (text === null) refused.delete(name);
      else refused.add(name);
      try {
        shelf().removeItem(name);
      } catch {
        // Then there is no shelf.
      }
    }
  }

  function flush(): void {
    const before = [...refused].join();
    for (const [name, write] of unwritten) put(name, write());
    unwritten.clear();
    if ([...refused].join() !== before) tell();
  }

  return {
    get<T>(name: string, read: (text: string | null) => T): T {
      if (!values.has(name)) {
        let text: string | null = null;
        try {
          text = shelf().getItem(name);
        } catch {
          // A browser that keeps nothing is no reason not to type.
        }
        values.set(name, read(text));
      }
      return values.get(name) as T;
    },
    set(name, value, write) {
      values.set(name, value);
      if (unwritten.size === 0) later(flush);
      unwritten.set(name, () => write(value));
      tell();
    },
    flush,
    isKept: (name) => !refused.has(name),
    hasRefused: (prefix) => [...refused].some((name) => name.startsWith(prefix)),
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
