// A workflow: a run of it, its graph and definition, which are edited and saved as a version.
import { useQuery } from "@tanstack/react-query";
import { application } from "../api/queries";
import { own } from "../model/members";
import { Found, Section, Title, To } from "../parts/bits";
import { go } from "../parts/router";
import { Run } from "../parts/Run";
import { Definition } from "./workflow/Definition";

interface Props {
  readonly app: string;
  readonly name: string;
  /** To begin with. */
  readonly input: string | null;
}

export function Workflow({ app, name, input }: Props) {
  const query = useQuery(application(app));
  return (
    <>
      <Title trail={<To route={{ page: "application", app }}>{app}</To>}>{name}</Title>
      <Found query={query}>
        {(found) => {
          const workflow = own(found.workflows, name);
          if (workflow === undefined) return <p role="alert">{`Version ${found.version} of ${app} has no workflow ${name}.`}</p>;
          return (
            <>
              <p>
                A workflow of version {found.version}. <To route={{ page: "executions", app, status: "", target: name, before: "" }}>Its executions</To>
              </p>
              <Section title="Run it" id="run">
                <Run app={app} name={name} given={input} onRun={(id) => go({ page: "execution", app, id })} />
              </Section>
              <Definition app={app} name={name} live={found.version} />
            </>
          );
        }}
      </Found>
    </>
  );
}
