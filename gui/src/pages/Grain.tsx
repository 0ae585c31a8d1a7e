// A grain: its code, which is edited and saved as a version; a test of it, with what came of it.
import { useQuery } from "@tanstack/react-query";
import type { Schemas } from "../api/client";
import { application } from "../api/queries";
import { useShownName } from "../api/session";
import { own } from "../model/members";
import type { Route } from "../model/route";
import { Facts, Found, Section, Title, To, ToApplication, Value } from "../parts/bits";
import { useDraft } from "../parts/save";
import { Code } from "./grain/Code";
import { Test } from "./grain/Test";

/** Of a grain that says nothing else. */
const ENTRY = "handler:handle";

type Shown = Extract<Route, { page: "grain" }>;

export function Grain({ route }: { readonly route: Shown }) {
  const { app, name } = route;
  const query = useQuery(application(app));
  const shown = useShownName();
  const [draft] = useDraft(app, `grains/${name}`);
  return (
    <>
      <Title trail={<ToApplication app={app} />}>{name}</Title>
      <Found query={query}>
        {(found) => {
          const grain = own(found.grains, name);
          const live = { base: found.version, bundle: found.bundle };
          return (
            <>
              {grain === undefined ? (
                <p role="alert">{`Version ${found.version} of ${shown(app)} has no grain ${name}.`}</p>
              ) : (
                <p>
                  A grain of version {found.version}. <To route={{ page: "executions", app, status: "", target: name, before: "" }}>Its executions</To>
                </p>
              )}
              {/* What was typed is not lost with the grain. */}
              {(grain !== undefined || draft !== null) && <Code route={route} live={live} entry={grain?.entry ?? ENTRY} />}
              {grain !== undefined && <Test app={app} name={name} given={route.input ?? null} />}
              {grain !== undefined && <Settings app={app} grain={grain} resolved={found.resolved ?? null} />}
            </>
          );
        }}
      </Found>
    </>
  );
}

interface Set {
  readonly app: string;
  readonly grain: Schemas["Version"]["grains"][string];
  /** Requirements, which all grains of a version have in common; null: nobody knows any more. */
  readonly resolved: readonly string[] | null;
}

function Settings({ app, grain, resolved }: Set) {
  const environment = Object.keys(grain.environment ?? {}).sort();
  const secrets = grain.secrets ?? [];
  return (
    <Section title="Settings">
      <Facts
        facts={[
          ["Requirements, as installed", resolved === null ? "not known of this version" : resolved.length === 0 ? "none" : resolved.join(", ")],
          ["Environment", environment.length === 0 ? "none of its own" : environment.join(", ")],
          ["Secrets it may read", secrets.length === 0 ? "none" : <To route={{ page: "application", app }}>{secrets.join(", ")}</To>],
        ]}
      />
      <Value text={JSON.stringify(grain)} label="the settings" />
    </Section>
  );
}
