// What is put on the page may be anybody's text: none of it turns or hides what stands beside it.
import type { ReactNode } from "react";
import { visible } from "../model/show";

export function plain(node: ReactNode): ReactNode {
  return typeof node === "string" ? visible(node) : node;
}
