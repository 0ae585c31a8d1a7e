// A request as the sand command. It finds the platform of this machine by itself; any other it is told.
import { quoted } from "./curl";

const LOCAL = "http://127.0.0.1:7263/";

/** What a page asks for as options: those that are "" are not said. */
export function options(said: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(said).flatMap(([name, value]) => (value === "" ? [] : [`--${name}`, value]));
}

/** The last words of a command: none of them is an option, however it begins. What an option is given may begin as it likes. */
export function operands(...words: readonly string[]): readonly string[] {
  return words.some((word) => word.startsWith("-")) ? ["--", ...words] : words;
}

/** @param server with a slash at its end */
export function asCommand(server: string, words: readonly string[]): string {
  const at = server === LOCAL ? [] : ["--server", server.replace(/\/$/, "")];
  return ["./sand", ...[...at, ...words].map(quoted)].join(" ");
}
