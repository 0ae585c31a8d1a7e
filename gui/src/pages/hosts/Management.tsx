// What does the platform's operations; for who operates it, since he mends it. docs/MANAGEMENT.md.
import { useQuery } from "@tanstack/react-query";
import { management, settingsPaths } from "../../api/settings";
import { type BrokenGrain, brokenGrains, servedBy } from "../../model/management";
import { visible, when } from "../../model/show";
import { Facts, Found, Section } from "../../parts/bits";
import { AsCurl } from "../../parts/copy";
import { type Column, Table } from "../../parts/Table";

const FRESH_MS = 5_000;

export function Management() {
  return (
    <Section title="Management">
      <Found query={useQuery({ ...management(), refetchInterval: FRESH_MS })}>
        {(found) => {
          const broken = brokenGrains(found);
          return (
            <>
              <Facts facts={[["Operations are done by", servedBy(found)]]} />
              {found.trouble && <p className="fault">{visible(found.trouble)}</p>}
              {broken.length > 0 && <Table caption="Grains that failed in their newest call" rows={broken} rowKey={(one) => one.grain} columns={BROKEN} />}
            </>
          );
        }}
      </Found>
      <AsCurl name="management" url={settingsPaths.management()} />
    </Section>
  );
}

const BROKEN: readonly Column<BrokenGrain>[] = [
  { head: "Failed lately", cell: (one) => one.grain },
  { head: "Since", cell: (one) => (one.sinceMs === null ? "–" : when(one.sinceMs)) },
  { head: "Why", kind: "text", cell: (one) => <span className="fault">{visible(one.failure)}</span> },
  { head: "In execution", cell: (one) => <span className="id">{one.executionId ?? "–"}</span> },
];
