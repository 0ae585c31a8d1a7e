// What the page at an address will ask for, asked for while what draws it is still on its way: of pages that ask for one thing after the
// other, and of those with parts that come later. It is the page that waits, tells of errors and asks again; here all goes into the cache.
import type { QueryClient } from "@tanstack/react-query";
import { figures } from "./api/figures";
import { application, applications, history, invocation, timeline, version } from "./api/queries";
import { who } from "./api/session";
import { workflowFile } from "./api/versions";
import { graphOf } from "./model/definition";
import { windowOf } from "./model/figures";
import { own } from "./model/members";
import type { Route } from "./model/route";

export function early(cache: QueryClient, route: Route): void {
  void cache.prefetchQuery(who());
  void parts(route);
  void asked(cache, route).catch(() => undefined);
}

/** Their files: they are loaded once. */
async function parts({ page }: Route): Promise<void> {
  const wanted: readonly (() => Promise<unknown>)[] =
    page === "home" ? [() => import("./parts/chart/Plot")]
    : page === "workflow" ? [() => import("./parts/graph/Flow"), () => import("./parts/editor/Code")]
    : page === "execution" ? [() => import("./parts/graph/Flow")]
    : page === "grain" ? [() => import("./parts/editor/Code")]
    : [];
  await Promise.allSettled(wanted.map((load) => load()));
}

async function asked(cache: QueryClient, route: Route): Promise<void> {
  switch (route.page) {
    case "home":
      void cache.prefetchQuery(applications());
      void cache.prefetchQuery(figures(windowOf(route.minutes ?? "")));
      return;
    case "grain":
      void cache.prefetchQuery(application(route.app));
      return;
    case "workflow": {
      const { app, name } = route;
      const { version: live } = await cache.fetchQuery(application(app));
      const definition = await workflow(cache, app, live, name);
      if (definition !== null) void cache.prefetchQuery(workflowFile(app, live, name, definition));
      return;
    }
    case "execution": {
      const { app, id } = route;
      const found = await cache.fetchQuery(invocation(app, id));
      void cache.prefetchQuery(timeline(app, id, found.status === "RUNNING"));
      void cache.prefetchQuery(history(app, id, found.status, found.redriveCount ?? 0));
      await workflow(cache, app, found.version, found.target);
      return;
    }
  }
}

/** Its definition, which is being laid out from here on; null: the version has no such workflow. */
async function workflow(cache: QueryClient, app: string, number: number, name: string): Promise<string | null> {
  const [found, { laidOut }] = await Promise.all([cache.fetchQuery(version(app, number)), import("./parts/graph/layout")]);
  const definition = own(found.workflows, name)?.definition;
  if (definition === undefined) return null;
  void cache.prefetchQuery(laidOut(graphOf(definition)));
  return definition;
}
