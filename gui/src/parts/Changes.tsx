// Files that differ, each with its lines that go and come.
import type { Schemas } from "../api/client";
import { countOf, differences } from "../model/differences";
import { bytes, visible, visibleName } from "../model/show";
import { Empty } from "./Table";

type File = Schemas["Preview"]["files"][number];

/** Files that are shown open at first. */
const MOST_OPEN = 5;
const MOST_SHOWN = 500;

export function Changes({ files }: { readonly files: readonly File[] }) {
  if (files.length === 0) {
    return (
      <Empty>
        <p>No file differs.</p>
      </Empty>
    );
  }
  return (
    <>
      {files.slice(0, MOST_SHOWN).map((file, i) => (
        <Change key={file.path} file={file} isOpen={i < MOST_OPEN && file.change === "changed"} />
      ))}
      {files.length > MOST_SHOWN && <p>{files.length - MOST_SHOWN} more files differ.</p>}
    </>
  );
}

function Change({ file, isOpen }: { readonly file: File; readonly isOpen: boolean }) {
  const lines = file.before === undefined || file.after === undefined ? null : differences(file.before, file.after);
  return (
    <details className="change" open={isOpen}>
      <summary>
        <span className={`mark ${file.change}`}>{file.change}</span> <code>{visibleName(file.path)}</code>
        <span className="quiet"> {lines ? `+${countOf(lines, "added")} −${countOf(lines, "removed")}` : sizes(file)}</span>
      </summary>
      {lines ? (
        <pre tabIndex={0} aria-label={`Differences of ${file.path}`}>
          {lines.map((line, i) => (
            // Lines have no other name than their place.
            <span key={i} className={line.kind}>
              {{ same: "  ", removed: "− ", added: "+ ", gap: "⋯ " }[line.kind]}
              {visible(line.text)}
              {"\n"}
            </span>
          ))}
        </pre>
      ) : (
        <p className="quiet">It is no text in UTF-8, or too long to be shown here.</p>
      )}
    </details>
  );
}

function sizes({ size, sizeBefore }: File): string {
  if (size === null || size === undefined) return bytes(sizeBefore ?? 0);
  return sizeBefore === null || sizeBefore === undefined ? bytes(size) : `${bytes(sizeBefore)} → ${bytes(size)}`;
}
