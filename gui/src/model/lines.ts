// Ends of lines: a page and its editor hold "\n" alone, so that offsets are the same in both; a file gets its own back.

export function withLf(text: string): string {
  return text.replace(/\r\n?/g, "\n");
}

/** Most of its lines end so. */
export function hasCrlf(text: string): boolean {
  const both = text.split("\r\n").length - 1;
  return both > text.split("\n").length - 1 - both;
}

export function withCrlf(text: string): string {
  return text.replaceAll("\n", "\r\n");
}
