// What an application's grains share: keys by prefix, one value, edited under its version.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { isGone } from "../api/client";
import { dataKeys, dataPaths } from "../api/data";
import { options } from "../model/command";
import type { Route } from "../model/route";
import { Found, Title, To } from "../parts/bits";
import { AsCurl } from "../parts/copy";
import { go, replace } from "../parts/router";
import { Table } from "../parts/Table";
import { OneValue } from "./data/OneValue";

export function Data({ route }: { readonly route: Extract<Route, { page: "data" }> }) {
  const { app, prefix, after, key } = route;
  const query = useQuery(dataKeys(app, prefix, after));
  const [isNew, setNew] = useState("");
  return (
    <>
      <Title>Data</Title>
      {!isGone(query.error) && (
        <>
          <div className="filters">
            <label>
              Keys that begin with <input type="search" value={prefix} spellCheck={false} onChange={(event) => replace({ ...route, prefix: event.target.value, after: "" })} />
            </label>
            <form
              onSubmit={(event) => {
                event.preventDefault();
                if (isNew !== "") go({ ...route, key: isNew });
              }}
            >
              <label>
                Key <input value={isNew} spellCheck={false} onChange={(event) => setNew(event.target.value)} />
              </label>{" "}
              <button type="submit" disabled={isNew === ""}>
                Open
              </button>
            </form>
          </div>
          {key !== "" && <OneValue key={`${app} ${key}`} app={app} name={key} />}
        </>
      )}
      <Found query={query}>
        {({ keys, next }) => (
          <>
            <Table
              caption="Keys"
              rows={keys}
              rowKey={(one) => one}
              columns={[{ head: "Key", cell: (one) => <To route={{ ...route, key: one }}>{one}</To> }]}
              empty={
                <p>
                  <strong>There is no key here.</strong> Grains put values with <code>context.data.put(key, value)</code>.
                </p>
              }
            />
            <div className="pages">
              {after !== "" && <To route={{ ...route, after: "" }}>From the first</To>}
              {next !== null && <To route={{ ...route, after: next }}>Next keys</To>}
            </div>
          </>
        )}
      </Found>
      <AsCurl url={dataPaths.keys(app, prefix, after)} command={["data", "list", app, ...options({ prefix, after })]} />
    </>
  );
}
