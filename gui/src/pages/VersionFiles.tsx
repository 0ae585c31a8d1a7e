// The files that were deployed as a version, and one of them.
import { useQuery } from "@tanstack/react-query";
import { MOST_SHOWN_BYTES, file, files, versionPaths } from "../api/versions";
import type { Route } from "../model/route";
import { bytes, many } from "../model/show";
import { Found, Section, Title, To, Value } from "../parts/bits";
import { AsCurl } from "../parts/copy";
import { Download } from "../parts/Download";
import { Table } from "../parts/Table";

type Shown = Extract<Route, { page: "files" }>;

export function VersionFiles({ route }: { readonly route: Shown }) {
  const { app, version, path } = route;
  return (
    <>
      <Title trail={<To route={{ page: "versions", app, from: "", to: "" }}>Versions</To>}>{/^\d+$/.test(version) ? `Version ${version}` : version}</Title>
      <Found query={useQuery(files(app, version))}>
        {({ files: found }) => (
          <>
            {path !== "" && <OneFile app={app} version={version} path={path} size={found.find((one) => one.path === path)?.size ?? 0} />}
            <Section title={many(found.length, "file")} id="files">
              <Table
                caption="Files"
                rows={found}
                rowKey={(one) => one.path}
                empty="It has none."
                columns={[
                  { head: "Path", cell: (one) => <To route={{ ...route, path: one.path }}>{one.path}</To> },
                  { head: "Size", kind: "number", cell: (one) => bytes(one.size) },
                  { head: "Kind", cell: (one) => (one.executable ? "program" : "file") },
                ]}
              />
            </Section>
          </>
        )}
      </Found>
      <AsCurl url={versionPaths.files(app, version)} />
    </>
  );
}

function OneFile({ app, version, path, size }: { readonly app: string; readonly version: string; readonly path: string; readonly size: number }) {
  const isShown = size <= MOST_SHOWN_BYTES;
  const query = useQuery({ ...file(app, version, path), enabled: isShown });
  const url = versionPaths.file(app, version, path);
  return (
    <Section title={path} id="file" aside={<Download url={url} name={path.split("/").at(-1) ?? "file"} />}>
      {isShown ? (
        <Found query={query}>{(text) => (text === null ? <p className="quiet">{bytes(size)} that are no text.</p> : <Value text={text} label={`the text of ${path}`} as="written" />)}</Found>
      ) : (
        <p className="quiet">{bytes(size)}: too long to be shown here.</p>
      )}
      <AsCurl name="file" url={url} />
    </Section>
  );
}
