// What can be done with an execution: end it while it runs, let it run on when it has failed.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type Schemas, answered, client } from "../../api/client";
import { paths } from "../../api/queries";
import { Trouble } from "../../parts/bits";
import { AsCurl } from "../../parts/copy";
import { useOnce } from "../../parts/once";

interface Props {
  readonly app: string;
  readonly found: Schemas["Invocation"];
  readonly isWorkflow: boolean;
}

export function Actions({ app, found, isWorkflow }: Props) {
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
    mutationFn: () =>
      answered(client.POST("/api/v1/applications/{app}/invocations/{id}/redrive", { params, body: { redriveCount: (found.redriveCount ?? 0) + 1 } })),
    onSettled: again,
  });
  const cancelOnce = useOnce(cancel);
  const redriveOnce = useOnce(redrive);
  const running = found.status === "RUNNING";
  const canRedrive = isWorkflow && !running && found.status !== "SUCCEEDED";
  if (!running && !canRedrive) return null;
  const action = running ? "cancel" : "redrive";
  return (
    <div className="actions">
      {running && (
        <button type="button" disabled={cancel.isPending} onClick={() => cancelOnce()}>
          Cancel
        </button>
      )}
      {canRedrive && (
        <button type="button" disabled={redrive.isPending} onClick={() => redriveOnce()}>
          Redrive from the state that failed
        </button>
      )}
      <AsCurl name={action} method="POST" url={paths.invocation(app, id, `/${action}`)} command={["invocations", action, app, id]} />
      {running && cancel.error && <Trouble error={cancel.error} />}
      {canRedrive && redrive.error && <Trouble error={redrive.error} />}
    </div>
  );
}
