// A grain: its code, which is edited and saved as a version; a test of it, with what came of it.
import { useQuery } from "@tanstack/react-query";
import type { Schemas } from "../api/client";
import { application } from "../api/queries";
import { own } from "../model/members";
import type { Route } from "../model/route";
import { Found, Section, Title, To, Value } from "../parts/bits";
import { useDraft } from "../parts/save";
import { Code } from "./grain/Code";
import { Test } from "./grain/Test";

/** Of a grain that says nothing else. */
const ENTRY = "handler:handle";

type Shown = Extract<Route, { page: "grain" }>;

export function Grain({ route }: { readonly route: Shown }) {
  const { app, name } = route;
  const query = useQuery(application(app));
  const [draft] = useDraft(app, `grains/${name}`);
  return (
    <>
      <Title trail={<To route={{ page: "application", app }}>{app}</To>}>{name}</Title>
      <Found query={query}>
        {(found) => {
          const grain = own(found.grains, name);
          const live = { base: found.version, bundle: found.bundle };
          return (
            <>
              {grain === undefined ? (
                <p role="alert">{`Version ${found.version} of ${app} has no grain ${name}.`}</p>
              ) : (
                <p>
                  A grain of version {found.version}. <To route={{ page: "executions", app, status: "", target: name, before: "" }}>Its executions</To>
                </p>
              )}
              {/* What was typed is not lost with the grain. */}
              {(grain !== undefined || draft !== null) && <Code route={route} live={live} entry={grain?.entry ?? ENTRY} />}
              {grain !== undefined && <Test app={app} name={name} />}
              {grain !== undefined && <Settings grain={grain} />}
            </>
          );
        }}
      </Found>
    </>
  );
}

function Settings({ grain }: { readonly grain: Schemas["Version"]["grains"][string] }) {
  return (
    <Section title="Settings">
      <Value text={JSON.stringify(grain)} label="the settings" />
    </Section>
  );
}
