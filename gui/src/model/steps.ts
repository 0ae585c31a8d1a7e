// Where in a workflow an attempt of a grain was: its event's id is the execution's, then the way to its state, as "Scan[3]/Check#2".

export interface Step {
  readonly name: string;
  /** How often its state has been begun there, this time counted. */
  readonly visit: number;
  /** Of the item or branch in it; null: it is the state itself. */
  readonly index: number | null;
}

export function stepsOf(eventId: string): readonly Step[] {
  return eventId.split("/").slice(1).map(stepOf);
}

function stepOf(text: string): Step {
  const [, name = "", visit = "1", index] = /^(.*?)(?:#(\d+))?(?:\[(\d+)\])?$/s.exec(text) ?? [];
  return { name: plain(name), visit: Number(visit), index: index === undefined ? null : Number(index) };
}

/** What separates the parts of a step is escaped in names. */
function plain(name: string): string {
  return name.replace(/%([0-9a-f]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

/** @param isBranch whether the state of that name has branches, and no items */
export function placeText(steps: readonly Step[], isBranch: (name: string) => boolean): string {
  return steps.map(({ name, visit, index }) => `${name}${visit > 1 ? ` #${visit}` : ""}${index === null ? "" : ` ${isBranch(name) ? "branch" : "item"} ${index}`}`).join(" › ");
}
