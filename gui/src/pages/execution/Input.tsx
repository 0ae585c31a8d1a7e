// What an execution was called with, and the way to run it again with that edited.
import { useQuery } from "@tanstack/react-query";
import type { Schemas } from "../../api/client";
import { MOST_INPUT, input, paths } from "../../api/queries";
import { isText } from "../../model/execution";
import type { Route } from "../../model/route";
import { bytes, jsonFault } from "../../model/show";
import { Section, To, Trouble, Value } from "../../parts/bits";
import { AsCurl } from "../../parts/copy";
import { Download } from "../../parts/Download";

/** Longest input that is put into an address. */
const MOST_AGAIN = 8 * 1024;

/** @param text as it was; JSON, or it is not run again here */
export function Input({ text, again }: { readonly text: string; readonly again: Route }) {
  const isEditable = text.length <= MOST_AGAIN && jsonFault(text) === null;
  return (
    <Section
      title="Input"
      aside={
        isEditable && (
          <To className="button" route={again}>
            Edit it and run again
          </To>
        )
      }
    >
      <Value text={text} label="the input" />
    </Section>
  );
}

/** Of a grain that was called by itself: that of a workflow is in its history. */
export function GrainInput({ app, found }: { readonly app: string; readonly found: Schemas["Invocation"] }) {
  const { executionId: id, target: name, input: given } = found;
  const isKept = given !== undefined && given.size <= MOST_INPUT;
  const isShown = isKept && isText(given.contentType);
  const query = useQuery({ ...input(app, id), enabled: isShown });
  if (given === undefined) return null;
  if (isShown && query.data !== undefined) {
    return (
      <>
        <Input text={query.data} again={{ page: "grain", app, name, input: query.data }} />
        <AsCurl name="input" url={paths.invocation(app, id, "/input")} command={["invocations", "input", app, id]} />
      </>
    );
  }
  return (
    <Section title="Input">
      {query.error && <Trouble error={query.error} />}
      {isShown && query.isPending && <p role="status">Loading…</p>}
      {!isShown && (
        <p>
          {bytes(given.size)} of {given.contentType}. {isKept ? <Download url={paths.invocation(app, id, "/input")} name={`${id}-input`} /> : `Inputs of up to ${bytes(MOST_INPUT)} are kept.`}
        </p>
      )}
    </Section>
  );
}
