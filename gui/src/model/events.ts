// The text of an event stream, as it comes: whole events out of pieces of text.

export interface ServerEvent {
  readonly name: string;
  readonly data: string;
}

/** Fed in pieces; remembers the last id, behind which a stream that is opened anew goes on. */
export class EventText {
  lastId = "";
  private rest = "";
  private name = "";
  private data: string[] = [];

  /** What was cut off in the middle of an event is forgotten. */
  restart(): void {
    this.rest = "";
    this.name = "";
    this.data = [];
  }

  feed(piece: string): ServerEvent[] {
    const found: ServerEvent[] = [];
    const lines = (this.rest + piece).split("\n");
    this.rest = lines.pop() ?? "";
    for (const line of lines) this.line(line.replace(/\r$/, ""), found);
    return found;
  }

  private line(line: string, found: ServerEvent[]): void {
    if (line === "") {
      if (this.data.length > 0) found.push({ name: this.name || "message", data: this.data.join("\n") });
      this.name = "";
      this.data = [];
      return;
    }
    // A line that begins with the colon keeps the connection alive.
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "event") this.name = value;
    else if (field === "data") this.data.push(value);
    else if (field === "id") this.lastId = value;
  }
}
