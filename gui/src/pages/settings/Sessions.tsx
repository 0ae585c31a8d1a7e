// Where one is signed in, and one's password.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { type Session, changePassword, endSession, sessions } from "../../api/people";
import { when } from "../../model/show";
import { Found, Section, Trouble } from "../../parts/bits";
import { useOnce } from "../../parts/once";
import { type Column, Table } from "../../parts/Table";

export function Sessions() {
  const cache = useQueryClient();
  const end = useMutation({ mutationFn: endSession, onSettled: () => cache.invalidateQueries({ queryKey: ["sessions"] }) });
  const endOnce = useOnce(end);
  const columns: readonly Column<Session>[] = [
    { head: "Signed in", cell: (one) => when(one.createdMs) },
    { head: "From", cell: (one) => one.address ?? "–" },
    { head: "With", kind: "text", cell: (one) => one.agent || "–" },
    { head: "Until", cell: (one) => when(one.expiresMs) },
    {
      head: "Change",
      quiet: true,
      kind: "deeds",
      cell: (one) =>
        one.current ? (
          "this one"
        ) : (
          <button type="button" className="small danger" aria-disabled={end.isPending} onClick={() => endOnce(one.id)}>
            End
          </button>
        ),
    },
  ];
  return (
    <Section title="Sessions">
      {end.error && <Trouble error={end.error} />}
      <Found query={useQuery(sessions())}>
        {({ sessions: all }) => <Table caption="Table of sessions" rows={all} rowKey={(one) => one.id} columns={columns} empty={<p>There is none.</p>} />}
      </Found>
    </Section>
  );
}

export function Password() {
  const cache = useQueryClient();
  const [before, setBefore] = useState("");
  const [after, setAfter] = useState("");
  // Without arguments, which the cache would keep.
  const change = useMutation({
    mutationFn: () => changePassword(before, after),
    onSuccess: () => cache.invalidateQueries({ queryKey: ["sessions"] }),
    onSettled: () => {
      setBefore("");
      setAfter("");
    },
  });
  const changeOnce = useOnce(change);
  return (
    <Section title="Password">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          changeOnce();
        }}
      >
        <div className="filters">
          <label>
            Old password <input type="password" value={before} autoComplete="current-password" required maxLength={1024} onChange={(event) => setBefore(event.target.value)} />
          </label>
          <label>
            New password <input type="password" value={after} autoComplete="new-password" required minLength={10} maxLength={1024} onChange={(event) => setAfter(event.target.value)} />
          </label>
          <button type="submit" aria-disabled={change.isPending}>
            Change it
          </button>
        </div>
      </form>
      {change.error && <Trouble error={change.error} />}
      <p role="status">{change.isSuccess && "It is changed, and your other sessions have ended."}</p>
    </Section>
  );
}
