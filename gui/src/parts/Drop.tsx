// Where an application is dropped; by keyboard, two buttons that open the browser's own choosers.
import { type ReactNode, useRef, useState } from "react";
import { type DroppedFile, filesOfInput } from "../api/dropped";
import { Button } from "./Button";

interface Props {
  readonly onFiles: (files: readonly DroppedFile[]) => void;
  readonly isBusy: boolean;
  readonly children?: ReactNode;
}

export function Drop({ onFiles, isBusy, children }: Props) {
  const folder = useRef<HTMLInputElement>(null);
  const file = useRef<HTMLInputElement>(null);
  const [depth, setDepth] = useState(0);
  const chosen = (input: HTMLInputElement): void => {
    if (input.files && input.files.length > 0) onFiles(filesOfInput(input.files));
    // The same file chosen again is to be read again.
    input.value = "";
  };
  return (
    <div className={depth > 0 ? "drop over" : "drop"} onDragEnter={() => setDepth(depth + 1)} onDragLeave={() => setDepth(Math.max(0, depth - 1))} onDrop={() => setDepth(0)}>
      <p>
        <strong>Drop an application here</strong>
      </p>
      <p className="quiet">its folder, a .zip of it, or single .py (grains) and .asl.json (workflows)</p>
      <div className="actions">
        <Button scope={null} type="button" className="first" disabled={isBusy} onClick={() => folder.current?.click()}>
          Choose a folder
        </Button>
        <Button scope={null} type="button" disabled={isBusy} onClick={() => file.current?.click()}>
          Choose files
        </Button>
        {children}
      </div>
      <span role="status">{isBusy && "Reading…"}</span>
      <input ref={folder} type="file" hidden aria-label="Folder" onChange={(event) => chosen(event.target)} {...{ webkitdirectory: "" }} />
      <input ref={file} type="file" hidden multiple aria-label="Files" accept=".zip,.py,.json" onChange={(event) => chosen(event.target)} />
    </div>
  );
}
