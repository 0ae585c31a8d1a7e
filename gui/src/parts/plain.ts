// What is put on the page in a line may be anybody's text: none of it turns or hides what stands beside it, and it looks like no other.
import type { ReactNode } from "react";
import { visibleName } from "../model/show";

export function plain(node: ReactNode): ReactNode {
  return typeof node === "string" ? visibleName(node) : node;
}
