// Saving edited files of a version as the next one, and what is wrong with them.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Refusal } from "../api/client";
import { type Deployed, deploy } from "../api/deploy";
import { application, version } from "../api/queries";
import { files as filesOf } from "../api/versions";
import { type Draft, readDraft, saved, sentFiles } from "../model/draft";
import { useIsKept, useKept } from "./kept";
import { useOnce } from "./once";

const write = (draft: Draft | null): string | null => (draft === null ? null : JSON.stringify(draft));

/** What was typed on that page and is not saved yet. */
export function useDraft(app: string, page: string) {
  const name = `draft.${app}/${page}`;
  return [...useKept<Draft | null>(name, readDraft, write), useIsKept(name)] as const;
}

export interface Saving {
  readonly save: (draft: Draft) => void;
  readonly isPending: boolean;
  readonly error: Error | null;
  readonly done: Deployed | null;
  /** The build's progress. */
  readonly told: readonly string[];
  /** What came of it is no more of interest: that which was saved, or refused, is gone. */
  readonly forget: () => void;
}

export function useSave(app: string, setDraft: (next: (before: Draft | null) => Draft | null) => void): Saving {
  const cache = useQueryClient();
  const [told, setTold] = useState<readonly string[]>([]);
  const saving = useMutation({
    mutationFn: async (draft: Draft) => {
      setTold([]);
      const files = sentFiles(draft);
      const done = await deploy({ kind: "edits", app, base: draft.base, files }, "live", (line) => setTold((before) => [...before, line]));
      // What was saved is the new version's: it is shown without being asked for.
      for (const [path, text] of Object.entries(files)) cache.setQueryData(["file", app, String(done.version), path], text);
      const made = cache.fetchQuery(version(app, done.version)).catch(() => null);
      await Promise.all([made, cache.fetchQuery(filesOf(app, String(done.version))), cache.fetchQuery({ ...application(app), staleTime: 0 })]).catch(() => undefined);
      const bundle = (await made)?.bundle ?? "";
      // Also when its page was left meanwhile.
      setDraft((now) => saved(now, draft.files, { base: done.version, bundle }));
      return done;
    },
    onSettled: () => cache.invalidateQueries({ predicate: ({ queryKey }) => ["applications", "application", "versions"].includes(String(queryKey[0])) }),
  });
  const once = useOnce(saving);
  return { save: once, isPending: saving.isPending, error: saving.error, done: saving.data ?? null, told, forget: saving.reset };
}

/** The version that the alias names by now, when that is why it was refused. */
export function isOutdated(error: Error | null): boolean {
  return error instanceof Refusal && error.status === 409 && error.problem?.type.endsWith("/changed-meanwhile") === true;
}
