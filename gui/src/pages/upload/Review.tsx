// What a deployment would change; then the deployment, line by line as it is built.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { type Preview, type Upload, deploy, editsBody, numberOf, preview, uploadAddress } from "../../api/deploy";
import { useShownName } from "../../api/session";
import { NAME } from "../../model/bundle";
import { Facts, Found, Section, To, Trouble } from "../../parts/bits";
import { Button } from "../../parts/Button";
import { AsCurl } from "../../parts/copy";
import { useOnce } from "../../parts/once";
import { useSettled } from "../../parts/settled";
import { Changes } from "../../parts/Changes";

const SETTLED_MS = 500;

export function Review({ upload, into }: { readonly upload: Upload; readonly into: string }) {
  const cache = useQueryClient();
  const shown = useShownName();
  const [alias, setAlias] = useState("live");
  const [told, setTold] = useState<readonly string[]>([]);
  const isValid = NAME.test(alias);
  // A question is an upload: it is asked when somebody has stopped typing.
  const asked = useSettled(alias, SETTLED_MS);
  const look = useQuery({
    queryKey: ["preview", numberOf(upload), asked],
    queryFn: ({ signal }) => preview(upload, asked, signal),
    enabled: NAME.test(asked),
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: (before) => before,
  });
  const isLooked = isValid && asked === alias && look.isSuccess && !look.isPlaceholderData;
  const build = useMutation({
    mutationFn: () => {
      setTold([]);
      return deploy(upload, alias, (line) => setTold((before) => [...before, line]));
    },
    onSettled: () => cache.invalidateQueries({ predicate: ({ queryKey }) => ["applications", "application", "versions"].includes(String(queryKey[0])) }),
  });
  const buildOnce = useOnce(build);
  const curl = upload.kind === "zip" ? { headers: { "Content-Type": "application/zip" }, file: "application.zip" } : { body: editsBody(upload) };
  return (
    <Section title="What would change" id="changes">
      <Found query={look}>{(found) => <About found={found} into={into} />}</Found>
      <form
        className="actions"
        onSubmit={(event) => {
          event.preventDefault();
          if (isLooked) buildOnce();
        }}
      >
        <Button scope="deploy" type="submit" className="first" aria-disabled={build.isPending} disabled={!isLooked}>
          {!look.data || look.data.deployed === null ? "Deploy" : `Make version ${look.data.deployed} ${alias}`}
        </Button>
        <label>
          as alias <input value={alias} size={10} aria-invalid={!isValid} onChange={(event) => setAlias(event.target.value)} />
        </label>
      </form>
      {(told.length > 0 || build.isPending) && (
        <pre role="log" aria-label="Progress of the build" className="log" tabIndex={0}>
          {told.length === 0 ? "sending…" : told.join("\n")}
        </pre>
      )}
      {build.error && <Trouble error={build.error} />}
      {build.data && (
        <div className="done" role="status">
          <strong>
            Version {build.data.version} of {shown(build.data.application)} is {build.data.alias}.
          </strong>{" "}
          <To route={{ page: "application", app: build.data.application }}>See it</To>
          {build.data.alias === "live" && build.data.workflows[0] && (
            <>
              {" "}
              <To route={{ page: "workflow", app: build.data.application, name: build.data.workflows[0] }}>Run {build.data.workflows[0]}</To>
            </>
          )}
        </div>
      )}
      {look.data && <Changes files={look.data.files} />}
      <AsCurl name="look" method="POST" url={uploadAddress(upload, alias, true)} {...curl} />
      <AsCurl name="deploy" method="POST" url={uploadAddress(upload, alias, false)} {...curl} />
    </Section>
  );
}

function About({ found, into }: { readonly found: Preview; readonly into: string }) {
  const shown = useShownName();
  const of = (change: string): number => found.files.filter((file) => file.change === change).length;
  return (
    <>
      {into !== "" && found.application !== into && (
        <p className="fault">
          Its sand.yaml says that it is application {shown(found.application)}, not {shown(into)}.
        </p>
      )}
      <Facts
        facts={[
          ["Application", shown(found.application)],
          ["Beside", found.against === null ? "nothing: it is new" : `version ${found.against}`],
          ["Files", found.deployed === null ? `${of("added")} added, ${of("changed")} changed, ${of("removed")} removed, ${found.unchanged} as before` : `as in version ${found.deployed}`],
          ["Grains", names(found.grains)],
          ["Workflows", names(found.workflows)],
        ]}
      />
    </>
  );
}

function names({ added, removed }: Preview["grains"]): string {
  const parts = [added.length > 0 ? `new: ${added.join(", ")}` : "", removed.length > 0 ? `gone: ${removed.join(", ")}` : ""].filter((part) => part !== "");
  return parts.join("; ") || "the same";
}
