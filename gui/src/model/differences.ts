// Two texts as lines that stay, go and come. Long stretches that stay are left out around what changes.

export interface Line {
  readonly kind: "same" | "removed" | "added" | "gap";
  readonly text: string;
}

const AROUND = 3;
/** Beyond so many comparisons the differing middle is shown as removed and added whole. */
const MOST_CELLS = 4_000_000;

export function differences(before: string, after: string): readonly Line[] {
  const a = linesOf(before);
  const b = linesOf(after);
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++;
  const same = (lines: readonly string[]): Line[] => lines.map((text) => ({ kind: "same", text }));
  return folded([
    ...same(a.slice(0, head)),
    ...middle(a.slice(head, a.length - tail), b.slice(head, b.length - tail)),
    ...same(a.slice(a.length - tail)),
  ]);
}

export function countOf(lines: readonly Line[], kind: Line["kind"]): number {
  return lines.filter((line) => line.kind === kind).length;
}

function linesOf(text: string): readonly string[] {
  if (text === "") return [];
  return (text.endsWith("\n") ? text.slice(0, -1) : text).split("\n");
}

/** By the longest common subsequence. */
function middle(a: readonly string[], b: readonly string[]): readonly Line[] {
  const gone = (text: string): Line => ({ kind: "removed", text });
  const come = (text: string): Line => ({ kind: "added", text });
  if (a.length * b.length > MOST_CELLS) return [...a.map(gone), ...b.map(come)];
  const width = b.length + 1;
  const longest = new Uint32Array((a.length + 1) * width);
  const at = (i: number, j: number): number => longest[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      longest[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const lines: Line[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    const left = a[i];
    const right = b[j];
    if (left !== undefined && left === right) {
      lines.push({ kind: "same", text: left });
      i++;
      j++;
    } else if (left !== undefined && (right === undefined || at(i + 1, j) >= at(i, j + 1))) {
      lines.push(gone(left));
      i++;
    } else {
      lines.push(come(right ?? ""));
      j++;
    }
  }
  return lines;
}

function folded(lines: readonly Line[]): readonly Line[] {
  const isNear = lines.map(() => false);
  lines.forEach((line, i) => {
    if (line.kind !== "same") for (let k = Math.max(0, i - AROUND); k <= Math.min(lines.length - 1, i + AROUND); k++) isNear[k] = true;
  });
  const shown: Line[] = [];
  let skipped = 0;
  const close = (): void => {
    if (skipped > 0) shown.push({ kind: "gap", text: `${skipped} unchanged` });
    skipped = 0;
  };
  lines.forEach((line, i) => {
    if (!isNear[i]) {
      skipped += 1;
      return;
    }
    close();
    shown.push(line);
  });
  close();
  return shown;
}
