// A value once nobody has changed it for a while.
import { useEffect, useState } from "react";

/** @param isHeld it stays as it is until that is over */
export function useSettled<T>(value: T, afterMs: number, isHeld = false): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    if (isHeld) return;
    const later = window.setTimeout(() => setSettled(value), afterMs);
    return () => window.clearTimeout(later);
  }, [value, afterMs, isHeld]);
  return settled;
}
