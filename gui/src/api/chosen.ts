// What was dropped or chosen, as something that can be deployed.
import { isZip, placeOf, rootOf, takeFolder, zipFault } from "../model/bundle";
import { type Content, contentOf } from "../model/content";
import { bytes, many } from "../model/show";
import { zipped } from "./deploy";
import type { DroppedFile } from "./dropped";

export type Chosen =
  | { readonly kind: "zip"; readonly zip: Blob; readonly told: string; readonly left: readonly string[] }
  /** Single files, which belong into some application. */
  | { readonly kind: "files"; readonly files: Readonly<Record<string, Content>>; readonly told: string };

/** @throws Error that says what is wrong with it */
export async function chosenOf(dropped: readonly DroppedFile[]): Promise<Chosen> {
  const [first] = dropped;
  if (!first) throw new Error("Nothing was chosen.");
  if (dropped.length === 1 && isZip(first.path)) {
    const fault = zipFault(first);
    if (fault !== null) throw new Error(fault);
    return { kind: "zip", zip: first.file, told: `${first.path}, ${bytes(first.size)}`, left: [] };
  }
  if (dropped.every((one) => placeOf(one.file.name) !== null && !one.path.includes("/"))) return files(dropped);
  const root = rootOf(dropped.map((one) => one.path));
  const ignore = root === null ? undefined : dropped.find((one) => one.path === `${root}.sandignore`);
  const taken = takeFolder(dropped, ignore ? await ignore.file.text() : "");
  if (taken.fault !== null) throw new Error(taken.fault);
  const zip = await zipped(taken.files.map(({ path, file }) => ({ path, file: file.file })));
  const size = taken.files.reduce((sum, one) => sum + one.file.size, 0);
  return { kind: "zip", zip, told: `${root || "the folder"}: ${many(taken.files.length, "file")}, ${bytes(size)}`, left: taken.left };
}

async function files(dropped: readonly DroppedFile[]): Promise<Chosen> {
  const read = await Promise.all(dropped.map(async (one) => [placeOf(one.file.name) ?? "", contentOf(new Uint8Array(await one.file.arrayBuffer()))] as const));
  return { kind: "files", files: Object.fromEntries(read), told: read.map(([path]) => path).join(", ") };
}
