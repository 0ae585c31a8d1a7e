// Hosts, and what runs on each: sandboxes, workers, instances, queues.
import { useQuery } from "@tanstack/react-query";
import { paths } from "../api/queries";
import { status } from "../api/running";
import { useMay } from "../api/session";
import { type GrainOnHost, type Host, type Sandbox, isThere, memoryOf, ranges, totals } from "../model/hosts";
import { ago, bytes, duration, many } from "../model/show";
import { Facts, Found, Meter, Section, StatusBadge, Title, To } from "../parts/bits";
import { AsCurl } from "../parts/copy";
import { type Column, Table } from "../parts/Table";
import { Management } from "./hosts/Management";
import { Service } from "./hosts/Service";

export function Hosts() {
  const operates = useMay("operator");
  return (
    <>
      <Title>Hosts</Title>
      <Found query={useQuery(status())}>
        {(found) => {
          const all = totals(found.hosts.flatMap((host) => host.sandboxes).flatMap((sandbox) => sandbox.grains));
          return (
            <>
              <Facts
                facts={[
                  ["Hosts", found.hosts.length],
                  ["Requests under way here", `${found.frontend.inFlight} of ${found.frontend.inFlightLimit.toLocaleString("en")}`],
                  ["Sandboxes", found.hosts.flatMap((host) => host.sandboxes).filter(isThere).length],
                  ["Memory of the sandboxes", bytes(memoryOf(found.hosts.flatMap((host) => host.sandboxes)))],
                  ["Instances", `${all.running} running, ${all.idle} idle`],
                  ["Waiting events", all.queued],
                ]}
              />
              {found.hosts.map((host) => (
                <OneHost key={host.host} host={host} operates={operates} />
              ))}
            </>
          );
        }}
      </Found>
      {operates && <Management />}
      <AsCurl url={paths.status()} command={["ps"]} />
    </>
  );
}

function OneHost({ host, operates }: { readonly host: Host; readonly operates: boolean }) {
  const sandboxes = host.sandboxes.filter(isThere);
  const absent = host.sandboxes.length - sandboxes.length;
  const place = host.place;
  return (
    <Section title={host.host} id={`host-${host.host}`} aside={<StatusBadge status={host.state} />}>
      {host.problem && <p className="fault">{host.problem}</p>}
      {place && (
        <Facts
          facts={[
            ["Load", <Load busy={place.busy} />],
            ["Address", place.address],
            ["Labels", place.labels.join(", ") || null],
            [`Slots (${place.slots.length})`, ranges(place.slots) || "none"],
            ["Sandboxes are", host.sandboxKind === "process" ? "processes" : "containers"],
          ]}
        />
      )}
      {sandboxes.length > 0 && <p>Its sandboxes may use {bytes(memoryOf(sandboxes))} of memory in all.</p>}
      <Table
        caption={`Sandboxes of ${host.host}`}
        rows={sandboxes}
        rowKey={(one) => `${one.application} ${one.version} ${one.id}`}
        columns={SANDBOXES}
        empty={<p>No application has a sandbox here now. {host.draining ? "None is started until it takes work again." : "One is started with the first request for it, and stops when it is idle."}</p>}
      />
      {operates && <Service host={host} />}
      {absent > 0 && <p className="quiet">{many(absent, "application")} known here without a sandbox now.</p>}
      {sandboxes.length > 0 && (
        <details>
          <summary>Workers and instances by grain</summary>
          <Table
            caption={`Grains on ${host.host}`}
            rows={sandboxes.flatMap((sandbox) => sandbox.grains.map((grain) => ({ sandbox, grain })))}
            rowKey={({ sandbox, grain }) => `${sandbox.application} ${sandbox.version} ${sandbox.id} ${grain.grain}`}
            columns={GRAINS}
          />
        </details>
      )}
    </Section>
  );
}

function Load({ busy }: { readonly busy: number }) {
  return (
    <>
      <Meter share={busy} label="Share of its capacity in use" /> {Math.round(busy * 100)} %
    </>
  );
}

const SANDBOXES: readonly Column<Sandbox>[] = [
  { head: "Application", cell: (one) => <To route={{ page: "application", app: one.application }}>{one.application}</To> },
  { head: "Version", kind: "number", cell: (one) => one.version },
  { head: "State", cell: (one) => <StatusBadge status={one.state} /> },
  { head: "Started", cell: (one) => (one.startedMs ? ago(one.startedMs, Date.now()) : "–") },
  { head: "Memory", kind: "number", cell: (one) => (one.memoryBytes ? bytes(one.memoryBytes) : "–") },
  { head: "Executions", kind: "number", cell: (one) => one.executions },
  { head: "Workers", kind: "number", cell: (one) => `${totals(one.grains).ready} of ${one.grains.length}` },
  { head: "Running", kind: "number", cell: (one) => totals(one.grains).running },
  { head: "Idle", kind: "number", cell: (one) => totals(one.grains).idle },
  { head: "Waiting", kind: "number", cell: (one) => <Waiting queued={totals(one.grains).queued} oldestMs={totals(one.grains).oldestMs} /> },
];

const GRAINS: readonly Column<{ readonly sandbox: Sandbox; readonly grain: GrainOnHost }>[] = [
  { head: "Grain", cell: ({ sandbox, grain }) => <To route={{ page: "grain", app: sandbox.application, name: grain.grain }}>{`${sandbox.application}/${grain.grain}`}</To> },
  { head: "Worker", cell: ({ grain }) => grain.workerState },
  { head: "Pid", kind: "number", cell: ({ grain }) => grain.workerPid || "–" },
  { head: "Running", kind: "number", cell: ({ grain }) => grain.running },
  { head: "Idle", kind: "number", cell: ({ grain }) => grain.idle },
  { head: "Waiting", kind: "number", cell: ({ grain }) => <Waiting queued={grain.queued} oldestMs={grain.oldestMs} /> },
  { head: "Restarts", kind: "number", cell: ({ grain }) => grain.restarts },
];

export function Waiting({ queued, oldestMs }: { readonly queued: number; readonly oldestMs: number }) {
  return <>{queued === 0 ? "0" : `${queued.toLocaleString("en")}, for ${duration(oldestMs)}`}</>;
}
