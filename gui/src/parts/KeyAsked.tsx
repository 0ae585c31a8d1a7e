// Asks who somebody is, over whatever page is shown: that stays as it is, with what was typed into it.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { giveKey, isKeyed, isSignedIn, useKeyAsked } from "../api/key";
import { cameIn, isUnknownThere, signIn, signUp } from "../api/session";
import { SESSION_OVER } from "../model/who";
import { useOnce } from "./once";

export function KeyAsked() {
  return useKeyAsked() ? <Dialog /> : null;
}

type Way = "name" | "key" | "invitation";

const WAYS: readonly (readonly [Way, string])[] = [
  ["name", "Sign in with a name instead"],
  ["key", "Use a key instead"],
  ["invitation", "I have an invitation"],
];

function Dialog() {
  const dialog = useRef<HTMLDialogElement>(null);
  const [way, setWay] = useState<Way>(isKeyed() ? "key" : "name");
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} className="asked" aria-labelledby="key-asked" onCancel={(event) => event.preventDefault()} onClose={() => dialog.current?.showModal()}>
      {way === "key" ? <ByKey /> : <ByName key={way} isInvited={way === "invitation"} />}
      <p className="actions">
        {WAYS.filter(([one]) => one !== way).map(([one, label]) => (
          <button key={one} type="button" className="small" onClick={() => setWay(one)}>
            {label}
          </button>
        ))}
      </p>
    </dialog>
  );
}

/** @param isInvited a new account is made first */
function ByName({ isInvited }: { readonly isInvited: boolean }) {
  const cache = useQueryClient();
  const [name, setName] = useState("");
  const [password, setPassword] = useState("");
  const [invitation, setInvitation] = useState("");
  const [isOver] = useState(isSignedIn);
  // Without arguments, which the cache would keep.
  const enter = useMutation({
    mutationFn: () => (isInvited ? signUp(name, password, invitation.trim()) : signIn(name, password)),
    onSuccess: () => cameIn(cache),
    onSettled: () => setPassword(""),
  });
  const enterOnce = useOnce(enter);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        enterOnce();
      }}
    >
      <h2 id="key-asked">{isInvited ? "A new account" : "Sign in"}</h2>
      {isOver && !isInvited && <p>{SESSION_OVER.title}; what was typed here stays.</p>}
      {isInvited && (
        <p>
          <label htmlFor="invitation">Invitation</label>
          {/* No password: a browser would offer to keep it. */}
          <input id="invitation" className="masked" autoComplete="off" autoCapitalize="none" spellCheck={false} required value={invitation} onChange={(event) => setInvitation(event.target.value)} />
        </p>
      )}
      <p>
        <label htmlFor="user">Name</label>
        <input id="user" autoComplete="username" autoCapitalize="none" spellCheck={false} required value={name} onChange={(event) => setName(event.target.value)} />
      </p>
      <p>
        <label htmlFor="password">Password</label>
        <input id="password" type="password" autoComplete={isInvited ? "new-password" : "current-password"} required minLength={isInvited ? 10 : 1} value={password} onChange={(event) => setPassword(event.target.value)} />
      </p>
      <p role="alert" className="fault">
        {enter.error && (isUnknownThere(enter.error) ? "Nobody has a name here: use a key." : enter.error.message)}
      </p>
      <button type="submit" aria-disabled={enter.isPending}>
        {isInvited ? "Make my account" : "Sign in"}
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
    void cameIn(cache);
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
