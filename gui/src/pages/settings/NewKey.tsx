// The form that makes an API key, and shows it this once.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { type Scope, createKey, settingsPaths } from "../../api/settings";
import { LIFETIMES, MAY, SCOPES, keyFault } from "../../model/apiKey";
import { operands, options } from "../../model/command";
import { Section, Trouble } from "../../parts/bits";
import { Button } from "../../parts/Button";
import { AsCurl, Copy } from "../../parts/copy";
import { useOnce } from "../../parts/once";

export function NewKey() {
  const cache = useQueryClient();
  const [name, setName] = useState("");
  const [scopes, setScopes] = useState<readonly Scope[]>(["invoke"]);
  const [expires, setExpires] = useState(LIFETIMES[0]?.[0] ?? "");
  const fault = keyFault(name, scopes);
  const make = useMutation({
    mutationFn: () => createKey({ name, scopes, expires }),
    gcTime: 0,
    onSuccess: () => setName(""),
    onSettled: () => cache.invalidateQueries({ queryKey: ["keys"] }),
  });
  const makeOnce = useOnce(make);
  const words = ["keys", "create", "--scopes", scopes.join(",") || "SCOPES", ...options({ expires }), ...operands(name || "NAME")];
  return (
    <Section title="A new key">
      <form
        autoComplete="off"
        onSubmit={(event) => {
          event.preventDefault();
          if (fault === null) makeOnce();
        }}
      >
        <div className="filters">
          <label>
            What it is for <input value={name} maxLength={100} onChange={(event) => setName(event.target.value)} />
          </label>
          <label>
            Good for{" "}
            <select value={expires} onChange={(event) => setExpires(event.target.value)}>
              {LIFETIMES.map(([value, label]) => (
                <option key={value} value={value}>
                  {label}
                </option>
              ))}
            </select>
          </label>
        </div>
        <fieldset>
          <legend>What it may</legend>
          {SCOPES.map((scope) => (
            <label key={scope}>
              <input
                type="checkbox"
                checked={scopes.includes(scope)}
                onChange={(event) => setScopes(SCOPES.filter((one) => (one === scope ? event.target.checked : scopes.includes(one))))}
              />{" "}
              <strong>{scope}</strong>: {MAY[scope]}
            </label>
          ))}
        </fieldset>
        <div className="actions">
          <Button scope="admin" type="submit" className="first" aria-disabled={make.isPending} disabled={fault !== null} aria-describedby="key-fault">
            Make it
          </Button>
          <span id="key-fault" className="quiet">
            {name === "" ? "" : fault}
          </span>
        </div>
      </form>
      {make.error && <Trouble error={make.error} />}
      <div role="status">
        {make.data && (
          <div>
            <p>
              <strong>This is the key of {make.data.name}.</strong> It is shown this once; only its hash is kept.
            </p>
            <p className="command made">
              <code>{make.data.key}</code> <Copy text={make.data.key} label="the key" />
            </p>
          </div>
        )}
      </div>
      <AsCurl
        name="make"
        method="POST"
        url={settingsPaths.keys()}
        body={JSON.stringify({ name: name || "NAME", scopes, ...(expires && { expires }) })}
        command={words}
      />
    </Section>
  );
}
