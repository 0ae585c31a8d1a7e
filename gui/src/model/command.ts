// A request as the sand command. It finds the platform of this machine by itself; any other it is told.
import { quoted } from "./curl";

const LOCAL = "http://127.0.0.1:7263/";

/** @param server with a slash at its end */
export function asCommand(server: string, words: readonly string[]): string {
  const at = server === LOCAL ? [] : ["--server", server.replace(/\/$/, "")];
  return ["./sand", ...[...at, ...words].map(quoted)].join(" ");
}
