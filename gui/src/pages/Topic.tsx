// The first records that a topic keeps, or the last: what they say, as text and never as anything else. They stay where they are.
import { useQuery } from "@tanstack/react-query";
import { busPaths, records } from "../api/bus";
import { type Schemas, isGone } from "../api/client";
import type { Route } from "../model/route";
import { ago, bytes, when } from "../model/show";
import { Facts, Found, Title, To, Value } from "../parts/bits";
import { AsCurl } from "../parts/copy";
import { Empty } from "../parts/Table";

type Kept = Schemas["TopicRecord"];

export function Topic({ route: { name, newest = false } }: { readonly route: Extract<Route, { page: "topic" }> }) {
  const query = useQuery(records(name, newest));
  return (
    <>
      <Title trail={<To route={{ page: "topics" }}>Topics</To>}>{name}</Title>
      {!isGone(query.error) && (
        <p>
          {newest ? "The last records, the newest first. " : "The first records that are kept. "}
          <To route={{ page: "topic", name, ...(!newest && { newest: true }) }}>{newest ? "The first" : "The last"}</To>
        </p>
      )}
      <Found query={query}>
        {({ records: found, more }) => (
          <>
            {found.length === 0 && (
              <Empty>
                <p>It keeps none. A record goes when nobody needs it any more.</p>
              </Empty>
            )}
            {found.map((record) => (
              <One key={`${record.partition} ${record.offset}`} record={record} />
            ))}
            {more && <p className="quiet">There are more: these are {found.length}.</p>}
          </>
        )}
      </Found>
      <AsCurl name="records" url={busPaths.records(name, newest)} command={["queues", "topics", name, ...(newest ? ["--newest"] : [])]} />
    </>
  );
}

function One({ record }: { readonly record: Kept }) {
  const { partition, offset, atMs, preview } = record;
  const isCut = !record.isBase64Encoded && new TextEncoder().encode(preview).length < record.bytes;
  return (
    <article className="letter" aria-label={`Record ${partition}/${offset}`}>
      <Facts
        facts={[
          ["Partition", String(partition)],
          ["Offset", String(offset)],
          ["Came", atMs === undefined ? null : `${when(atMs)}, ${ago(atMs, Date.now())}`],
          ["Size", bytes(record.bytes)],
        ]}
      />
      {record.isBase64Encoded ? <p className="quiet">It is no text.</p> : <Value text={preview} label={`record ${partition}/${offset}`} as={isCut ? "written" : "value"} />}
      {isCut && <p className="quiet">Only the beginning is shown.</p>}
    </article>
  );
}
