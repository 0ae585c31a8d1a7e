// Under an editor: save or drop what was typed, the build as it goes, what was refused, and what somebody else saved meanwhile.
import { useQueries } from "@tanstack/react-query";
import { uploadAddress, editsBody } from "../api/deploy";
import { file } from "../api/versions";
import type { Draft } from "../model/draft";
import { many } from "../model/show";
import { Trouble } from "./bits";
import { Changes } from "./Changes";
import { Confirm } from "./Confirm";
import { AsCurl } from "./copy";
import { type Saving, isOutdated } from "./save";

interface Props {
  readonly app: string;
  /** The version that is live. */
  readonly live: number;
  readonly draft: Draft | null;
  readonly saving: Saving;
  readonly setDraft: (next: (before: Draft | null) => Draft | null) => void;
}

export function Saves({ app, live, draft, saving, setDraft }: Props) {
  const edits = draft && ({ kind: "edits", app, base: draft.base, files: draft.files } as const);
  const isBehind = draft !== null && draft.base !== live && !saving.isPending;
  const typed = draft ? many(Object.keys(draft.files).length, "file") : "";
  return (
    <>
      <div className="actions below">
        <button type="button" className="first" aria-disabled={saving.isPending} disabled={draft === null || isBehind} onClick={() => draft && saving.save(draft)}>
          Save as a version
        </button>
        {draft && !saving.isPending && (
          <Confirm label="Drop what was typed" title="Drop what was typed?" onConfirm={() => setDraft(() => null)}>
            <p>What was typed into {typed} since version {draft.base} will be gone.</p>
          </Confirm>
        )}
        <span role="status">
          {draft && !saving.isPending && `${typed} differ${Object.keys(draft.files).length === 1 ? "s" : ""} from version ${draft.base}; kept in this tab until saved.`}
          {!draft && saving.done && `Version ${saving.done.version} is live.`}
        </span>
      </div>
      {saving.isPending && (
        <pre role="log" aria-label="Progress of the build" className="log" tabIndex={0}>
          {saving.told.length === 0 ? "sending…" : saving.told.join("\n")}
        </pre>
      )}
      {!draft && saving.done && saving.done.resolved.length > 0 && <p>Installed for it: {saving.done.resolved.join(", ")}</p>}
      {isBehind && <Behind app={app} live={live} draft={draft} setDraft={setDraft} />}
      {saving.error && !saving.isPending && !(isOutdated(saving.error) && !isBehind) && <Trouble error={saving.error} />}
      {edits && <AsCurl name="save" method="POST" url={uploadAddress(edits, "live", false)} body={editsBody(edits)} />}
    </>
  );
}

/** Somebody saved meanwhile: nothing of either is lost unseen. */
function Behind({ app, live, draft, setDraft }: { readonly app: string; readonly live: number; readonly draft: Draft; readonly setDraft: Props["setDraft"] }) {
  const paths = Object.keys(draft.files);
  const theirs = useQueries({ queries: paths.map((path) => file(app, String(live), path)) });
  const changed = paths.map((path, i) => ({ path, change: "changed" as const, before: theirs[i]?.data ?? "", after: draft.files[path] ?? "" }));
  return (
    <section className="trouble" aria-labelledby="meanwhile">
      <h3 id="meanwhile">Version {live} is live by now</h3>
      <p>What is in the editor was typed into version {draft.base}. This is how it differs from version {live}:</p>
      {theirs.every((one) => !one.isPending) ? <Changes files={changed} /> : <p role="status">Loading…</p>}
      <div className="actions">
        <button type="button" onClick={() => setDraft((now) => now && { ...now, base: live })}>
          Keep mine, to be saved over version {live}
        </button>
        <button type="button" className="danger" onClick={() => setDraft(() => null)}>
          Drop mine and take version {live}
        </button>
      </div>
    </section>
  );
}
