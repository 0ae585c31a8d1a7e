"""`sand asl` as a process: one execution, many of them, and a definition's mistakes."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

MACHINE = {
    "StartAt": "Resize",
    "States": {
        "Resize": {
            "Type": "Task",
            "Resource": "arn:aws:lambda:eu-west-1:1:function:resize",
            "Retry": [{"ErrorEquals": ["Busy"]}],
            "Next": "Rest",
        },
        "Rest": {"Type": "Wait", "Seconds": 86400, "End": True},
    },
}


def asl(*arguments: str, input: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-P", "-m", "sand.command", "asl", *arguments]
    return subprocess.run(command, input=input, capture_output=True, text=True, encoding="utf-8", check=False)


def write(folder: Path, name: str, value: Any) -> str:
    (folder / name).write_text(value if isinstance(value, str) else json.dumps(value))
    return str(folder / name)


def test_runs_one_execution_with_stubs_and_keeps_numbers_as_they_are(tmp_path: Path) -> None:
    definition = write(tmp_path, "machine.json", MACHINE)
    given = write(tmp_path, "input.json", '{"width": 1.50, "id": 123456789012345678901234567890}')
    grains = write(tmp_path, "grains.json", {"resize": [{"raise": {"error": "Busy"}}, {"echo": True}]})
    done = asl("run", "--definition", definition, "--input", given, "--grains", grains)
    assert done.returncode == 0
    assert done.stdout == '{"status":"SUCCEEDED","output":{"width":1.50,"id":123456789012345678901234567890}}\n'


def test_exits_well_when_the_execution_fails(tmp_path: Path) -> None:
    grains = write(tmp_path, "grains.json", {"resize": {"raise": {"error": "Broken", "cause": "no file"}}})
    done = asl("run", "--definition", write(tmp_path, "machine.json", MACHINE), "--grains", grains)
    assert (done.returncode, json.loads(done.stdout)) == (0, {"status": "FAILED", "error": "Broken", "cause": "no file"})


def test_takes_a_stub_for_the_service_that_invokes_functions_as_its_whole_answer() -> None:
    resource = "arn:aws:states:::lambda:invoke"
    task = {"Type": "Task", "Resource": resource, "Parameters": {"FunctionName": "resize", "Payload": 1}, "End": True}
    definition = {"StartAt": "Resize", "States": {"Resize": task}}
    cases = [{"definition": definition, "grains": {name: {"return": 2}}} for name in (resource, "invoke", "resize")]
    cases.append({**cases[0], "definition": json.dumps(definition)})
    results = [
        json.loads(line)["output"]
        for line in asl("run", "--batch", input="\n".join(map(json.dumps, cases))).stdout.splitlines()
    ]
    assert results == [2, 2, {"ExecutedVersion": "$LATEST", "Payload": 2, "StatusCode": 200}, 2]


def test_runs_cases_line_by_line_and_says_which_line_is_none() -> None:
    succeed = {"StartAt": "S", "States": {"S": {"Type": "Succeed"}}}
    lines = [json.dumps({"id": 7, "definition": succeed, "input": [1]}), "nonsense", json.dumps({"id": 8, "definition": "{}"})]
    first, second, third = map(json.loads, asl("run", "--batch", input="\n".join(lines)).stdout.splitlines())
    assert first == {"id": 7, "status": "SUCCEEDED", "output": [1]}
    assert second["status"] == "INVALID" and "Line 2" in second["diagnostics"][0]["message"]
    assert (third["id"], third["status"]) == (8, "INVALID")


def test_tells_every_mistake_of_a_definition_with_its_place(tmp_path: Path) -> None:
    wrong = {"StartAt": "A", "States": {"A": {"Type": "Pass", "InputPath": "a", "Next": "B"}}}
    done = asl("validate", write(tmp_path, "wrong.json", wrong))
    codes = {(one["pointer"], one["code"]) for one in json.loads(done.stdout)["diagnostics"]}
    assert done.returncode == 4
    assert {("/States/A/InputPath", "INVALID_PATH"), ("/States/A/Next", "MISSING_TARGET")} <= codes


def test_finds_nothing_wrong_with_a_good_definition(tmp_path: Path) -> None:
    done = asl("validate", write(tmp_path, "machine.json", MACHINE))
    assert (done.returncode, json.loads(done.stdout)) == (0, {"valid": True, "diagnostics": []})


def test_says_what_is_missing() -> None:
    assert asl("run").returncode == 2
    assert asl("validate").returncode == 2
