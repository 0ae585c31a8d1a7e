// What one version has otherwise than another; which two is part of the address.
import { useQuery } from "@tanstack/react-query";
import { diff, versionPaths } from "../../api/versions";
import type { Route } from "../../model/route";
import { many } from "../../model/show";
import { Found, Section } from "../../parts/bits";
import { Changes } from "../../parts/Changes";
import { AsCurl } from "../../parts/copy";
import { replace } from "../../parts/router";

type Shown = Extract<Route, { page: "versions" }>;

export function Compare({ route, versions }: { readonly route: Shown; readonly versions: readonly number[] }) {
  const { app, from, to } = route;
  const isWanted = from !== "" && to !== "";
  const query = useQuery({ ...diff(app, from, to), enabled: isWanted });
  return (
    <Section title="Compare two versions" id="compare">
      <form className="filters" onSubmit={(event) => event.preventDefault()}>
        <Pick label="From" value={from} versions={versions} onPick={(version) => replace({ ...route, from: version })} />
        <Pick label="to" value={to} versions={versions} onPick={(version) => replace({ ...route, to: version })} />
      </form>
      {isWanted && (
        <>
          <Found query={query}>
            {(found) => (
              <>
                <p className="quiet">
                  {many(found.files.length, "file differs", "files differ")}, {found.unchanged} as before.
                </p>
                <Changes files={found.files} />
              </>
            )}
          </Found>
          <AsCurl name="compare" url={versionPaths.diff(app, from, to)} />
        </>
      )}
    </Section>
  );
}

interface PickProps {
  readonly label: string;
  readonly value: string;
  readonly versions: readonly number[];
  readonly onPick: (version: string) => void;
}

function Pick({ label, value, versions, onPick }: PickProps) {
  const all = [...new Set([...(value === "" ? [] : [value]), ...versions.map(String)])];
  return (
    <label>
      {label}{" "}
      <select value={value} onChange={(event) => onPick(event.target.value)}>
        <option value="">choose</option>
        {all.map((one) => (
          <option key={one} value={one}>
            {/^\d+$/.test(one) ? `version ${one}` : one}
          </option>
        ))}
      </select>
    </label>
  );
}
