// An alias is moved to a version, or made.
import { useState } from "react";
import { NAME } from "../../model/bundle";
import { Section } from "../../parts/bits";
import { Button } from "../../parts/Button";

interface Props {
  readonly versions: readonly number[];
  readonly isBusy: boolean;
  readonly onPoint: (alias: string, version: number) => void;
}

export function Point({ versions, isBusy, onPoint }: Props) {
  const [alias, setAlias] = useState("");
  const [version, setVersion] = useState(versions[0] ?? 0);
  const isValid = NAME.test(alias) && versions.includes(version);
  return (
    <Section title="Point an alias at a version">
      <form
        className="filters"
        onSubmit={(event) => {
          event.preventDefault();
          if (isValid) onPoint(alias, version);
        }}
      >
        <label>
          Alias <input value={alias} size={14} placeholder="beta" onChange={(event) => setAlias(event.target.value)} />
        </label>
        <label>
          at{" "}
          <select value={version} onChange={(event) => setVersion(Number(event.target.value))}>
            {versions.map((one) => (
              <option key={one} value={one}>
                version {one}
              </option>
            ))}
          </select>
        </label>
        <Button scope="deploy" type="submit" disabled={!isValid || isBusy}>
          Point it there
        </Button>
        <span className="quiet">Targets are then called as target@alias.</span>
      </form>
    </Section>
  );
}
