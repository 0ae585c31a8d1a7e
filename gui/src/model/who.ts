// Who somebody is, as far as what he may see depends on it.

export interface Here {
  readonly kind: string;
  readonly user: string | null;
  readonly tenant: string;
  readonly scopes: readonly string[];
}

/** @param before undefined: nobody was known; null: nobody has a name here */
export function isSame(before: Here | null | undefined, now: Here | null | undefined): boolean {
  if (before === undefined || now === undefined) return false;
  if (before === null || now === null) return before === now;
  return before.kind === now.kind && before.user === now.user && before.tenant === now.tenant && [...before.scopes].sort().join() === [...now.scopes].sort().join();
}
