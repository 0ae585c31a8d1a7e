// What somebody drops becomes an application's files: a folder with sand.yaml as it is, single .py and .asl.json files in the place
// that they have in one. Names are looked at here as the platform looks at them (docs/LIMITS.md), so that what is refused is said
// at once.
import type { Content } from "./content";
import { bytes } from "./show";

export interface Dropped {
  /** With slashes; the dropped folder's name is its first part. */
  readonly path: string;
  readonly size: number;
}

export interface Taken<T> {
  readonly files: readonly { readonly path: string; readonly file: T }[];
  /** Paths that are not part of an application. */
  readonly left: readonly string[];
  readonly fault: string | null;
}

export const MOST_FILES = 20_000;
/** As much as the platform takes as an archive; what is zipped is held in memory. */
export const MOST_BYTES = 256 * 1024 * 1024;

/** As everywhere (event/vectors/bundle): the platform takes none of it. */
export const ALWAYS_LEFT = ["*.pyc", ".DS_Store", ".dependencies", ".git", ".hg", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".sand", ".sandignore", ".svn", ".venv", "__MACOSX", "__pycache__", "node_modules"];

const isAlwaysLeft = ALWAYS_LEFT.map(matcher);

/** Whether a file or folder of that name is left out of every application, wherever it is. */
export function isLeftOut(name: string): boolean {
  return isAlwaysLeft.some((matches) => matches(name));
}

/** A folder's files, from where its sand.yaml is. @param ignore text of its .sandignore, or "" */
export function takeFolder<T extends Dropped>(dropped: readonly T[], ignore: string): Taken<T> {
  const root = rootOf(dropped.map((one) => one.path));
  if (root === null) return { files: [], left: [], fault: noApplication(dropped.map((one) => one.path)) };
  const patterns = [...ALWAYS_LEFT, ...ignore.split("\n").map((line) => line.trim()).filter((line) => line !== "" && !line.startsWith("#"))].map(matcher);
  const files: { path: string; file: T }[] = [];
  const left: string[] = [];
  let total = 0;
  for (const file of dropped) {
    const path = file.path.slice(root.length);
    if (!file.path.startsWith(root) || patterns.some((matches) => matches(path))) {
      left.push(file.path);
      continue;
    }
    const fault = pathFault(path);
    if (fault !== null) return { files: [], left, fault: `${JSON.stringify(path)} ${fault}.` };
    total += file.size;
    files.push({ path, file });
  }
  files.sort((a, b) => (a.path < b.path ? -1 : 1));
  if (files.length > MOST_FILES) return { files: [], left, fault: `It has ${files.length} files; ${MOST_FILES} are taken.` };
  if (total > MOST_BYTES) return { files: [], left, fault: "It is larger than 256 MiB." };
  return { files, left, fault: null };
}

/** Of files without a sand.yaml: which of them fits nowhere. */
function noApplication(paths: readonly string[]): string {
  const odd = paths.find((path) => !path.includes("/") && placeOf(path) === null);
  if (odd === undefined) return "There is no sand.yaml in it: is it an application's folder?";
  const name = JSON.stringify(odd);
  if (isZip(odd)) return `${name} is taken alone: a zip is a whole application.`;
  if (/(\.asl\.json|\.py)$/.test(odd)) return `${name} makes no name of a grain or workflow, which begins with a letter.`;
  return `${name} is no grain (.py), no workflow (.asl.json) and no zip, and there is no sand.yaml beside it.`;
}

export function isZip(path: string): boolean {
  return path.toLowerCase().endsWith(".zip");
}

/** Why a zip is not sent, or null. */
export function zipFault({ path, size }: Dropped): string | null {
  return size > MOST_BYTES ? `${JSON.stringify(path)} has ${bytes(size)}; 256 MiB are taken.` : null;
}

/** The shortest way to a sand.yaml, with a slash behind; null: there is none. */
export function rootOf(paths: readonly string[]): string | null {
  const roots = paths.filter((path) => path === "sand.yaml" || path.endsWith("/sand.yaml")).map((path) => path.slice(0, -"sand.yaml".length));
  return roots.sort((a, b) => a.split("/").length - b.split("/").length)[0] ?? null;
}

/** Why the platform takes no such path, or null. */
export function pathFault(path: string): string | null {
  const parts = path.split("/");
  if (path.startsWith("/") || /^[A-Za-z]:/.test(path)) return "is an absolute path";
  if (path.includes("\\")) return "has a backslash";
  if (/[\u0000-\u001f\u007f\ufffd]/.test(path)) return "has a control character";
  if (parts.includes("..")) return "leaves the folder";
  if (parts.some((part) => part === "" || part === ".")) return "has an empty part";
  if (parts.some((part) => part.trim() !== part)) return "has a part that begins or ends with a space";
  if (parts.length > 32 || new TextEncoder().encode(path).length > 1024) return "is too long";
  return null;
}

/** As of the command's .sandignore: a name matches anywhere, a pattern with a slash from the folder on. */
function matcher(pattern: string): (path: string) => boolean {
  const isAnchored = pattern.replace(/\/$/, "").includes("/");
  const wanted = pattern.replace(/^\/|\/$/g, "");
  const expression = new RegExp(`^${wanted.replace(/[.+^${}()|\\]/g, "\\$&").replace(/\*/g, ".*").replace(/\?/g, ".").replace(/\[!/g, "[^")}$`, "s");
  return (path) => {
    const parts = path.split("/");
    return parts.some((part, i) => expression.test(isAnchored ? parts.slice(0, i + 1).join("/") : part));
  };
}

export const NAME = /^[A-Za-z][A-Za-z0-9_-]{0,62}$/;
export const APPLICATION = /^(?=.{1,63}$)[a-z](-?[a-z0-9])*-?$/;

/** Where a single file stands in an application; null: it is neither a grain nor a workflow. */
export function placeOf(fileName: string): string | null {
  const [, stem, kind] = /^(.*?)(\.asl\.json|\.py)$/.exec(fileName) ?? [];
  if (stem === undefined) return null;
  const name = stem.replace(/[^A-Za-z0-9_-]/g, "-").replace(/^[^A-Za-z]+/, "").slice(0, 63);
  if (!NAME.test(name)) return null;
  return kind === ".py" ? `grains/${name}/handler.py` : `workflows/${name}.asl.json`;
}

/** The files of a new application: those dropped, and a sand.yaml that says its name. */
export function newApplication(name: string, files: Readonly<Record<string, Content>>): Record<string, Content> {
  return { "sand.yaml": `name: ${name}\n`, ...files };
}
