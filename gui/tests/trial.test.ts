import { expect, test } from "vitest";
import { graphOf } from "../src/model/definition";
import { trialBody, trialWords } from "../src/model/trial";

const TEXT = `{"StartAt": "A/~", "States": {
  "A/~": {"Type": "Task", "Resource": "arn:aws:states:::lambda:invoke", "Parameters": {"FunctionName": "f", "n": 12345678901234567890}, "Next": "B"},
  "B": {"Type": "Pass", "End": true}}}`;
const [task, pass] = graphOf(TEXT).states;

test("every digit of what was typed is asked for, and each grain has its stub", () => {
  if (!task) throw new Error("no state");
  const body = trialBody(TEXT, task, "12345678901234567890", "a result", "0.10", ["more"]);
  expect(body).toContain('"n": 12345678901234567890');
  expect(body).toContain('"input": 12345678901234567890');
  expect(body).toContain('"f": {"return": 0.10}');
  expect(JSON.parse(body)).toMatchObject({ state: "A/~", grains: { more: { return: 0.1 }, f: { return: 0.1 }, "arn:aws:states:::lambda:invoke": { return: 0.1 } } });
});

test("a state that calls nothing has the application's grains in its way alone", () => {
  if (!pass) throw new Error("no state");
  expect(JSON.parse(trialBody(TEXT, pass, "1", "an error", '{"error": "E"}', ["more"]))).toMatchObject({ grains: { more: { raise: { error: "E" } } } });
});

test("an answer is said in words", () => {
  expect(trialWords('{"status": "SUCCEEDED", "output": 1, "next": "B"}')).toBe("It succeeds, and B is next.");
  expect(trialWords('{"status": "SUCCEEDED", "output": 1}')).toBe("It succeeds, and the execution ends.");
  expect(trialWords('{"status": "CAUGHT", "error": "E", "next": "B"}')).toBe("It fails with E, which a Catch takes: B is next.");
  expect(trialWords('{"status": "FAILED", "error": null}')).toBe("It fails with an error without a name, and the execution with it.");
  expect(trialWords('{"status": "INVALID", "diagnostics": []}')).toBe("It cannot be tried as it stands.");
});
