// A long value that is looked at piece by piece: JSON as a tree whose rows are made as they are opened, other text page by page.
// Knows no page and no thread: a worker has it, so that a value of any length holds up neither.
import { FoldedJson, type Row, isFolded } from "./foldedJson";

/** What it turned out to be. */
export type Look = { readonly kind: "json" | "text"; readonly pages: number } | { readonly kind: "bytes" };

/** Of text, so much is on the page at once. */
export const PAGE_CHARACTERS = 64 * 1024;

export class ValueReader {
  readonly look: Look;
  private readonly text: string;
  private readonly json: FoldedJson | null;

  constructor(bytes: Uint8Array) {
    const text = decoded(bytes);
    this.text = text ?? "";
    this.json = text !== null && isFolded(text) ? new FoldedJson(text) : null;
    this.look = text === null ? { kind: "bytes" } : { kind: this.json ? "json" : "text", pages: Math.max(1, Math.ceil(text.length / PAGE_CHARACTERS)) };
  }

  /** @param open ids of rows that are opened */
  rows(open: ReadonlySet<string>): readonly Row[] {
    return this.json?.rows(open) ?? [];
  }

  /** @param number from 0 */
  page(number: number): string {
    return this.text.slice(this.boundary(number * PAGE_CHARACTERS), this.boundary((number + 1) * PAGE_CHARACTERS));
  }

  /** No page begins in the middle of a character. */
  private boundary(at: number): number {
    const code = this.text.charCodeAt(at);
    return at > 0 && code >= 0xdc00 && code <= 0xdfff ? at + 1 : at;
  }
}

function decoded(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** What a page asks of the worker, and is answered under the same number. */
export type Asked = { readonly number: number } & ({ readonly bytes: ArrayBuffer } | { readonly open: readonly string[] } | { readonly page: number });
export type Told = { readonly number: number } & ({ readonly look: Look } | { readonly rows: readonly Row[] } | { readonly text: string } | { readonly fault: string });

/** @param reader null: the bytes are the first that is asked. @return it, and the answer */
export function answer(reader: ValueReader | null, asked: Asked): readonly [ValueReader | null, Told] {
  const { number } = asked;
  try {
    if ("bytes" in asked) {
      const made = new ValueReader(new Uint8Array(asked.bytes));
      return [made, { number, look: made.look }];
    }
    if (!reader) return [null, { number, fault: "There is no value yet." }];
    return [reader, "open" in asked ? { number, rows: reader.rows(new Set(asked.open)) } : { number, text: reader.page(asked.page) }];
  } catch (fault) {
    return [reader, { number, fault: fault instanceof Error ? fault.message : String(fault) }];
  }
}
