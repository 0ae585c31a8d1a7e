// A form that is sent twice in one breath is sent once: a button is disabled only when the page has been drawn again.
import { useRef } from "react";

interface Sent<V> {
  readonly mutateAsync: (value: V) => Promise<unknown>;
}

export function useOnce<V>(mutation: Sent<V>): (value: V) => void {
  const isUnderWay = useRef(false);
  return (value) => {
    if (isUnderWay.current) return;
    isUnderWay.current = true;
    // What it fails with is the mutation's own to show.
    const done = (): void => void (isUnderWay.current = false);
    mutation.mutateAsync(value).then(done, done);
  };
}
