// Applications that came with the page.
import { queryOptions } from "@tanstack/react-query";
import { type Deployed, deploy } from "./deploy";

export interface Example {
  readonly name: string;
  readonly title: string;
  readonly about: string;
  readonly workflow?: string;
  /** A first input of the workflow, any JSON. */
  readonly input?: unknown;
  /** Where its pages are. */
  readonly open?: string;
}

const at = (file: string): string => new URL(`examples/${file}`, document.baseURI.split("#")[0]).href;

async function fetched(file: string): Promise<Response> {
  const answer = await fetch(at(file));
  if (!answer.ok) throw new Error(`${file} cannot be had: ${answer.status}`);
  return answer;
}

export const examples = () =>
  queryOptions({
    queryKey: ["examples"],
    queryFn: async () => (await (await fetched("index.json")).json()) as readonly Example[],
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });

export async function deployExample(name: string, onProgress: (line: string) => void): Promise<Deployed> {
  const zip = await (await fetched(`${name}.zip`)).blob();
  return deploy({ kind: "zip", zip }, "live", onProgress);
}
