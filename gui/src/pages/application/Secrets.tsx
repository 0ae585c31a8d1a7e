// Secrets by name. A value is in its field until it is sent, and nowhere else: not in a request's address, the tab's storage or the cache.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Schemas } from "../../api/client";
import { deleteSecret, secretPaths, secrets, setSecret } from "../../api/secrets";
import { nameFault, valueFault } from "../../model/secret";
import { when } from "../../model/show";
import { Found, Section, Trouble } from "../../parts/bits";
import { Button } from "../../parts/Button";
import { Confirm } from "../../parts/Confirm";
import { AsCurl } from "../../parts/copy";
import { useOnce } from "../../parts/once";
import { type Column, Table } from "../../parts/Table";

type Secret = Schemas["Secrets"]["secrets"][number];

export function Secrets({ app }: { readonly app: string }) {
  const cache = useQueryClient();
  const drop = useMutation({
    mutationFn: (name: string) => deleteSecret(app, name),
    onSettled: () => cache.invalidateQueries({ queryKey: ["secrets", app] }),
  });
  const dropOnce = useOnce(drop);
  return (
    <Section title="Secrets">
      {drop.error && <Trouble error={drop.error} />}
      <Found query={useQuery(secrets(app))}>
        {({ secrets: found }) => (
          <Table
            caption="Table of secrets"
            rows={found}
            rowKey={(one) => one.name}
            columns={columns(drop.isPending, dropOnce)}
            empty={
              <p>
                <strong>None is kept.</strong> A grain reads what <code>secrets:</code> in sand.yaml names for it, with <code>context.secret(NAME)</code>.
              </p>
            }
          />
        )}
      </Found>
      <SetOne app={app} />
      <AsCurl name="list" url={secretPaths.all(app)} command={["secrets", "list", app]} />
    </Section>
  );
}

function columns(isPending: boolean, drop: (name: string) => void): readonly Column<Secret>[] {
  return [
    { head: "Secret", cell: (one) => <code>{one.name}</code> },
    { head: "Set", cell: (one) => when(one.changedMs) },
    {
      head: "Change",
      quiet: true,
      kind: "deeds",
      cell: (one) => (
        <Confirm scope="deploy" label="Delete" title={`Delete ${one.name}?`} small disabled={isPending} onConfirm={() => drop(one.name)}>
          <p>Nobody can read its value here: who wants it again has to set it. Grains that name it do without from their next request.</p>
        </Confirm>
      ),
    },
  ];
}

function SetOne({ app }: { readonly app: string }) {
  const cache = useQueryClient();
  const [name, setName] = useState("");
  const [value, setValue] = useState("");
  const [said, setSaid] = useState("");
  const faults = [nameFault(name), valueFault(value)];
  // Without arguments, which the cache would keep.
  const send = useMutation({
    mutationFn: () => setSecret(app, name, value),
    onSuccess: () => {
      setSaid(`${name} is set; its grains have it in about a second`);
      setName("");
      setValue("");
    },
    onSettled: () => cache.invalidateQueries({ queryKey: ["secrets", app] }),
  });
  const sendOnce = useOnce(send);
  const isReady = name !== "" && value !== "" && faults.every((fault) => fault === null);
  const named = name === "" || faults[0] !== null ? "NAME" : name;
  return (
    <form
      autoComplete="off"
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady) sendOnce();
      }}
    >
      <div className="filters">
        <label>
          Name <input value={name} maxLength={128} autoCapitalize="none" autoComplete="off" spellCheck={false} aria-describedby="secret-fault" onChange={(event) => setName(event.target.value)} />
        </label>
        <label>
          Value <textarea className="masked" rows={1} value={value} autoCapitalize="none" autoComplete="off" spellCheck={false} aria-describedby="secret-fault" onChange={(event) => setValue(event.target.value)} />
        </label>
        <Button scope="deploy" type="submit" aria-disabled={send.isPending} disabled={!isReady}>
          Set
        </Button>
        <span role="status" className="quiet">
          {said}
        </span>
      </div>
      <p id="secret-fault" className="fault">
        {faults.find((fault) => fault !== null)}
      </p>
      {send.error && <Trouble error={send.error} />}
      <AsCurl
        name="set"
        method="PUT"
        url={secretPaths.one(app, named)}
        headers={{ "Content-Type": "text/plain" }}
        file="value.txt"
        command={["secrets", "set", app, named, "--file", "value.txt"]}
      />
    </form>
  );
}
