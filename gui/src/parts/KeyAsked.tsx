// Asks for the platform's key, over whatever page is shown: that stays as it is, with what was typed into it.
import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { giveKey, isKeyed, useKeyAsked } from "../api/key";

export function KeyAsked() {
  return useKeyAsked() ? <Dialog /> : null;
}

function Dialog() {
  const cache = useQueryClient();
  const dialog = useRef<HTMLDialogElement>(null);
  const [key, setKey] = useState("");
  useEffect(() => dialog.current?.showModal(), []);

  function give(event: FormEvent): void {
    event.preventDefault();
    giveKey(key);
    void cache.invalidateQueries();
  }

  return (
    <dialog ref={dialog} className="key" aria-labelledby="key-asked" onCancel={(event) => event.preventDefault()} onClose={() => dialog.current?.showModal()}>
      <form onSubmit={give}>
        <h2 id="key-asked">A key is needed</h2>
        <p>{isKeyed() ? "That is no key of this platform." : "This platform asks whoever calls it for its key."} It is kept in this page only.</p>
        <p>
          <label htmlFor="key">Key</label>
          {/* No password: a browser would offer to keep it, and give it to other pages of this address. */}
          <input id="key" className="masked" autoComplete="off" autoCapitalize="none" spellCheck={false} required value={key} onChange={(event) => setKey(event.target.value)} />
        </p>
        <button type="submit">Go on</button>
      </form>
    </dialog>
  );
}
