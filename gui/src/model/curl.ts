// A request as a command line for a POSIX shell.

export interface Shown {
  readonly method?: string;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** As JSON. */
  readonly body?: string;
  /** One that is sent instead. */
  readonly file?: string;
  /** The platform wants a key, which the shell has in SAND_KEY. */
  readonly isKeyed?: boolean;
}

export function asCurl(request: Shown): string {
  const method = request.method ?? "GET";
  const words = ["curl", "-s"];
  // Else curl would read ranges and lists out of them.
  if (/[[\]{}]/.test(request.url)) words.push("-g");
  if (method !== "GET" && !(method === "POST" && request.body !== undefined)) words.push("-X", method);
  for (const [name, value] of Object.entries(request.headers ?? {})) words.push("-H", quoted(`${name}: ${value}`));
  if (request.isKeyed) words.push("-H", '"Authorization: Bearer $SAND_KEY"');
  if (request.file !== undefined) words.push("--data-binary", quoted(`@${request.file}`));
  else if (request.body?.startsWith("@")) words.push("-H", quoted("Content-Type: application/json"), "--data-raw", quoted(request.body));
  else if (request.body !== undefined) words.push("--json", quoted(request.body));
  words.push(quoted(request.url));
  return words.join(" ");
}

/** As one word: nothing in single quotes has a meaning of its own. Some shells give one to a word's first character too. */
export function quoted(text: string): string {
  return /^[A-Za-z0-9_./-][A-Za-z0-9_./:=@%+,-]*$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
