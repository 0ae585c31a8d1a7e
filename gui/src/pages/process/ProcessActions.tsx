// What can be done with a cloud process. Each ends when the process is there; what it refuses is said.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { answered, client } from "../../api/client";
import { paths } from "../../api/queries";
import { status } from "../../api/running";
import type { Process } from "../../model/process";
import { Trouble } from "../../parts/bits";
import { Button } from "../../parts/Button";
import { Confirm } from "../../parts/Confirm";
import { AsCurl } from "../../parts/copy";
import { useOnce } from "../../parts/once";
import { go } from "../../parts/router";

type Deed = "swap-out" | "swap-in" | "checkpoint" | "migrate";

export function ProcessActions({ app, found }: { readonly app: string; readonly found: Process }) {
  const cache = useQueryClient();
  const [host, setHost] = useState("");
  const params = { path: { app, process: found.process } };
  const at = "/api/v1/applications/{app}/processes/{process}";
  const act = useMutation({
    mutationFn: (deed: Deed): Promise<unknown> => {
      switch (deed) {
        case "swap-out":
          return answered(client.POST(`${at}/swap-out`, { params }));
        case "swap-in":
          return answered(client.POST(`${at}/swap-in`, { params }));
        case "checkpoint":
          return answered(client.POST(`${at}/checkpoint`, { params }));
        case "migrate":
          return answered(client.POST(`${at}/migrate`, { params, body: to === "" ? {} : { host: to } }));
      }
    },
    onSettled: () => Promise.all(["process", "processMetrics", "processState", "processMailbox", "processes"].map((name) => cache.invalidateQueries({ queryKey: [name, app] }))),
  });
  const kill = useMutation({
    mutationFn: () => answered(client.DELETE(at, { params })),
    onSuccess: () => {
      go({ page: "processes", app, status: "", after: "" });
      void cache.invalidateQueries({ queryKey: ["processes", app] });
    },
  });
  const once = useOnce(act);
  const hosts = useQuery(status());
  // Null: not known. Who may not see the hosts leaves it to the platform which one it is.
  const others = hosts.data?.hosts.map((one) => one.host).filter((name) => name !== found.host) ?? null;
  // The one that was chosen may be where the process is by now.
  const to = others?.includes(host) ? host : "";
  const isSwapped = found.status === "swapped";
  return (
    <>
      <div className="actions">
        <Button scope="invoke" type="button" aria-disabled={act.isPending} onClick={() => once(isSwapped ? "swap-in" : "swap-out")}>
          {isSwapped ? "Swap in" : "Swap out"}
        </Button>
        {!isSwapped && (
          <Button scope="invoke" type="button" aria-disabled={act.isPending} onClick={() => once("checkpoint")}>
            Checkpoint
          </Button>
        )}
        {others?.length === 0 && <span className="quiet">It cannot be migrated: there is no other host.</span>}
        {(others === null ? hosts.isError : others.length > 0) && (
          <span>
            <Button scope="deploy" type="button" aria-disabled={act.isPending} onClick={() => once("migrate")}>
              Migrate
            </Button>{" "}
            {others && (
              <label>
                to{" "}
                <select value={to} onChange={(event) => setHost(event.target.value)}>
                  <option value="">the least busy host</option>
                  {others.map((name) => (
                    <option key={name}>{name}</option>
                  ))}
                </select>
              </label>
            )}
          </span>
        )}
        <Confirm scope="deploy" label="Kill" title={`Kill ${found.process}?`} disabled={kill.isPending} onConfirm={() => kill.mutate()}>
          <p>What runs in it ends; its state, mailbox and logs are gone.</p>
        </Confirm>
        <span role="status" className="quiet">
          {act.isPending && `${act.variables} under way…`}
          {act.isSuccess && `${act.variables}: done`}
        </span>
      </div>
      {act.error && <Trouble error={act.error} />}
      {kill.error && <Trouble error={kill.error} />}
      <AsCurl name={isSwapped ? "swap in" : "swap out"} method="POST" url={paths.process(app, found.process, isSwapped ? "/swap-in" : "/swap-out")} />
    </>
  );
}
