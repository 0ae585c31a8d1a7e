// When a list that is scrolled asks for more of itself.

export interface ListShown {
  readonly hasMore: boolean;
  /** What was asked for last did not come: it is asked for again when somebody says so. */
  readonly isStuck: boolean;
  /** The last row that is there is drawn. */
  readonly isNearEnd: boolean;
  readonly isScrolled: boolean;
  /** The rows are higher than the box they are in. */
  readonly isFilled: boolean;
}

/** On a screen that has room for more than its first page a list that nobody has scrolled stays short: a short one is asked for anew. */
export function asksForMore({ hasMore, isStuck, isNearEnd, isScrolled, isFilled }: ListShown): boolean {
  return hasMore && !isStuck && isNearEnd && (isScrolled || !isFilled);
}
