// A JSON value that is on the page as a tree.
import { useMemo } from "react";
import { FoldedJson } from "../model/foldedJson";
import { Tree, useOpen } from "./Tree";

export function JsonTree({ text, label }: { readonly text: string; readonly label: string }) {
  const json = useMemo(() => new FoldedJson(text), [text]);
  const [open, onToggle] = useOpen();
  const rows = useMemo(() => json.rows(open), [json, open]);
  return <Tree rows={rows} label={label} onToggle={onToggle} />;
}
