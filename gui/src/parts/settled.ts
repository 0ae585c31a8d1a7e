// A value once nobody has changed it for a while.
import { useEffect, useState } from "react";

export function useSettled<T>(value: T, afterMs: number): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const later = window.setTimeout(() => setSettled(value), afterMs);
    return () => window.clearTimeout(later);
  }, [value, afterMs]);
  return settled;
}
