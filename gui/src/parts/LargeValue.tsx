// A value that is too long to be fetched unasked: fetched when somebody wants to see it, with its progress, and read in a worker, so that
// the page goes on meanwhile. JSON is a tree, other text comes page by page, and what is no text is left to be downloaded.
import { useEffect, useRef, useState } from "react";
import { MOST_SHOWN, RemoteReader, fetchBytes } from "../api/largeValue";
import type { Row } from "../model/foldedJson";
import { bytes, visible } from "../model/show";
import type { Look } from "../model/valueReader";
import { Trouble } from "./bits";
import { Button } from "./Button";
import { Tree, useOpen } from "./Tree";

interface Props {
  /** Of the value, as it is. */
  readonly url: string;
  /** In bytes. */
  readonly size: number;
  readonly isJson: boolean;
  readonly label: string;
}

type Stage =
  | { readonly at: "asked-for" }
  | { readonly at: "coming"; readonly there: number }
  | { readonly at: "read" }
  | { readonly at: "shown"; readonly reader: RemoteReader; readonly look: Look }
  | { readonly at: "failed"; readonly error: unknown };

export function LargeValue({ url, size, isJson, label }: Props) {
  const [stage, setStage] = useState<Stage>({ at: "asked-for" });
  const running = useRef<(() => void) | null>(null);
  useEffect(() => () => running.current?.(), []);

  function begin(): void {
    const own = new AbortController();
    const reader = new RemoteReader();
    running.current = () => {
      own.abort();
      reader.end();
    };
    const set = (next: Stage): void => {
      if (!own.signal.aborted) setStage(next);
    };
    set({ at: "coming", there: 0 });
    fetchBytes(url, size, (there) => set({ at: "coming", there }), own.signal)
      .then((found) => {
        set({ at: "read" });
        return reader.look(found);
      })
      .then((look) => set({ at: "shown", reader, look }))
      .catch((error: unknown) => {
        reader.end();
        set({ at: "failed", error });
      });
  }

  function cancel(): void {
    running.current?.();
    setStage({ at: "asked-for" });
  }

  if (size > MOST_SHOWN) return <p className="quiet">{`Values of up to ${bytes(MOST_SHOWN)} are shown here.`}</p>;
  if (stage.at === "shown") return <Shown reader={stage.reader} look={stage.look} label={label} />;
  return (
    <div className="actions">
      {stage.at === "failed" && <Trouble error={stage.error} />}
      {stage.at === "asked-for" || stage.at === "failed" ? (
        <button type="button" onClick={begin}>
          {isJson ? "Show it as a tree" : "Show it"}
        </button>
      ) : (
        <>
          <Progress there={stage.at === "coming" ? stage.there : null} size={size} label={label} />
          <button type="button" onClick={cancel}>
            Cancel
          </button>
        </>
      )}
    </div>
  );
}

/** @param there null: all of it is, and is being read */
function Progress({ there, size, label }: { readonly there: number | null; readonly size: number; readonly label: string }) {
  return (
    <>
      <progress max={Math.max(size, 1)} {...(there !== null && { value: Math.min(there, size) })} aria-label={`Progress of ${label}`} />
      <span role="status" className="quiet">
        {there === null ? "being read…" : `${bytes(there)} of ${bytes(size)}`}
      </span>
    </>
  );
}

function Shown({ reader, look, label }: { readonly reader: RemoteReader; readonly look: Look; readonly label: string }) {
  const [isTree, setTree] = useState(true);
  if (look.kind === "bytes") return <p>It is no text.</p>;
  return (
    <div className="value">
      {look.kind === "json" && isTree ? <RemoteTree reader={reader} label={label} /> : <Pages reader={reader} pages={look.pages} label={label} />}
      {look.kind === "json" && (
        <span className="tools">
          <button type="button" className="small" aria-pressed={!isTree} onClick={() => setTree(!isTree)}>
            as text
          </button>
        </span>
      )}
    </div>
  );
}

function RemoteTree({ reader, label }: { readonly reader: RemoteReader; readonly label: string }) {
  const [open, onToggle] = useOpen();
  const [rows, setRows] = useState<readonly Row[] | null>(null);
  const [error, setError] = useState<unknown>(null);
  useEffect(() => {
    let isWanted = true;
    reader.rows(open).then((found) => isWanted && setRows(found), (fault: unknown) => isWanted && setError(fault));
    return () => {
      isWanted = false;
    };
  }, [reader, open]);
  if (error !== null) return <Trouble error={error} />;
  return rows === null ? <p role="status">Loading…</p> : <Tree rows={rows} label={label} onToggle={onToggle} />;
}

function Pages({ reader, pages, label }: { readonly reader: RemoteReader; readonly pages: number; readonly label: string }) {
  const [page, setPage] = useState(0);
  const [text, setText] = useState("");
  const [error, setError] = useState<unknown>(null);
  useEffect(() => {
    let isWanted = true;
    reader.page(page).then((found) => isWanted && setText(found), (fault: unknown) => isWanted && setError(fault));
    return () => {
      isWanted = false;
    };
  }, [reader, page]);
  if (error !== null) return <Trouble error={error} />;
  return (
    <>
      <pre tabIndex={0} aria-label={label}>
        {visible(text)}
      </pre>
      {pages > 1 && (
        <div className="pages" role="group" aria-label={`Pages of ${label}`}>
          <Button scope={null} type="button" className="small" disabled={page === 0} onClick={() => setPage(page - 1)}>
            Before
          </Button>
          <span role="status">{`Page ${(page + 1).toLocaleString("en")} of ${pages.toLocaleString("en")}`}</span>
          <Button scope={null} type="button" className="small" disabled={page === pages - 1} onClick={() => setPage(page + 1)}>
            Next
          </Button>
        </div>
      )}
    </>
  );
}
