// What can be done with an execution: end it while it runs, let it run on when it has failed.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type Schemas, answered, client } from "../../api/client";
import { application, paths } from "../../api/queries";
import { own } from "../../model/members";
import { Trouble } from "../../parts/bits";
import { AsCurl } from "../../parts/copy";
import { useOnce } from "../../parts/once";

interface Props {
  readonly app: string;
  readonly found: Schemas["Invocation"];
  /** Of the workflow; null: it is none. */
  readonly definition: string | null;
}

export function Actions({ app, found, definition }: Props) {
  const id = found.executionId;
  const cache = useQueryClient();
  const again = () => Promise.all(["invocation", "timeline", "history"].map((name) => cache.invalidateQueries({ queryKey: [name, app, id] })));
  const params = { path: { app, id } };
  const cancel = useMutation({
    mutationFn: () => answered(client.POST("/api/v1/applications/{app}/invocations/{id}/cancel", { params })),
    onSettled: again,
  });
  const redrive = useMutation({
    // Which redrive it is to be is said: pressed twice, it is one.
    mutationFn: (version: number) =>
      answered(
        client.POST("/api/v1/applications/{app}/invocations/{id}/redrive", {
          params,
          body: { redriveCount: (found.redriveCount ?? 0) + 1, ...(version !== found.version && { version }) },
        }),
      ),
    onSettled: again,
  });
  const cancelOnce = useOnce(cancel);
  const redriveOnce = useOnce(redrive);
  const running = found.status === "RUNNING";
  const canRedrive = definition !== null && !running && found.status !== "SUCCEEDED";
  const live = useQuery({ ...application(app), enabled: canRedrive }).data;
  // With grains that were mended since, as long as the workflow is the same.
  const isOther = live !== undefined && live.version !== found.version && own(live.workflows, found.target)?.definition === definition;
  if (!running && !canRedrive) return null;
  const action = running ? "cancel" : "redrive";
  return (
    <div className="actions">
      {running && (
        <button type="button" aria-disabled={cancel.isPending} onClick={() => cancelOnce()}>
          Cancel
        </button>
      )}
      {canRedrive && (
        <button type="button" aria-disabled={redrive.isPending} onClick={() => redriveOnce(found.version)}>
          Redrive from the state that failed
        </button>
      )}
      {canRedrive && isOther && (
        <button type="button" className="first" aria-disabled={redrive.isPending} onClick={() => redriveOnce(live.version)}>
          Redrive with version {live.version}
        </button>
      )}
      <AsCurl name={action} method="POST" url={paths.invocation(app, id, `/${action}`)} command={["invocations", action, app, id]} />
      {running && cancel.error && <Trouble error={cancel.error} />}
      {canRedrive && redrive.error && <Trouble error={redrive.error} />}
    </div>
  );
}
