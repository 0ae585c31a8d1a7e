// A list whose choice is done by a button beside it, which is there while another one is chosen: by keyboard each one on the way is
// chosen too, and none of these is meant.
import { type ReactNode, useEffect, useId, useRef, useState } from "react";
import type { Scope } from "../model/who";
import { Button } from "./Button";

interface Props<T extends string> {
  readonly label: string;
  /** The label is seen. */
  readonly isLabelled?: boolean;
  readonly scope: Scope | null;
  /** What is so now. */
  readonly value: T;
  readonly options: readonly T[];
  readonly isPending: boolean;
  /** What the button says. */
  readonly children: (chosen: T) => ReactNode;
  readonly onMeant: (chosen: T) => void;
}

export function Meant<T extends string>({ label, isLabelled = false, scope, value, options, isPending, children, onMeant }: Props<T>) {
  const [other, setOther] = useState<T | null>(null);
  const list = useRef<HTMLSelectElement>(null);
  const id = useId();
  const chosen = other ?? value;
  useEffect(() => {
    if (other !== value) return;
    setOther(null);
    // The button that did it is gone by now.
    if (document.activeElement === document.body) list.current?.focus();
  }, [other, value]);
  return (
    <span className="meant">
      {isLabelled && <label htmlFor={id}>{label}</label>}{" "}
      <select id={id} ref={list} {...(!isLabelled && { "aria-label": label })} value={chosen} onChange={(event) => setOther(event.target.value as T)}>
        {options.map((one) => (
          <option key={one}>{one}</option>
        ))}
      </select>{" "}
      {chosen !== value && (
        <Button scope={scope} type="button" className="small" disabled={isPending} onClick={() => onMeant(chosen)}>
          {children(chosen)}
        </Button>
      )}
    </span>
  );
}
