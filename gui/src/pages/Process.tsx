// One cloud process: what it has, what it does and did, what can be done with it.
import { useQuery } from "@tanstack/react-query";
import { isGone } from "../api/client";
import { followUrl, linesOfProcess, useLines } from "../api/lines";
import { paths } from "../api/queries";
import { process, processMetrics } from "../api/running";
import { type Process as Seen, dedicatedText, doneFacts, functionsText, mailboxText, memoryShare, stateText } from "../model/process";
import { ANY_LINE } from "../model/logs";
import type { Route } from "../model/route";
import { bytes, when } from "../model/show";
import { Facts, Found, Meter, Section, StatusBadge, Title, To } from "../parts/bits";
import { AsCurl } from "../parts/copy";
import { Log } from "../parts/Log";
import { Mailbox, State } from "./process/Inside";
import { ProcessActions } from "./process/ProcessActions";

export function Process({ route }: { readonly route: Extract<Route, { page: "process" }> }) {
  const { app, id } = route;
  const query = useQuery(process(app, id));
  return (
    <>
      <Title trail={<To route={{ page: "processes", app, status: "", after: "" }}>Processes</To>}>{id}</Title>
      <Found query={query}>
        {(found) => (
          <>
            <Now found={found} />
            <ProcessActions app={app} found={found} />
            <State route={route} />
            <Mailbox route={route} found={found} />
          </>
        )}
      </Found>
      {!isGone(query.error) && (
        <>
          <Done app={app} id={id} />
          <Written app={app} id={id} />
        </>
      )}
      <AsCurl url={paths.process(app, id)} />
    </>
  );
}

function Now({ found }: { readonly found: Seen }) {
  const share = memoryShare(found);
  return (
    <Facts
      facts={[
        ["Status", <StatusBadge status={found.status} />],
        ["Host", found.host],
        ["Made", when(found.createdMs)],
        ["Functions at once", functionsText(found)],
        ["State", stateText(found)],
        ["Mailbox", mailboxText(found)],
        [
          "Memory",
          share === null ? null : (
            <>
              <Meter share={share} label="Of its memory, in use" /> {Math.round(share * 100)} % of {bytes(found.memoryBytes ?? 0)}
            </>
          ),
        ],
        ["Sandbox of its own", dedicatedText(found.dedicated)],
      ]}
    />
  );
}

function Done({ app, id }: { readonly app: string; readonly id: string }) {
  return (
    <Section title="Since it was made">
      <Found query={useQuery(processMetrics(app, id))}>{(metrics) => <Facts facts={doneFacts(metrics)} />}</Found>
      <AsCurl name="figures" url={paths.process(app, id, "/metrics")} />
    </Section>
  );
}

function Written({ app, id }: { readonly app: string; readonly id: string }) {
  const source = linesOfProcess(app, id);
  const [found, older] = useLines(source, ANY_LINE);
  return (
    <Section title="Logs">
      <Log found={found} older={older} filter={ANY_LINE} app={app} nothing={<p>Nothing was written in it yet.</p>} />
      <AsCurl name="logs" url={followUrl(source, ANY_LINE)} headers={{ Accept: "text/event-stream" }} command={["logs", app, "--process", id, "--follow"]} />
    </Section>
  );
}
