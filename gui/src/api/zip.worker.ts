// Zips an application's files, off the page's thread. One fixed time: the same files are the same zip.
import { zipSync } from "fflate";

export interface ToZip {
  readonly files: readonly { readonly path: string; readonly file: Blob }[];
}

export type Zipped = { readonly zip: Blob } | { readonly fault: string };

const TIME = new Date(1990, 0, 1);

async function zip({ files }: ToZip): Promise<Zipped> {
  try {
    const read = await Promise.all(files.map(async ({ path, file }) => [path, new Uint8Array(await file.arrayBuffer())] as const));
    const zipped = zipSync(Object.fromEntries(read), { level: 6, mtime: TIME });
    return { zip: new Blob([zipped as BlobPart], { type: "application/zip" }) };
  } catch (fault) {
    return { fault: fault instanceof Error ? fault.message : String(fault) };
  }
}

self.onmessage = (event: MessageEvent<ToZip>) => void zip(event.data).then((zipped) => self.postMessage(zipped));
