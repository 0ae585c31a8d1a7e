// All applications, and how to get the first one.
import { useQuery } from "@tanstack/react-query";
import { SERVER, type Schemas } from "../api/client";
import { applications, paths } from "../api/queries";
import { when } from "../model/show";
import { AsCurl, Command, Found, Title, To } from "../parts/bits";

const LOCAL = "http://127.0.0.1:7263/";

export function Home() {
  const query = useQuery(applications());
  return (
    <>
      <Title>Applications</Title>
      <Found query={query}>
        {({ applications: found }) =>
          found.length === 0 ? (
            <FirstRun />
          ) : (
            <>
              <Table found={found} />
              <details>
                <summary>Another application</summary>
                <FirstRun />
              </details>
            </>
          )
        }
      </Found>
      <AsCurl url={paths.applications()} />
    </>
  );
}

function Table({ found }: { readonly found: Schemas["Applications"]["applications"] }) {
  return (
    <div className="wide" tabIndex={0} role="region" aria-label="Applications">
      <table>
        <thead>
          <tr>
            <th scope="col">Application</th>
            <th scope="col">Live version</th>
            <th scope="col">Versions</th>
            <th scope="col">Grains</th>
            <th scope="col">Workflows</th>
            <th scope="col">Deployed</th>
          </tr>
        </thead>
        <tbody>
          {found.map((one) => (
            <tr key={one.name}>
              <th scope="row">
                <To route={{ page: "application", app: one.name }}>{one.name}</To>
              </th>
              <td>{one.live ?? "none"}</td>
              <td>{one.versions}</td>
              <td>{one.grains?.length ?? "–"}</td>
              <td>{one.workflows?.length ?? "–"}</td>
              <td>{one.createdMs === undefined ? "–" : when(one.createdMs)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The command finds the platform of this machine by itself; any other it is told. */
function FirstRun() {
  const at = SERVER === LOCAL ? "" : ` --server ${SERVER.replace(/\/$/, "")}`;
  return (
    <ol className="steps">
      <li>
        Make a folder with an application of one grain and one workflow:
        <Command text="./sand init hello" />
      </li>
      <li>
        Deploy it:
        <Command text={`./sand${at} deploy hello`} />
      </li>
      <li>
        Run its workflow, here or so:
        <Command text={`./sand${at} invoke hello/main --data '{"name": "Ada"}'`} />
      </li>
    </ol>
  );
}
