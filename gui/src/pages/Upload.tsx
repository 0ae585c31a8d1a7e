// A deployment from the browser: something dropped or chosen, what it would change, the build, the version.
import { useMutation } from "@tanstack/react-query";
import { useEffect, useMemo, useState } from "react";
import { type Chosen, chosenOf } from "../api/chosen";
import { type Upload as Uploaded, numberOf } from "../api/deploy";
import { type DroppedFile, filesOfDrop } from "../api/dropped";
import { useShownName } from "../api/session";
import { TEMPLATE } from "../model/template";
import { many } from "../model/show";
import type { Route } from "../model/route";
import { Section, Title, To, ToApplication, Trouble } from "../parts/bits";
import { Drop } from "../parts/Drop";
import { Into } from "./upload/Into";
import { Review } from "./upload/Review";

type Shown = Extract<Route, { page: "deploy" }>;

export function Upload({ route }: { readonly route: Shown }) {
  const shown = useShownName();
  /** Of single files, once it is said what they are for; a zip is one already. */
  const [made, setMade] = useState<{ readonly of: Chosen; readonly upload: Uploaded } | null>(null);
  const choose = useMutation({
    mutationFn: async (dropped: readonly DroppedFile[] | Promise<readonly DroppedFile[]> | "template"): Promise<Chosen> =>
      dropped === "template" ? { kind: "files", files: TEMPLATE, told: "an example of two grains and a workflow" } : chosenOf(await dropped),
  });
  const take = choose.mutate;
  useDropAnywhere(take, choose.isPending);
  const chosen = choose.data;
  // What is shown is of what was chosen last, whatever ends later.
  const upload = useMemo(() => (chosen?.kind === "zip" ? ({ kind: "zip", zip: chosen.zip } as const) : made?.of === chosen ? (made?.upload ?? null) : null), [chosen, made]);
  return (
    <>
      <Title trail={route.into ? <ToApplication app={route.into} /> : <To route={{ page: "home" }}>Applications</To>}>
        {route.into ? `Deploy to ${shown(route.into)}` : "New application or version"}
      </Title>
      <Drop onFiles={take} isBusy={choose.isPending}>
        {!route.into && (
          <button type="button" onClick={() => take("template")}>
            Begin with an example
          </button>
        )}
      </Drop>
      {choose.error && <Trouble error={choose.error} />}
      {chosen && (
        <Section title="What was chosen" id="chosen">
          <p>
            {chosen.told}
            {chosen.kind === "zip" && chosen.left.length > 0 && `; ${many(chosen.left.length, "file")} left out`}.
          </p>
          {chosen.kind === "zip" && chosen.left.length > 0 && (
            <details>
              <summary>Left out</summary>
              <pre tabIndex={0}>{chosen.left.slice(0, 500).join("\n")}</pre>
            </details>
          )}
          {chosen.kind === "files" && <Into key={choose.submittedAt} files={chosen.files} into={route.into} onUpload={(upload) => setMade({ of: chosen, upload })} />}
        </Section>
      )}
      {upload && <Review key={numberOf(upload)} upload={upload} into={route.into} />}
    </>
  );
}

/** Wherever on the page it is let go: a browser would show the file instead of the page. */
function useDropAnywhere(take: (dropped: Promise<readonly DroppedFile[]>) => void, isBusy: boolean): void {
  useEffect(() => {
    const over = (event: DragEvent): void => event.preventDefault();
    const drop = (event: DragEvent): void => {
      event.preventDefault();
      if (!isBusy && event.dataTransfer && event.dataTransfer.items.length > 0) take(filesOfDrop(event.dataTransfer));
    };
    window.addEventListener("dragover", over);
    window.addEventListener("drop", drop);
    return () => {
      window.removeEventListener("dragover", over);
      window.removeEventListener("drop", drop);
    };
  }, [take, isBusy]);
}
