// Deployments from the page: what would change, and the build as it goes.
import { queryOptions } from "@tanstack/react-query";
import { type Content, bytesOf } from "../model/content";
import { type Problem, Refusal, type Schemas, address, refused } from "./client";
import { askForKey, shownKey } from "./key";
import type { ToZip, Zipped } from "./zip.worker";

export type Preview = Schemas["Preview"];
export type Deployed = Schemas["Deployed"];

/** A whole application; or some files of the version that the alias names. */
export type Upload =
  | { readonly kind: "zip"; readonly zip: Blob }
  | { readonly kind: "edits"; readonly app: string; readonly base: number; readonly files: Readonly<Record<string, Content | null>> };

const numbers = new WeakMap<Upload, number>();
let count = 0;

/** Which one it is: what is in a file does not show in a key of the cache. */
export function numberOf(upload: Upload): number {
  const number = numbers.get(upload) ?? ++count;
  numbers.set(upload, number);
  return number;
}

export function uploadAddress(upload: Upload, alias: string, dryRun: boolean): string {
  const query = new URLSearchParams({ ...(alias !== "live" && { alias }), ...(dryRun && { dryRun: "true" }) });
  const path = upload.kind === "zip" ? "api/v1/applications" : `api/v1/applications/${encodeURIComponent(upload.app)}/edits`;
  return address(path + (query.size === 0 ? "" : `?${query}`));
}

export function editsBody(upload: Extract<Upload, { kind: "edits" }>): string {
  return JSON.stringify({ base: upload.base, files: upload.files });
}

async function send(upload: Upload, alias: string, dryRun: boolean, accept: string, signal?: AbortSignal): Promise<Response> {
  const body = upload.kind === "zip" ? upload.zip : editsBody(upload);
  const type = upload.kind === "zip" ? "application/zip" : "application/json";
  const key = shownKey();
  const response = await fetch(uploadAddress(upload, alias, dryRun), { method: "POST", body, headers: { ...key, "Content-Type": type, Accept: accept }, ...(signal && { signal }) });
  if (response.status === 401) askForKey(key);
  if (!response.ok) throw await refused(response.status, (await response.json().catch(() => null)) as Problem | null);
  return response;
}

export async function preview(upload: Upload, alias: string, signal: AbortSignal): Promise<Preview> {
  return (await (await send(upload, alias, true, "application/json", signal)).json()) as Preview;
}

/** What the platform says to edits, without a build; what it refuses is the error. */
export const check = (edits: Extract<Upload, { kind: "edits" }>) =>
  queryOptions({
    queryKey: ["check", edits.app, edits.base, edits.files],
    queryFn: ({ signal }) => preview(edits, "live", signal),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });

interface Told {
  readonly event: "progress" | "deployed" | "problem";
  readonly data: unknown;
}

/** @param onProgress is told each line of the build */
export async function deploy(upload: Upload, alias: string, onProgress: (line: string) => void): Promise<Deployed> {
  const response = await send(upload, alias, false, "application/x-ndjson");
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (let read = await reader?.read(); read && !read.done; read = await reader?.read()) {
    const lines = (rest + read.value).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      if (line === "") continue;
      const told = JSON.parse(line) as Told;
      if (told.event === "progress") onProgress((told.data as { readonly message: string }).message);
      if (told.event === "deployed") return told.data as Deployed;
      if (told.event === "problem") throw new Refusal((told.data as Problem).status, told.data as Problem);
    }
  }
  throw new Error("The connection ended before the deployment did. It may go on: look at the application's versions.");
}

export function zipped(files: ToZip["files"]): Promise<Blob> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL("./zip.worker.ts", import.meta.url), { type: "module" });
    worker.onmessage = ({ data }: MessageEvent<Zipped>) => {
      worker.terminate();
      if ("zip" in data) resolve(data.zip);
      else reject(new Error(data.fault));
    };
    worker.onerror = (event) => {
      worker.terminate();
      reject(new Error(event.message || "The files cannot be zipped."));
    };
    worker.postMessage({ files } satisfies ToZip);
  });
}

export function zippedContents(files: Readonly<Record<string, Content>>): Promise<Blob> {
  return zipped(Object.entries(files).map(([path, content]) => ({ path, file: new Blob([bytesOf(content)]) })));
}
