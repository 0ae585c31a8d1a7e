// A request as a command line for a POSIX shell.

export interface Shown {
  readonly method?: string;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export function asCurl(request: Shown): string {
  const method = request.method ?? "GET";
  const words = ["curl", "-s"];
  if (method !== "GET" && !(method === "POST" && request.body !== undefined)) words.push("-X", method);
  for (const [name, value] of Object.entries(request.headers ?? {})) words.push("-H", quoted(`${name}: ${value}`));
  if (request.body !== undefined) words.push("--json", quoted(request.body));
  words.push(quoted(request.url));
  return words.join(" ");
}

/** As one word: nothing in single quotes has a meaning of its own. */
export function quoted(text: string): string {
  return /^[A-Za-z0-9_./:=@%+,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
