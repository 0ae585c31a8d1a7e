// Asks who somebody is, over whatever page is shown: that stays as it is, with what was typed into it.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { giveKey, isKeyed, useKeyAsked } from "../api/key";
import { isUnknownThere, signIn } from "../api/session";

export function KeyAsked() {
  return useKeyAsked() ? <Dialog /> : null;
}

function Dialog() {
  const dialog = useRef<HTMLDialogElement>(null);
  const [isByKey, setByKey] = useState(isKeyed());
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} className="key" aria-labelledby="key-asked" onCancel={(event) => event.preventDefault()} onClose={() => dialog.current?.showModal()}>
      {isByKey ? <ByKey /> : <ByName />}
      <button type="button" className="small" onClick={() => setByKey(!isByKey)}>
        {isByKey ? "Sign in with a name instead" : "Use a key instead"}
      </button>
    </dialog>
  );
}

function ByName() {
  const cache = useQueryClient();
  const [name, setName] = useState("");
  const [password, setPassword] = useState("");
  // Without arguments, which the cache would keep.
  const enter = useMutation({
    mutationFn: () => signIn(name, password),
    onSuccess: () => cache.invalidateQueries(),
    onSettled: () => setPassword(""),
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        enter.mutate();
      }}
    >
      <h2 id="key-asked">Sign in</h2>
      <p>
        <label htmlFor="user">Name</label>
        <input id="user" autoComplete="username" autoCapitalize="none" spellCheck={false} required value={name} onChange={(event) => setName(event.target.value)} />
      </p>
      <p>
        <label htmlFor="password">Password</label>
        <input id="password" type="password" autoComplete="current-password" required value={password} onChange={(event) => setPassword(event.target.value)} />
      </p>
      <p role="alert" className="fault">
        {enter.error && (isUnknownThere(enter.error) ? "Nobody has a name here: use a key." : enter.error.message)}
      </p>
      <button type="submit" disabled={enter.isPending}>
        Sign in
      </button>
    </form>
  );
}

function ByKey() {
  const cache = useQueryClient();
  const [key, setKey] = useState("");

  function give(event: FormEvent): void {
    event.preventDefault();
    giveKey(key);
    void cache.invalidateQueries();
  }

  return (
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
  );
}
