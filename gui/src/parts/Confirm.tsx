// A button for what cannot be taken back: it asks first, in a dialog that Escape closes.
import { type ReactNode, useId, useRef, useState } from "react";
import type { Scope } from "../model/who";
import { Button } from "./Button";

interface Props {
  /** What it takes, as of a Button; null: it is this page's alone. */
  readonly scope?: Scope | null;
  readonly label: string;
  readonly title: string;
  /** What will be gone. */
  readonly children: ReactNode;
  readonly onConfirm: () => void;
  readonly disabled?: boolean;
  readonly small?: boolean;
  /** A name that is to be typed first, where more is lost than a slip should cost. */
  readonly name?: string;
}

export function Confirm({ scope = null, label, title, children, onConfirm, disabled = false, small = false, name }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  const [typed, setTyped] = useState("");
  const isMeant = name === undefined || typed.trim() === name;
  return (
    <>
      <Button scope={scope} type="button" className={small ? "small danger" : "danger"} aria-disabled={disabled} aria-haspopup="dialog" onClick={() => disabled || dialog.current?.showModal()}>
        {label}
      </Button>
      <dialog ref={dialog} aria-labelledby={heading} onClose={() => setTyped("")}>
        <h2 id={heading}>{title}</h2>
        {children}
        {/* Where this is in a form of the page's: that one is not sent with it. */}
        <form method="dialog" onSubmit={(submitted) => submitted.stopPropagation()}>
          {name !== undefined && (
            <label>
              Type <code>{name}</code> to go on <input value={typed} autoCapitalize="none" autoComplete="off" spellCheck={false} onChange={(event) => setTyped(event.target.value)} />
            </label>
          )}
          <div className="actions">
            <button type="button" onClick={() => dialog.current?.close()}>
              Keep it
            </button>
            {/* Enter in the field presses it too, as long as it can be pressed. */}
            <button type="submit" className="danger" disabled={!isMeant} onClick={onConfirm}>
              {label}
            </button>
          </div>
        </form>
      </dialog>
    </>
  );
}
