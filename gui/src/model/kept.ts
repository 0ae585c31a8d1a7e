// Values by name that outlast the component that shows them, and a reload as far as the shelf has room. There is one of each name, and
// each is of whoever typed it: another one neither sees it nor finds it on the shelf.

/** The browser's, which may have no room or refuse altogether. */
export interface Shelf {
  readonly length: number;
  key(index: number): string | null;
  getItem(name: string): string | null;
  setItem(name: string, text: string): void;
  removeItem(name: string): void;
}

/** Whose it is. Nobody has a name where there are no accounts: user "". */
export interface Owner {
  readonly user: string;
  readonly tenant: string;
}

export interface Kept {
  readonly get: <T>(name: string, read: (text: string | null) => T) => T;
  /** @param write what to put on the shelf; null: nothing */
  readonly set: <T>(name: string, value: T, write: (value: T) => string | null) => void;
  /** Who is here by now: to him what he typed, and of any other user it is gone. Until it is known nothing is on the shelf. */
  readonly belongTo: (owner: Owner) => void;
  /** He leaves: all that he typed is gone. */
  readonly forget: () => void;
  /** How often somebody else came after one who was known: what is on the page is not for him. */
  readonly turns: () => number;
  /** Puts on the shelf what has changed since. */
  readonly flush: () => void;
  /** It is on the shelf, or will be. */
  readonly isKept: (name: string) => boolean;
  /** The shelf has no room for one whose name begins so. */
  readonly hasRefused: (prefix: string) => boolean;
  /** One whose name begins so is on the shelf. */
  readonly hasKept: (prefix: string) => boolean;
  readonly subscribe: (listener: () => void) => () => void;
}

/** A name on the shelf: whose it is, without a space, before what it is. */
const ofUser = (prefix: string, user: string): string => `${prefix}${encodeURIComponent(user)} `;

/**
 * @param prefix of all that is put on the shelf
 * @param later calls back after a while: what changes with each key is written once for many
 */
export function keeping(prefix: string, shelf: () => Shelf, later: (flush: () => void) => void): Kept {
  const values = new Map<string, unknown>();
  const unwritten = new Map<string, () => string | null>();
  const refused = new Set<string>();
  const listeners = new Set<() => void>();
  let owner: Owner | null = null;
  let turns = 0;
  const tell = (): void => listeners.forEach((listener) => listener());
  const place = ({ user, tenant }: Owner, name: string): string => `${ofUser(prefix, user)}${encodeURIComponent(tenant)} ${name}`;

  function put(name: string, at: string, text: string | null): void {
    try {
      if (text === null) shelf().removeItem(at);
      else shelf().setItem(at, text);
      refused.delete(name);
    } catch {
      // What was there before is older than what was typed: it is not to come back.
      if (text === null) refused.delete(name);
      else refused.add(name);
      try {
        shelf().removeItem(at);
      } catch {
        // Then there is no shelf.
      }
    }
  }

  function flush(): void {
    if (owner === null) return;
    const before = [...refused].join();
    for (const [name, write] of unwritten) put(name, place(owner, name), write());
    unwritten.clear();
    if ([...refused].join() !== before) tell();
  }

  function names(): readonly string[] {
    try {
      const box = shelf();
      return Array.from({ length: box.length }, (_, i) => box.key(i) ?? "").filter((name) => name.startsWith(prefix));
    } catch {
      return [];
    }
  }

  function remove(all: readonly string[]): void {
    for (const name of all) shelf().removeItem(name);
  }

  function turn(): void {
    values.clear();
    unwritten.clear();
    refused.clear();
    turns += 1;
  }

  return {
    get<T>(name: string, read: (text: string | null) => T): T {
      if (!values.has(name)) {
        let text: string | null = null;
        try {
          text = owner && shelf().getItem(place(owner, name));
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
    belongTo(now) {
      const before = owner;
      if (before?.user === now.user && before.tenant === now.tenant) return;
      if (before === null) {
        // What was read until here was nobody's; what was typed is his who is here.
        for (const name of [...values.keys()]) if (!unwritten.has(name)) values.delete(name);
      } else {
        if (before.user === now.user || now.user === "") flush();
        turn();
      }
      owner = now;
      // Nobody comes where a platform does not say for a while who is here.
      if (now.user !== "") remove(names().filter((name) => !name.startsWith(ofUser(prefix, now.user))));
      flush();
      tell();
    },
    forget() {
      turn();
      owner = null;
      remove(names());
      tell();
    },
    turns: () => turns,
    flush,
    isKept: (name) => !refused.has(name),
    hasRefused: (begin) => [...refused].some((name) => name.startsWith(begin)),
    hasKept: (begin) => names().some((name) => name.slice(prefix.length).split(" ").slice(2).join(" ").startsWith(begin)),
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
