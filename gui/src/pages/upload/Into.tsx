// Which application single files are for: a new one, or one that is there, whose other files stay as they are.
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { answered, client } from "../../api/client";
import { type Upload, zippedContents } from "../../api/deploy";
import { applications } from "../../api/queries";
import { useShownName } from "../../api/session";
import { APPLICATION, newApplication } from "../../model/bundle";
import type { Content } from "../../model/content";
import { nameHere } from "../../model/tenant";
import { Trouble } from "../../parts/bits";
import { Button } from "../../parts/Button";
import { useOnce } from "../../parts/once";

interface Props {
  readonly files: Readonly<Record<string, Content>>;
  readonly into: string;
  readonly onUpload: (upload: Upload) => void;
}

export function Into({ files, into, onUpload }: Props) {
  const [app, setApp] = useState(into);
  const [name, setName] = useState("");
  const shown = useShownName();
  const there = (useQuery(applications()).data?.applications ?? []).map((one) => one.name);
  const make = useMutation({
    mutationFn: async (): Promise<Upload> => {
      if (app === "") return { kind: "zip", zip: await zippedContents(newApplication(name, files)) };
      const live = await answered(client.GET("/api/v1/applications/{app}", { params: { path: { app } } }));
      return { kind: "edits", app, base: live.version, files };
    },
    onSuccess: onUpload,
  });
  const isTaken = app === "" && nameHere(there, name) !== undefined && !make.isSuccess;
  const isValid = app !== "" || (APPLICATION.test(name) && !isTaken);
  const makeOnce = useOnce(make);
  return (
    <form
      className="filters"
      onSubmit={(event) => {
        event.preventDefault();
        if (isValid) makeOnce();
      }}
    >
      <label>
        For{" "}
        <select value={app} onChange={(event) => setApp(event.target.value)}>
          <option value="">a new application</option>
          {there.map((one) => (
            <option key={one} value={one}>
              {shown(one)}
            </option>
          ))}
        </select>
      </label>
      {app === "" && (
        <label>
          Its name{" "}
          <input value={name} placeholder="hello" aria-invalid={name !== "" && !isValid} aria-describedby="name-rule" onChange={(event) => setName(event.target.value)} />
        </label>
      )}
      <Button scope="deploy" type="submit" className="first" aria-disabled={make.isPending} disabled={!isValid}>
        Look at it
      </Button>
      <span id="name-rule" className={name === "" || isValid ? "quiet" : "fault"}>
        {app === "" && (isTaken ? `There is an application ${name}: choose it.` : "Small letters, digits and -, at most 63.")}
      </span>
      {make.error && <Trouble error={make.error} />}
    </form>
  );
}
