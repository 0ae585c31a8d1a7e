import { expect, test } from "vitest";
import { type GrainSpec, givenTo } from "../src/model/grains";

const grain = (name: string, more: Partial<GrainSpec> = {}): GrainSpec => ({ name, entry: "handler:handle", isolation: "INSTANCE", preload: "", timeoutMs: 1, concurrency: 1, memoryBytes: 0, queueDepth: 1, queueBytes: 1, ...more });

test("what grains are given is told by name, and no value with it", () => {
  const found = givenTo({ z: grain("z", { environment: { TO: "secret-value", AT: "1" } }), a: grain("a", { secrets: ["KEY", "API"] }), none: grain("none", { environment: {}, secrets: [] }) });
  expect(found).toEqual([
    { grain: "a", environment: [], secrets: ["API", "KEY"] },
    { grain: "z", environment: ["AT", "TO"], secrets: [] },
  ]);
  expect(JSON.stringify(found)).not.toContain("secret-value");
});
