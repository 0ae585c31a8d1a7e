// What can be done with an execution: end it while it runs, let it run on when it has failed.
import { useMutation } from "@tanstack/react-query";
import { type Schemas, answered, client } from "../../api/client";
import { paths } from "../../api/queries";
import { Trouble } from "../../parts/bits";
import { Button } from "../../parts/Button";
import { AsCurl } from "../../parts/copy";
import { useOnce } from "../../parts/once";
import { type Redrive, useAgain } from "./redrive";

interface Props {
  readonly app: string;
  readonly found: Schemas["Invocation"];
  readonly redrive: Redrive;
}

export function Actions({ app, found, redrive }: Props) {
  const id = found.executionId;
  const cancel = useMutation({
    mutationFn: () => answered(client.POST("/api/v1/applications/{app}/invocations/{id}/cancel", { params: { path: { app, id } } })),
    onSettled: useAgain(app, id),
  });
  const cancelOnce = useOnce(cancel);
  const running = found.status === "RUNNING";
  if (!running && !redrive.isPossible) return null;
  const action = running ? "cancel" : "redrive";
  return (
    <div className="actions">
      {running && (
        <Button scope="invoke" type="button" aria-disabled={cancel.isPending} onClick={() => cancelOnce()}>
          Cancel
        </Button>
      )}
      {redrive.isPossible &&
        redrive.versions.map((version) => (
          <Button
            key={version}
            scope="invoke"
            type="button"
            className={version === found.version ? undefined : "first"}
            aria-disabled={redrive.isPending}
            onClick={() => redrive.begin({ version, from: null })}
          >
            {version === found.version ? "Redrive from the state that failed" : `Redrive with version ${version}`}
          </Button>
        ))}
      <AsCurl name={action} method="POST" url={paths.invocation(app, id, `/${action}`)} command={["invocations", action, app, id]} />
      {running && cancel.error && <Trouble error={cancel.error} />}
      {redrive.isPossible && redrive.error && redrive.asked?.from === null && <Trouble error={redrive.error} />}
    </div>
  );
}
