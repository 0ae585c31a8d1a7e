// Under an editor: save or drop what was typed, the build as it goes, what was refused, and what somebody else saved meanwhile.
import { useQueries } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { uploadAddress, editsBody } from "../api/deploy";
import { file } from "../api/versions";
import { type Base, type Draft, isBehind as isBehindOf, sentFiles, without } from "../model/draft";
import { many } from "../model/show";
import { Trouble } from "./bits";
import { Changes } from "./Changes";
import { Button } from "./Button";
import { Confirm } from "./Confirm";
import { AsCurl } from "./copy";
import { type Saving, isOutdated } from "./save";

interface Props {
  readonly app: string;
  /** The version that is live. */
  readonly live: Base;
  readonly draft: Draft | null;
  /** A reload leaves it. */
  readonly isKept: boolean;
  readonly saving: Saving;
  readonly setDraft: (next: (before: Draft | null) => Draft | null) => void;
}

export function Saves({ app, live, draft, isKept, saving, setDraft }: Props) {
  const edits = draft && ({ kind: "edits", app, base: draft.base, files: sentFiles(draft) } as const);
  const isBehind = draft !== null && isBehindOf(draft, live) && !saving.isPending;
  const canSave = draft !== null && !isBehind && !saving.isPending;
  const typed = draft ? many(Object.keys(draft.files).length, "file") : "";
  const box = useRef<HTMLDivElement>(null);
  /** What was pressed goes: who goes by keyboard is led to what it was about. */
  function choose(next: (before: Draft | null) => Draft | null): void {
    setDraft(next);
    const heading = box.current?.closest("section")?.querySelector<HTMLElement>("h2");
    // A dialog that closes gives the focus back to what opened it.
    if (heading) window.setTimeout(() => heading.focus());
  }
  function dropped(): void {
    saving.forget();
    choose(() => null);
  }
  return (
    <div ref={box}>
      <div className="actions below">
        <Button scope="deploy" type="button" className="first" aria-disabled={!canSave} onClick={() => canSave && saving.save(draft)}>
          Save as a version
        </Button>
        {draft && !saving.isPending && (
          <Confirm label="Drop what was typed" title="Drop what was typed?" onConfirm={dropped}>
            <p>What was typed into {typed} since version {draft.base} will be gone.</p>
          </Confirm>
        )}
        <span role="status">
          {draft && !saving.isPending && `${typed} differ${Object.keys(draft.files).length === 1 ? "s" : ""} from version ${draft.base}; ${isKept ? "kept in this tab until saved." : "this browser has no room to keep it: a reload would lose it."}`}
          {isBehind && ` Version ${live.base} is live by now.`}
          {!draft && saving.done && `Version ${saving.done.version} is live.`}
        </span>
      </div>
      {saving.isPending && (
        <pre role="log" aria-label="Progress of the build" className="log" tabIndex={0}>
          {saving.told.length === 0 ? "sending…" : saving.told.join("\n")}
        </pre>
      )}
      {!draft && saving.done && saving.done.resolved.length > 0 && <p>Installed for it: {saving.done.resolved.join(", ")}</p>}
      {isBehind && <Behind app={app} live={live} draft={draft} setDraft={setDraft} choose={choose} />}
      {saving.error && !saving.isPending && !(isOutdated(saving.error) && !isBehind) && <Trouble error={saving.error} />}
      {edits && <AsCurl name="save" method="POST" url={uploadAddress(edits, "live", false)} body={editsBody(edits)} />}
    </div>
  );
}

/** Somebody saved meanwhile: nothing of either is lost unseen. */
function Behind({ app, live, draft, setDraft, choose }: Pick<Props, "app" | "live" | "setDraft"> & { readonly draft: Draft; readonly choose: Props["setDraft"] }) {
  const mine = Object.entries(sentFiles(draft));
  const theirs = useQueries({ queries: mine.map(([path]) => file(app, String(live.base), path)) });
  const changed = mine.map(([path, after], i) => ({ path, change: "changed" as const, before: theirs[i]?.data ?? "", after }));
  const isSame = mine.some(([, text], i) => theirs[i]?.data === text);
  useEffect(() => {
    if (isSame) setDraft((now) => now && without(now, Object.fromEntries(mine.map(([path], i) => [path, theirs[i]?.data]))));
  }, [isSame]);
  return (
    <section className="trouble" aria-labelledby="meanwhile">
      <h3 id="meanwhile">Version {live.base} is live by now</h3>
      <p>What is in the editor was typed into version {draft.base}. This is how it differs from version {live.base}:</p>
      {theirs.every((one) => !one.isPending) ? <Changes files={changed} /> : <p role="status">Loading…</p>}
      <div className="actions">
        <button type="button" onClick={() => choose((now) => now && { ...now, ...live })}>
          Keep mine, to be saved over version {live.base}
        </button>
        <button type="button" className="danger" onClick={() => choose(() => null)}>
          Drop mine and take version {live.base}
        </button>
      </div>
    </section>
  );
}
