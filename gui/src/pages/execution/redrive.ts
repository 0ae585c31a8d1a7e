// A workflow's execution that ended without success runs on: from the state that failed, or from another one that it has entered.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type Schemas, answered, client } from "../../api/client";
import { application } from "../../api/queries";
import { own } from "../../model/members";
import { useOnce } from "../../parts/once";

interface Wish {
  readonly version: number;
  /** The state to begin from; null: the one that failed. */
  readonly from: string | null;
}

export interface Redrive {
  /** It has ended, is a workflow's, and did not succeed. */
  readonly isPossible: boolean;
  readonly isPending: boolean;
  readonly error: Error | null;
  /** What was asked for last. */
  readonly asked: Wish | undefined;
  /** Its own version; the live one too, when that has the same workflow, such as one in which a grain was mended. */
  readonly versions: readonly number[];
  readonly begin: (wish: Wish) => void;
}

/** What is shown of an execution is to be asked for again. */
export function useAgain(app: string, id: string): () => Promise<unknown> {
  const cache = useQueryClient();
  return () => Promise.all(["invocation", "timeline", "history"].map((name) => cache.invalidateQueries({ queryKey: [name, app, id] })));
}

/** @param definition of the workflow; null: it is none */
export function useRedrive(app: string, found: Schemas["Invocation"], definition: string | null): Redrive {
  const again = useAgain(app, found.executionId);
  const redrive = useMutation({
    // Which redrive it is to be is said: pressed twice, it is one.
    mutationFn: ({ version, from }: Wish) =>
      answered(
        client.POST("/api/v1/applications/{app}/invocations/{id}/redrive", {
          params: { path: { app, id: found.executionId } },
          body: { redriveCount: (found.redriveCount ?? 0) + 1, ...(version !== found.version && { version }), ...(from !== null && { from }) },
        }),
      ),
    onSettled: again,
  });
  const begin = useOnce(redrive);
  const isPossible = definition !== null && found.status !== "RUNNING" && found.status !== "SUCCEEDED";
  const live = useQuery({ ...application(app), enabled: isPossible }).data;
  const isOther = live !== undefined && live.version !== found.version && own(live.workflows, found.target)?.definition === definition;
  return {
    isPossible,
    isPending: redrive.isPending,
    error: redrive.error,
    asked: redrive.variables,
    versions: isOther ? [found.version, live.version] : [found.version],
    begin,
  };
}
