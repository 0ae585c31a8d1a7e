// Bytes that come in pieces, put together in one stretch of memory.
import { bytes } from "./show";

/** As a reader of a body's stream has it. */
export interface Pieces {
  read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
  cancel(): Promise<unknown>;
}

/** @param size as it was said; it may be another by now. @param onCome bytes that are there. @throws Error over `most` bytes */
export async function filled(pieces: Pieces, size: number, most: number, onCome: (there: number) => void): Promise<ArrayBuffer> {
  let memory = new Uint8Array(Math.min(Math.max(size, 1), most));
  let there = 0;
  for (let piece = await pieces.read(); !piece.done; piece = await pieces.read()) {
    const value = piece.value ?? new Uint8Array(0);
    const wanted = there + value.length;
    if (wanted > most) {
      await pieces.cancel();
      throw new Error(`It has more than ${bytes(most)}, which is the most that is shown here.`);
    }
    if (wanted > memory.length) {
      const larger = new Uint8Array(Math.min(most, Math.max(wanted, 2 * memory.length)));
      larger.set(memory.subarray(0, there));
      memory = larger;
    }
    memory.set(value, there);
    there = wanted;
    onCome(there);
  }
  return there === memory.length ? memory.buffer : memory.buffer.slice(0, there);
}
