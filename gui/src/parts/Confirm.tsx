// A button for what cannot be taken back: it asks first, in a dialog that Escape closes.
import { type ReactNode, useId, useRef } from "react";

interface Props {
  readonly label: string;
  readonly title: string;
  /** What will be gone. */
  readonly children: ReactNode;
  readonly onConfirm: () => void;
  readonly disabled?: boolean;
  readonly small?: boolean;
}

export function Confirm({ label, title, children, onConfirm, disabled = false, small = false }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  return (
    <>
      <button type="button" className={small ? "small danger" : "danger"} aria-disabled={disabled} aria-haspopup="dialog" onClick={() => disabled || dialog.current?.showModal()}>
        {label}
      </button>
      <dialog ref={dialog} aria-labelledby={heading}>
        <h2 id={heading}>{title}</h2>
        {children}
        {/* Where this is in a form of the page's: that one is not sent with it. */}
        <form method="dialog" className="actions" onSubmit={(submitted) => submitted.stopPropagation()}>
          <button type="submit">Keep it</button>
          <button type="submit" className="danger" onClick={onConfirm}>
            {label}
          </button>
        </form>
      </dialog>
    </>
  );
}
