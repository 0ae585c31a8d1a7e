// Files that somebody drops or chooses, folders with all that is in them.
import { MOST_FILES, isLeftOut } from "../model/bundle";

export interface DroppedFile {
  readonly path: string;
  readonly size: number;
  readonly file: File;
}

export async function filesOfDrop(transfer: DataTransfer): Promise<readonly DroppedFile[]> {
  // The list is emptied as soon as the event is over.
  const items = [...transfer.items].map((item) => item.webkitGetAsEntry() ?? item.getAsFile());
  const found: DroppedFile[] = [];
  for (const item of items) {
    if (item instanceof File) found.push({ path: item.name, size: item.size, file: item });
    else if (item) await collect(item, found);
  }
  return found;
}

export function filesOfInput(files: FileList): readonly DroppedFile[] {
  return [...files].map((file) => ({ path: file.webkitRelativePath || file.name, size: file.size, file }));
}

async function collect(entry: FileSystemEntry, found: DroppedFile[]): Promise<void> {
  if (isLeftOut(entry.name)) return;
  if (found.length >= MOST_FILES) throw new Error(`There are more than ${MOST_FILES} files in it.`);
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject));
    found.push({ path: entry.fullPath.replace(/^\//, ""), size: file.size, file });
    return;
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  // A reader gives a folder's entries by the hundred.
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) return;
    for (const one of some) await collect(one, found);
  }
}
