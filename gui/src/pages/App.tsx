// The frame around every page, and which page an address means.
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { useMay, useShownName, who } from "../api/session";
import { windowOf } from "../model/figures";
import type { Route } from "../model/route";
import { formatRoute } from "../model/route";
import { firstPart } from "../model/settings";
import { Boundary } from "../parts/Boundary";
import { DirectSaid } from "../parts/Direct";
import { KeyAsked } from "../parts/KeyAsked";
import { Title, To } from "../parts/bits";
import { useTurn } from "../parts/kept";
import { useLanding } from "../parts/landing";
import { useRoute } from "../parts/router";
import { ThemeSwitch } from "../parts/theme";
import { Application } from "./Application";
import { Bus } from "./Bus";
import { Data } from "./Data";
import { Execution } from "./Execution";
import { Executions } from "./Executions";
import { Grain } from "./Grain";
import { Home } from "./Home";
import { Hosts } from "./Hosts";
import { LocalQueue } from "./LocalQueue";
import { Logs, hiddenStreams } from "./Logs";
import { OneQueue } from "./OneQueue";
import { Process } from "./Process";
import { Processes } from "./Processes";
import { Settings, settingsAt } from "./Settings";
import { Topic } from "./Topic";
import { Topics } from "./Topics";
import { Triggers } from "./Triggers";
import { Upload } from "./Upload";
import { VersionFiles } from "./VersionFiles";
import { Versions } from "./Versions";
import { Workflow } from "./Workflow";

export function App() {
  const route = useRoute();
  const here = useQuery(who()).data;
  const operates = useMay("operator"); // asked for on every page: a session's changes carry what its answer has
  const main = useRef<HTMLElement>(null);
  useLanding(main);
  const page = pageOf(route);
  const turn = useTurn();
  const first = useRef(page);
  useEffect(() => {
    // A new page is read from its beginning, by keyboard and screen reader too.
    if (first.current !== page) main.current?.focus();
    first.current = page;
  }, [page]);
  return (
    <>
      <button type="button" className="skip" onClick={() => main.current?.focus()}>
        Skip to the page
      </button>
      <KeyAsked />
      <header>
        <div className="bar">
          <a className="brand" href={formatRoute({ page: "home" })}>
            <img src="./icon.svg" alt="" width={22} height={22} /> SAND
          </a>
          <nav aria-label="Platform">
            <Tab to={{ page: "home" }} label="Applications" here={route.page === "home"} />
            {operates && <Tab to={{ page: "hosts" }} label="Hosts" here={route.page === "hosts"} />}
            {operates && <Tab to={{ page: "topics" }} label="Topics" here={route.page === "topics" || route.page === "topic"} />}
            <Tab to={settingsAt(firstPart(here))} label="Settings" here={route.page === "settings"} />
          </nav>
          <Here />
          <ThemeSwitch />
        </div>
        {"app" in route && <Sections route={route} app={route.app} />}
      </header>
      <main ref={main} tabIndex={-1}>
        <DirectSaid />
        <Boundary key={`${turn} ${page}`}>
          <Page route={route} />
        </Boundary>
      </main>
    </>
  );
}

function pageOf(route: Route): string {
  return "app" in route ? [route.page, route.app, "name" in route ? route.name : "", "id" in route ? route.id : "", "input" in route ? route.input : ""].join("/") : route.page;
}

function Tab({ to, label, here }: { readonly to: Route; readonly label: string; readonly here: boolean }) {
  return (
    <a href={formatRoute(to)} aria-current={here ? "page" : undefined}>
      {label}
    </a>
  );
}

function Sections({ route, app }: { readonly route: Route; readonly app: string }) {
  const shown = useShownName();
  const sections: readonly (readonly [string, Route, readonly Route["page"][]])[] = [
    [shown(app), { page: "application", app }, ["application", "workflow", "grain"]],
    ["Versions", { page: "versions", app, from: "", to: "" }, ["versions", "files"]],
    ["Executions", { page: "executions", app, status: "", target: "", before: "" }, ["executions", "execution"]],
    ["Triggers", { page: "triggers", app }, ["triggers"]],
    ["Queues", { page: "bus", app }, ["bus", "queue", "localQueue"]],
    ["Data", { page: "data", app, prefix: "", after: "", key: "" }, ["data"]],
    ["Processes", { page: "processes", app, status: "", after: "" }, ["processes", "process"]],
    ["Logs", { page: "logs", app, grain: "", level: "", text: "", hide: hiddenStreams(), execution: "" }, ["logs"]],
  ];
  const nav = useRef<HTMLElement>(null);
  useEffect(() => {
    // Where there is no room for all of them, that of the page is seen.
    const here = nav.current?.querySelector<HTMLElement>("[aria-current]");
    if (nav.current && here) nav.current.scrollLeft = here.offsetLeft - nav.current.offsetLeft - (nav.current.clientWidth - here.offsetWidth) / 2;
  }, [route.page]);
  return (
    <nav ref={nav} className="tabs" aria-label="Application">
      {sections.map(([label, to, pages]) => (
        <Tab key={label} to={to} label={label} here={pages.includes(route.page)} />
      ))}
    </nav>
  );
}

function Page({ route }: { readonly route: Route }) {
  switch (route.page) {
    case "home":
      return <Home of={route.of ?? ""} minutes={windowOf(route.minutes ?? "")} />;
    case "application":
      return <Application app={route.app} />;
    case "workflow":
      return <Workflow app={route.app} name={route.name} input={route.input ?? null} />;
    case "grain":
      return <Grain route={route} />;
    case "executions":
      return <Executions route={route} />;
    case "execution":
      return <Execution app={route.app} id={route.id} />;
    case "versions":
      return <Versions route={route} />;
    case "files":
      return <VersionFiles route={route} />;
    case "data":
      return <Data route={route} />;
    case "triggers":
      return <Triggers app={route.app} />;
    case "bus":
      return <Bus app={route.app} />;
    case "queue":
      return <OneQueue route={route} />;
    case "localQueue":
      return <LocalQueue route={route} />;
    case "deploy":
      return <Upload route={route} />;
    case "hosts":
      return <Hosts />;
    case "topics":
      return <Topics />;
    case "topic":
      return <Topic route={route} />;
    case "settings":
      return <Settings route={route} />;
    case "processes":
      return <Processes route={route} />;
    case "process":
      return <Process route={route} />;
    case "logs":
      return <Logs route={route} />;
    case "unknown":
      return (
        <>
          <Title>There is no such page</Title>
          <p>
            <code>{route.address}</code> leads nowhere. <To route={{ page: "home" }}>All applications</To>
          </p>
        </>
      );
  }
}

/** Who is signed in, and in which tenant; nothing on a platform where nobody is. */
function Here() {
  const here = useQuery(who()).data;
  return here?.kind === "session" ? (
    <a className="here" href={formatRoute(settingsAt("account"))} title="Account">
      {here.user} · {here.tenant}
    </a>
  ) : null;
}
