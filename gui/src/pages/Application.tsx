// One application: what it is for, what its live version has, its secrets, and its end.
import { useQuery } from "@tanstack/react-query";
import { type Schemas, isNoApplication } from "../api/client";
import { application, paths } from "../api/queries";
import { useMay, useShownName } from "../api/session";
import { bytes, duration, when } from "../model/show";
import { Facts, Found, Section, Title, To, Trouble } from "../parts/bits";
import { Way } from "../parts/Button";
import { AsCurl } from "../parts/copy";
import { type Column, Table } from "../parts/Table";
import { Delete } from "./application/Delete";
import { Fires } from "./application/Fires";
import { Given } from "./application/Given";
import { Secrets } from "./application/Secrets";

type Version = Schemas["Version"];
type Grain = Version["grains"][string];
type RouteSpec = Version["routes"][number];

export function Application({ app }: { readonly app: string }) {
  const query = useQuery(application(app));
  const shown = useShownName();
  const [deploys, owns] = [useMay("deploy"), useMay("admin")];
  if (isNoApplication(query.error)) {
    return (
      <>
        <Title>{shown(app)}</Title>
        <Trouble error={query.error} />
        <To route={{ page: "home" }}>All applications</To>
      </>
    );
  }
  return (
    <>
      <Title
        aside={
          <Way scope="deploy" className="button" route={{ page: "deploy", into: app }}>
            Deploy a version
          </Way>
        }
      >
        {shown(app)}
      </Title>
      <Found query={query}>{(found) => <Contents found={found} />}</Found>
      {/* What may turn out not to be there is not asked for its secrets. */}
      {deploys && !query.isPending && <Secrets app={app} />}
      <AsCurl url={paths.application(app)} command={["describe", app]} />
      {owns && !query.isPending && <Delete app={app} />}
    </>
  );
}

function Contents({ found }: { readonly found: Version }) {
  const app = found.application;
  const workflows = Object.values(found.workflows);
  return (
    <>
      {found.description && <p className="about">{found.description}</p>}
      <Facts
        facts={[
          ["Version", <To route={{ page: "files", app, version: String(found.version), path: "" }}>{`Version ${found.version}`}</To>],
          ["Aliases", Object.keys(found.aliases).filter((alias) => found.aliases[alias] === found.version).join(", ") || "none"],
          ["Deployed", when(found.createdMs)],
          ["Durability", found.durability.toLowerCase()],
        ]}
      />
      {workflows.length > 0 && (
        <Section title="Workflows">
          <ul className="cards">
            {workflows.map((one) => (
              <li key={one.name}>
                <To route={{ page: "workflow", app, name: one.name }}>{one.name}</To>
              </li>
            ))}
          </ul>
        </Section>
      )}
      <Section title="Grains">
        <Table caption="Table of grains" rows={Object.values(found.grains)} rowKey={(one) => one.name} columns={grainColumns(app)} empty="It has no grain." />
      </Section>
      <Given app={app} grains={found.grains} />
      <Fires app={app} />
      {found.routes.length > 0 && (
        <Section title="Routes">
          <Table caption="Table of routes" rows={found.routes} rowKey={(route) => `${route.method} ${route.path}`} columns={routeColumns(app)} />
        </Section>
      )}
    </>
  );
}

function grainColumns(app: string): readonly Column<Grain>[] {
  return [
    { head: "Grain", cell: (one) => <To route={{ page: "grain", app, name: one.name }}>{one.name}</To> },
    { head: "Entry", cell: (one) => <code>{one.entry}</code> },
    { head: "Isolation", cell: (one) => one.isolation.toLowerCase() },
    { head: "Time limit", kind: "number", cell: (one) => duration(one.timeoutMs) },
    { head: "Memory", kind: "number", cell: (one) => (one.memoryBytes ? bytes(one.memoryBytes) : "the sandbox's") },
    { head: "At once", kind: "number", cell: (one) => one.concurrency },
  ];
}

function routeColumns(app: string): readonly Column<RouteSpec>[] {
  return [
    { head: "Path", cell: (route) => <code>{`/web/${app}${route.path}`}</code> },
    { head: "Method", cell: (route) => route.method },
    { head: "Target", cell: (route) => route.target },
  ];
}
