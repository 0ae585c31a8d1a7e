// What an execution's id tells.

const DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const TIME = 10;
const LENGTH = 26;

/** When the execution was asked for, in ms since 1970; null: it is no id of an execution. */
export function askedMs(id: string): number | null {
  const digits = [...id].map((digit) => DIGITS.indexOf(digit));
  return digits.length !== LENGTH || digits.includes(-1) ? null : digits.slice(0, TIME).reduce((ms, digit) => ms * DIGITS.length + digit, 0);
}

/** Whether its record may not be there yet: it comes a little after the answer, later when a large output is kept first. */
export function isYoung(id: string, nowMs: number, forMs: number): boolean {
  const asked = askedMs(id);
  return asked !== null && Math.abs(nowMs - asked) < forMs;
}
