// An application's cloud processes.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { answered, client, isGone } from "../api/client";
import { paths } from "../api/queries";
import { PROCESS_STATUSES, processes, processesQuery } from "../api/running";
import { PROCESS_ID, type Process, functionsText, mailboxText } from "../model/process";
import type { Route } from "../model/route";
import { bytes, when } from "../model/show";
import { Found, Section, StatusBadge, Title, To, Trouble } from "../parts/bits";
import { Button } from "../parts/Button";
import { Choice } from "../parts/Choice";
import { AsCurl } from "../parts/copy";
import { useOnce } from "../parts/once";
import { go } from "../parts/router";
import { type Column, Table } from "../parts/Table";

type Listed = Extract<Route, { page: "processes" }>;

export function Processes({ route }: { readonly route: Listed }) {
  const { app, status, after } = route;
  const query = useQuery(processes(app, route));
  const isFiltered = status !== "" || after !== "";
  return (
    <>
      <Title>Processes</Title>
      {!isGone(query.error) && (
        <form className="filters" onSubmit={(event) => event.preventDefault()}>
          <Choice label="Status" value={status} options={PROCESS_STATUSES} onChoose={(one) => go({ ...route, status: one, after: "" })} />
        </form>
      )}
      <Found query={query}>
        {(found) => (
          <>
            <Table
              caption="Processes"
              rows={found.processes}
              rowKey={(one) => one.process}
              columns={columns(app)}
              empty={
                isFiltered ? (
                  <p>There is none like that.</p>
                ) : (
                  <p>
                    <strong>There is none yet.</strong> A cloud process has state and a mailbox that functions share; it is made below, or by the first call in it.
                  </p>
                )
              }
            />
            <p className="pages">
              {after && <To route={{ ...route, after: "" }}>First page</To>}
              {found.next && <To route={{ ...route, after: found.next }}>Next page</To>}
            </p>
          </>
        )}
      </Found>
      {!isGone(query.error) && <Create app={app} />}
      <AsCurl url={paths.processes(app, processesQuery(route))} />
    </>
  );
}

function columns(app: string): readonly Column<Process>[] {
  return [
    { head: "Process", cell: (one) => <To route={{ page: "process", app, id: one.process }}>{one.process}</To> },
    { head: "Status", cell: (one) => <StatusBadge status={one.status} /> },
    { head: "Host", cell: (one) => one.host },
    { head: "State", kind: "number", cell: (one) => bytes(one.stateBytes ?? 0) },
    { head: "Mailbox", kind: "number", cell: mailboxText },
    { head: "Functions", kind: "number", cell: functionsText },
    { head: "Made", cell: (one) => when(one.createdMs) },
  ];
}

function Create({ app }: { readonly app: string }) {
  const cache = useQueryClient();
  const [id, setId] = useState("");
  const isValid = id === "" || PROCESS_ID.test(id);
  const create = useMutation({
    mutationFn: () => answered(client.POST("/api/v1/applications/{app}/processes", { params: { path: { app } }, body: id === "" ? {} : { id } })),
    onSuccess: (made) => {
      void cache.invalidateQueries({ queryKey: ["processes", app] });
      go({ page: "process", app, id: made.process });
    },
  });
  const createOnce = useOnce(create);
  return (
    <Section title="Make one">
      <form
        className="filters"
        onSubmit={(event) => {
          event.preventDefault();
          if (isValid) createOnce();
        }}
      >
        <label>
          Its id <input value={id} placeholder="one is drawn" aria-invalid={!isValid} aria-describedby="id-rule" onChange={(event) => setId(event.target.value)} />
        </label>
        <Button scope="invoke" type="submit" className="first" aria-disabled={create.isPending} disabled={!isValid}>
          Make it
        </Button>
        <span id="id-rule" className={isValid ? "quiet" : "fault"}>
          Letters, digits and . _ ~ -, at most 128; one that is swapped out comes back.
        </span>
      </form>
      {create.error && <Trouble error={create.error} />}
      <AsCurl name="make" method="POST" url={paths.processes(app)} body={JSON.stringify(id === "" ? {} : { id })} />
    </Section>
  );
}
