// An application's triggers: what fires, when, and whether it is armed.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { busPaths, triggers } from "../api/bus";
import { answered, client } from "../api/client";
import { type Trigger, firesText } from "../model/queue";
import { ago, when } from "../model/show";
import { Found, StatusBadge, Title, To, Trouble } from "../parts/bits";
import { Button } from "../parts/Button";
import { AsCurl } from "../parts/copy";
import { useOnce } from "../parts/once";
import { type Column, Table } from "../parts/Table";
import { Armings } from "./triggers/Armings";

interface Change {
  readonly trigger: string;
  readonly arm: boolean;
}

export function Triggers({ app }: { readonly app: string }) {
  const cache = useQueryClient();
  const change = useMutation({
    mutationFn: ({ trigger, arm }: Change): Promise<unknown> => {
      const params = { path: { app, trigger } };
      const at = "/api/v1/applications/{app}/triggers/{trigger}";
      return arm ? answered(client.POST(`${at}/arm`, { params })) : answered(client.POST(`${at}/disarm`, { params }));
    },
    onSettled: () => Promise.all(["triggers", "armings"].map((name) => cache.invalidateQueries({ queryKey: [name, app] }))),
  });
  const changeOnce = useOnce(change);
  return (
    <>
      <Title>Triggers</Title>
      {change.error && <Trouble error={change.error} />}
      <Found query={useQuery(triggers(app))}>
        {({ triggers: found }) => (
          <>
            <Table
              caption="Triggers"
              rows={found}
              rowKey={(one) => one.name}
              columns={columns(app, change.isPending, changeOnce)}
              empty={
                <p>
                  <strong>The live version has none.</strong> Under <code>triggers:</code> in its sand.yaml stand schedules and changes of data that call a grain or workflow.
                </p>
              }
            />
            {found.length > 0 && <Armings app={app} />}
            {found[0] && <AsCurl name={found[0].armed ? "disarm" : "arm"} method="POST" url={busPaths.trigger(app, found[0].name, found[0].armed ? "disarm" : "arm")} command={["triggers", found[0].armed ? "disarm" : "arm", app, found[0].name]} />}
          </>
        )}
      </Found>
      <AsCurl url={busPaths.triggers(app)} command={["triggers", "list", app]} />
    </>
  );
}

function columns(app: string, isPending: boolean, change: (change: Change) => void): readonly Column<Trigger>[] {
  return [
    { head: "Trigger", cell: (one) => <To route={{ page: "queue", app, name: one.name, after: "" }}>{one.name}</To> },
    { head: "State", cell: (one) => <StatusBadge status={one.armed ? "armed" : "disarmed"} /> },
    { head: "Fires", cell: (one) => <code>{firesText(one)}</code> },
    { head: "Target", cell: (one) => <To route={{ page: "executions", app, status: "", target: one.target, before: "" }}>{one.target}</To> },
    { head: "Fired for", cell: (one) => (one.firedMs ? when(one.firedMs) : "–") },
    { head: "Next", cell: (one) => (one.armed && one.nextMs ? <span title={when(one.nextMs)}>{ago(one.nextMs, Date.now())}</span> : "–") },
    {
      head: "Change",
      quiet: true,
      kind: "deeds",
      cell: (one) => (
        <Button scope="deploy" type="button" className="small" disabled={isPending} onClick={() => change({ trigger: one.name, arm: !one.armed })}>
          {one.armed ? "Disarm" : "Arm"} <span className="unseen">{one.name}</span>
        </Button>
      ),
    },
  ];
}
