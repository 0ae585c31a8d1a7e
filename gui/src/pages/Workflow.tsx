// A workflow: a run of it, its graph and definition, which are edited and saved as a version.
import { useQuery } from "@tanstack/react-query";
import { application } from "../api/queries";
import { useShownName } from "../api/session";
import { own } from "../model/members";
import { Found, Section, Title, To, ToApplication, Trouble } from "../parts/bits";
import { Events } from "../parts/events/Events";
import { useEvent } from "../parts/events/event";
import { go } from "../parts/router";
import { Run } from "../parts/Run";
import { useDraft } from "../parts/save";
import { Definition } from "./workflow/Definition";

interface Props {
  readonly app: string;
  readonly name: string;
  /** To begin with. */
  readonly input: string | null;
}

export function Workflow({ app, name, input: given }: Props) {
  const query = useQuery(application(app));
  const shown = useShownName();
  const [draft] = useDraft(app, `workflows/${name}`);
  return (
    <>
      <Title trail={<ToApplication app={app} />}>{name}</Title>
      <Found query={query}>
        {(found) => {
          const workflow = own(found.workflows, name);
          return (
            <>
              {workflow === undefined ? (
                <p role="alert">{`Version ${found.version} of ${shown(app)} has no workflow ${name}.`}</p>
              ) : (
                <p>
                  A workflow of version {found.version}. <To route={{ page: "executions", app, status: "", target: name, before: "" }}>Its executions</To>
                </p>
              )}
              {workflow !== undefined && (
                <Section title="Run it" id="run">
                  <WithEvents app={app} name={name} given={given} />
                </Section>
              )}
              {/* What was typed is not lost with the workflow. */}
              {(workflow !== undefined || draft !== null) && <Definition app={app} name={name} live={{ base: found.version, bundle: found.bundle }} />}
            </>
          );
        }}
      </Found>
    </>
  );
}

/** Of an input that is typed, or an event that is chosen by its name. */
function WithEvents({ app, name, given }: { readonly app: string; readonly name: string; readonly given: string | null }) {
  const target = { app, kind: "workflow", name } as const;
  const event = useEvent(target, given);
  const { chosen, draft, text } = event;
  return (
    <>
      <Events key={`${app}/${name}`} target={target} event={event} />
      {event.error && <Trouble error={event.error} />}
      {text === undefined && !event.error && <p role="status">Loading…</p>}
      {text !== undefined && (
        <Run app={app} name={name} input={text} onInput={event.setText} event={draft === null ? chosen : ""} onRun={(id) => go({ page: "execution", app, id })} />
      )}
    </>
  );
}
