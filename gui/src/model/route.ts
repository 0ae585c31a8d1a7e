// Addresses of pages: what stands behind the # of the page's address, so that the page works below any path of any server.

export type Route =
  /** With the application whose figures are shown, and of how many minutes. */
  | { readonly page: "home"; readonly of?: string; readonly minutes?: string }
  | { readonly page: "application"; readonly app: string }
  /** With an input to begin with. */
  | { readonly page: "workflow"; readonly app: string; readonly name: string; readonly input?: string }
  /** With a file that is open, and a line of it, in that version, where an execution failed; or with an input to begin a test with. */
  | { readonly page: "grain"; readonly app: string; readonly name: string; readonly path?: string; readonly line?: string; readonly version?: string; readonly failed?: string; readonly input?: string }
  | { readonly page: "executions"; readonly app: string; readonly status: string; readonly target: string; readonly before: string }
  | { readonly page: "execution"; readonly app: string; readonly id: string }
  | { readonly page: "hosts" | "topics" }
  /** Its last records in place of its first. */
  | { readonly page: "topic"; readonly name: string; readonly newest?: boolean }
  /** Filters are of the audit log. */
  | { readonly page: "settings"; readonly part: "keys" | "audit" | "members" | "quotas" | "account"; readonly tenant: string; readonly operation: string; readonly application: string; readonly before: string }
  /** For an application that is there, or any. */
  | { readonly page: "deploy"; readonly into: string }
  | { readonly page: "processes"; readonly app: string; readonly status: string; readonly after: string }
  /** With what is open: a key of its state or a message, and where the page of either begins. */
  | { readonly page: "process"; readonly app: string; readonly id: string; readonly key?: string; readonly after?: string; readonly message?: string; readonly from?: string }
  /** With a value that is open. */
  | { readonly page: "data"; readonly app: string; readonly prefix: string; readonly after: string; readonly key: string }
  | { readonly page: "triggers" | "bus"; readonly app: string }
  /** That of a grain on its hosts. */
  | { readonly page: "localQueue"; readonly app: string; readonly name: string }
  | { readonly page: "queue"; readonly app: string; readonly name: string; readonly after: string }
  | { readonly page: "versions"; readonly app: string; readonly from: string; readonly to: string }
  | { readonly page: "files"; readonly app: string; readonly version: string; readonly path: string }
  | { readonly page: "logs"; readonly app: string; readonly grain: string; readonly level: string; readonly text: string; readonly hide: string; readonly execution: string }
  | { readonly page: "unknown"; readonly address: string };

export function parseRoute(hash: string): Route {
  const address = hash.replace(/^#?\/?/, "");
  const [path = "", ...rest] = address.split("?");
  const search = rest.join("?");
  const parts = path.split("/").filter((part) => part !== "").map(decode);
  const query = new URLSearchParams(search);
  const asked = (name: string): string => query.get(name) ?? "";
  const [root, app, kind, name] = parts;
  if (root === undefined) return { page: "home", ...(asked("of") && { of: asked("of") }), ...(asked("minutes") && { minutes: asked("minutes") }) };
  if (root === "deploy" && app === undefined) return { page: "deploy", into: asked("into") };
  if (root === "hosts" && app === undefined) return { page: "hosts" };
  if (root === "topics" && kind === undefined) return app === undefined ? { page: "topics" } : { page: "topic", name: app, ...(asked("newest") === "true" && { newest: true }) };
  if (root === "settings" && kind === undefined && (app === undefined || app === "keys" || app === "audit" || app === "members" || app === "quotas" || app === "account")) {
    return { page: "settings", part: app ?? "keys", tenant: asked("tenant"), operation: asked("operation"), application: asked("application"), before: asked("before") };
  }
  if (root !== "applications" || parts.length > 4) return { page: "unknown", address };
  if (app === undefined) return { page: "home" };
  if (kind === undefined) return { page: "application", app };
  if (kind === "logs" && name === undefined) return { page: "logs", app, grain: asked("grain"), level: asked("level"), text: asked("text"), hide: asked("hide"), execution: asked("execution") };
  if (kind === "processes") {
    if (name === undefined) return { page: "processes", app, status: asked("status"), after: asked("after") };
    const [key, after, message, from] = [asked("key"), asked("after"), asked("message"), asked("from")];
    return { page: "process", app, id: name, ...(key && { key }), ...(after && { after }), ...(message && { message }), ...(from && { from }) };
  }
  if (kind === "versions") {
    return name === undefined ? { page: "versions", app, from: asked("from"), to: asked("to") } : { page: "files", app, version: name, path: asked("path") };
  }
  if (kind === "data" && name === undefined) return { page: "data", app, prefix: asked("prefix"), after: asked("after"), key: asked("key") };
  if (kind === "triggers" && name === undefined) return { page: "triggers", app };
  if (kind === "queues") return name === undefined ? { page: "bus", app } : { page: "queue", app, name, after: asked("after") };
  if (kind === "local-queues" && name !== undefined) return { page: "localQueue", app, name };
  if (kind === "executions" && name === undefined) {
    return { page: "executions", app, status: asked("status"), target: asked("target"), before: asked("before") };
  }
  if (kind === "executions" && name !== undefined) return { page: "execution", app, id: name };
  if (kind === "workflows" && name !== undefined) return { page: "workflow", app, name, ...(asked("input") && { input: asked("input") }) };
  if (kind === "grains" && name !== undefined) {
    const [path, line, version, failed, input] = [asked("path"), asked("line"), asked("version"), asked("failed"), asked("input")];
    return { page: "grain", app, name, ...(path && { path }), ...(line && { line }), ...(version && { version }), ...(failed && { failed }), ...(input && { input }) };
  }
  return { page: "unknown", address };
}

export function formatRoute(route: Route): string {
  switch (route.page) {
    case "home":
      return `#/${queryOf({ of: route.of ?? "", minutes: route.minutes ?? "" })}`;
    case "application":
      return at(route.app);
    case "workflow":
      return at(route.app, "workflows", route.name) + queryOf({ input: route.input ?? "" });
    case "grain":
      return at(route.app, "grains", route.name) + queryOf({ path: route.path ?? "", line: route.line ?? "", version: route.version ?? "", failed: route.failed ?? "", input: route.input ?? "" });
    case "execution":
      return at(route.app, "executions", route.id);
    case "executions":
      return at(route.app, "executions") + queryOf({ status: route.status, target: route.target, before: route.before });
    case "deploy":
      return `#/deploy${queryOf({ into: route.into })}`;
    case "hosts":
      return "#/hosts";
    case "topics":
      return "#/topics";
    case "topic":
      return `#/topics/${encodeURIComponent(route.name)}${queryOf({ newest: route.newest ? "true" : "" })}`;
    case "settings":
      return `#/settings/${route.part}${queryOf({ tenant: route.tenant, operation: route.operation, application: route.application, before: route.before })}`;
    case "processes":
      return at(route.app, "processes") + queryOf({ status: route.status, after: route.after });
    case "process":
      return at(route.app, "processes", route.id) + queryOf({ key: route.key ?? "", after: route.after ?? "", message: route.message ?? "", from: route.from ?? "" });
    case "versions":
      return at(route.app, "versions") + queryOf({ from: route.from, to: route.to });
    case "files":
      return at(route.app, "versions", route.version) + queryOf({ path: route.path });
    case "data":
      return at(route.app, "data") + queryOf({ prefix: route.prefix, after: route.after, key: route.key });
    case "triggers":
      return at(route.app, "triggers");
    case "bus":
      return at(route.app, "queues");
    case "queue":
      return at(route.app, "queues", route.name) + queryOf({ after: route.after });
    case "localQueue":
      return at(route.app, "local-queues", route.name);
    case "logs":
      return at(route.app, "logs") + queryOf({ grain: route.grain, level: route.level, text: route.text, hide: route.hide, execution: route.execution });
    case "unknown":
      return `#/${route.address}`;
  }
}

function at(...parts: readonly string[]): string {
  return `#/applications/${parts.map(encodeURIComponent).join("/")}`;
}

function queryOf(values: Readonly<Record<string, string>>): string {
  const query = new URLSearchParams(Object.entries(values).filter(([, value]) => value !== ""));
  return query.size === 0 ? "" : `?${query}`;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
