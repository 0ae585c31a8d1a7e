// Why an execution failed, with the ways to the lines of its application's files that its stack trace names.
import { useQuery } from "@tanstack/react-query";
import type { Schemas } from "../../api/client";
import { files } from "../../api/versions";
import { visible, visibleName } from "../../model/show";
import { type Place, grainOf, placesOf } from "../../model/source";
import { To } from "../../parts/bits";

interface Props {
  readonly app: string;
  readonly id: string;
  readonly version: number;
  readonly failure: NonNullable<Schemas["Invocation"]["failure"]>;
}

const MOST_PLACES = 5;

export function Failure({ app, id, version, failure }: Props) {
  const listed = useQuery({ ...files(app, String(version)), enabled: failure.stackTrace !== undefined });
  const places = placesOf(failure.stackTrace ?? "", listed.data?.files.map((file) => file.path) ?? []).slice(0, MOST_PLACES);
  return (
    <section aria-labelledby="error" className="trouble">
      <h2 id="error">{visibleName(failure.error ?? "Error")}</h2>
      <p>{visible(failure.cause ?? "")}</p>
      {places.length > 0 && (
        <ul className="places">
          {places.map((place, i) => (
            <li key={i}>
              <Line app={app} id={id} version={version} place={place} />
            </li>
          ))}
        </ul>
      )}
      {failure.stackTrace && (
        <pre tabIndex={0} aria-label="Stack trace">
          {visible(failure.stackTrace)}
        </pre>
      )}
    </section>
  );
}

/** Into the editor of its grain; other files are only shown. */
function Line({ app, id, version, place }: { readonly app: string; readonly id: string; readonly version: number; readonly place: Place }) {
  const grain = grainOf(place.path);
  const text = `${place.path}, line ${place.line}`;
  return grain === null ? (
    <To route={{ page: "files", app, version: String(version), path: place.path }}>{text}</To>
  ) : (
    <To route={{ page: "grain", app, name: grain, path: place.path, line: String(place.line), version: String(version), failed: id }}>{text}</To>
  );
}
