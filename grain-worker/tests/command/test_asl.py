"""`sand asl` as a process: one execution, many of them, and a definition's mistakes."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from sand.command.asl import PROTOCOL, asl_command

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


def asl(*arguments: str, input: str = "", **named: str) -> subprocess.CompletedProcess[str]:
    """named: of the environment, besides. Half of a pair of surrogates in the input stands for a byte that is no UTF-8."""
    command = [sys.executable, "-P", "-m", "sand.command", "asl", *arguments]
    environment = {**os.environ, **named}
    process = subprocess.run(
        command, input=input.encode("utf-8", "surrogateescape"), capture_output=True, check=False, env=environment
    )
    out, err = process.stdout.decode(), process.stderr.decode()
    return subprocess.CompletedProcess(command, process.returncode, out, err)


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


def test_a_cause_shows_the_input_as_the_text_that_came(tmp_path: Path) -> None:
    machine = {"StartAt": "A", "States": {"A": {"Type": "Pass", "Parameters": {"x.$": "$.x"}, "End": True}}}
    text = '{\n  "a": [1,  "\\u00e9"], "input": {"}": null}\n}'
    given = write(tmp_path, "input.json", text + "\n")
    done = asl("run", "--definition", write(tmp_path, "machine.json", machine), "--input", given)
    assert json.loads(done.stdout)["cause"].endswith(f"could not be found in the input '{text}'")
    line = text.replace("\n", " ")
    case = f'{{"id": "input", "definition": {json.dumps(machine)}, "input" : {line} , "grains":{{}}}}'
    done = asl("run", "--batch", input=case)
    assert json.loads(done.stdout)["cause"].endswith(f"could not be found in the input '{line}'")


def test_exits_well_when_the_execution_fails(tmp_path: Path) -> None:
    grains = write(tmp_path, "grains.json", {"resize": {"raise": {"error": "Broken", "cause": "no file"}}})
    done = asl("run", "--definition", write(tmp_path, "machine.json", MACHINE), "--grains", grains)
    assert (done.returncode, json.loads(done.stdout)) == (0, {"status": "FAILED", "error": "Broken", "cause": "no file"})


def test_takes_a_stub_for_the_service_that_invokes_functions_as_its_whole_answer() -> None:
    resource = "arn:aws:states:::lambda:invoke"
    task = {"Type": "Task", "Resource": resource, "Parameters": {"FunctionName": "resize", "Payload": {}}, "End": True}
    definition = {"StartAt": "Resize", "States": {"Resize": task}}
    cases = [{"definition": definition, "grains": {name: {"return": 2}}} for name in (resource, "invoke", "resize")]
    cases.append({**cases[0], "definition": json.dumps(definition)})
    results = [
        json.loads(line)["output"]
        for line in asl("run", "--batch", input="\n".join(map(json.dumps, cases))).stdout.splitlines()
    ]
    assert results == [2, 2, {"ExecutedVersion": "$LATEST", "Payload": 2, "StatusCode": 200}, 2]


def test_takes_a_stub_for_any_resource_by_its_name_or_its_last_part() -> None:
    stubs = {
        "arn:aws:states:::athena:getQueryExecution": "old",
        "arn:aws:states:::aws-sdk:athena:getQueryExecution": "sdk",
        "startExecution.sync:2": "nested",
        "runTask.sync": "container",
        "arn:aws:lambda:eu-west-1:1:function:tag:PROD": "function",
        "arn:aws:states:eu-west-1:1:activity:by hand": "activity",
        "publish.waitForTaskToken": "answered",
        "<anything>": "anything",
    }
    resources = [name if name.startswith(("arn:", "<")) else f"arn:aws:states:::service:{name}" for name in stubs]
    states = {
        str(at): {"Type": "Task", "Resource": resource, "ResultPath": f"$.r{at}", "Next": str(at + 1)}
        for at, resource in enumerate(resources)
    }
    states[str(len(resources))] = {"Type": "Succeed"}
    case = {"definition": {"StartAt": "0", "States": states}, "grains": {name: {"return": it} for name, it in stubs.items()}}
    result = json.loads(asl("run", "--batch", input=json.dumps(case)).stdout)
    assert result == {"status": "SUCCEEDED", "output": {f"r{at}": it for at, it in enumerate(stubs.values())}}


CALLED = [
    ("lambda:invoke", "FunctionName", "arn:aws:lambda:eu-west-1:1:function:fn:prod", "fn:prod"),
    ("lambda:invoke", "FunctionName", "arn:aws:lambda:eu-west-1:1:function:fn-<STAGE>", "fn-<STAGE>"),
    ("lambda:invoke", "FunctionName", "arn:aws:lambda:eu-west-1:1:function:<S>", "arn:aws:lambda:eu-west-1:1:function:<S>"),
    ("lambda:invoke", "FunctionName", "<FUNCTION_NAME>", "<FUNCTION_NAME>"),
    ("states:startExecution.sync:2", "StateMachineArn", "arn:aws:states:eu-west-1:1:stateMachine:Child:3", "Child:3"),
    ("states:startExecution.sync:2", "StateMachineArn", "arn:aws:states:eu-west-1:1:stateMachine:Child:3", "Child"),
    ("sqs:sendMessage", "QueueUrl", "https://sqs.eu-west-1.amazonaws.com/1/orders.fifo", "orders.fifo"),
    ("sqs:sendMessage", "QueueUrl", "https://sqs.eu-west-1.amazonaws.com/1/orders.fifo", "arn:aws:sqs:eu-west-1:1:orders.fifo"),
    ("sqs:sendMessage", "QueueUrl", "https://sqs.eu-west-1.amazonaws.com/1/orders", "orders"),
    ("sqs:sendMessage", "QueueUrl", "https://sqs.eu-west-1.amazonaws.com/1/a", "https://sqs.eu-west-1.amazonaws.com/1/a"),
]


@pytest.mark.parametrize(("action", "field", "target", "stub"), CALLED)
def test_takes_a_stub_for_what_an_argument_names_by_all_of_it_or_its_last_part(
    action: str, field: str, target: str, stub: str
) -> None:
    arguments = {field: target, "MessageBody": "hello"} if field == "QueueUrl" else {field: target}
    task = {"Type": "Task", "Resource": f"arn:aws:states:::{action}", "Parameters": arguments, "End": True}
    catch = {"ErrorEquals": ["States.ALL"], "ResultPath": "$.caught", "Next": "Caught"}
    states = {"T": {**task, "Catch": [catch]}, "Caught": {"Type": "Pass", "Result": "caught", "End": True}}
    case = {"definition": {"StartAt": "T", "States": states}, "grains": {stub: {"raise": {"error": "Boom"}}}}
    done = asl("run", "--batch", input=json.dumps(case))
    assert (json.loads(done.stdout), done.stderr) == ({"status": "SUCCEEDED", "output": "caught"}, "")


def test_looks_for_tasks_in_branches_and_items_and_nowhere_else() -> None:
    task = {"Type": "Task", "Resource": "arn:aws:states:::batch:submitJob.sync", "End": True}
    states = {
        "P": {"Type": "Parallel", "Branches": [{"StartAt": "T", "States": {"T": task}}], "Next": "M"},
        "M": {"Type": "Map", "Iterator": {"StartAt": "U", "States": {"U": task}}, "Next": "N"},
        "N": {"Type": "Map", "ItemProcessor": {"StartAt": "V", "States": {"V": task}}, "ResultPath": "$[0]", "Next": "R"},
        "R": {"Type": "Pass", "Parameters": {"got.$": "$", "kept": {"States": {"T": task}}}, "End": True},
    }
    stubs = {"submitJob.sync": [{"return": 1}, {"return": 2}, {"return": 3}]}
    case = {"definition": {"StartAt": "P", "States": states}, "grains": stubs}
    result = json.loads(asl("run", "--batch", input=json.dumps(case)).stdout)
    assert result == {"status": "SUCCEEDED", "output": {"got": [[3]], "kept": {"States": {"T": task}}}}


def test_runs_cases_line_by_line_and_says_which_line_is_none() -> None:
    succeed = {"StartAt": "S", "States": {"S": {"Type": "Succeed"}}}
    lines = [json.dumps({"id": 7, "definition": succeed, "input": [1]}), "nonsense", json.dumps({"id": 8, "definition": "{}"})]
    first, second, third = map(json.loads, asl("run", "--batch", input="\n".join(lines)).stdout.splitlines())
    assert first == {"id": 7, "status": "SUCCEEDED", "output": [1]}
    assert second["status"] == "INVALID" and "Line 2" in second["diagnostics"][0]["message"]
    assert (third["id"], third["status"]) == (8, "INVALID")


def test_a_line_that_is_no_case_is_told_in_the_words_of_the_command_with_its_id() -> None:
    lines = ['{"id": 7}', "{no json"]
    told = list(map(json.loads, asl("validate", "--batch", input="\n".join(lines)).stdout.splitlines()))
    assert [line["valid"] for line in told] == [False, False]
    assert (told[0]["id"], told[0]["diagnostics"][0]["code"]) == (7, "MISSING_FIELD")
    assert told[1]["diagnostics"][0]["code"] == "INVALID_JSON"
    ran = json.loads(asl("run", "--batch", input=lines[0]).stdout)
    assert (ran["id"], ran["status"]) == (7, "INVALID")


def nested(levels: int) -> str:
    return "[" * levels + "]" * levels


def test_a_value_of_a_case_has_the_limits_of_a_file_and_a_case_over_them_is_told_with_its_id(tmp_path: Path) -> None:
    succeed = {"StartAt": "S", "States": {"S": {"Type": "Succeed"}}}
    definition = json.dumps(succeed)
    lines = [
        f'{{"id": "within", "definition": {definition}, "input": {nested(200)}}}',
        f'{{"definition": {definition}, "input": {nested(201)}, "id": "over"}}',
        f'{{"id": [7], "definition": {definition}, "input": {"9" * 1001}}}',
        f'{{"id": "definition", "definition": {{"Comment": {nested(200)}}}}}',
        '{"id": "half", "definition": nothing}',
        f'{{"id": "no json",, "input": {nested(201)}}}',
    ]
    told = [json.loads(line) for line in asl("run", "--batch", input="\n".join(lines)).stdout.splitlines()]
    assert told[0] == {"id": "within", "status": "SUCCEEDED", "output": json.loads(nested(200))}
    assert [(one.get("id"), one["status"], one["diagnostics"][0]["code"]) for one in told[1:]] == [
        ("over", "INVALID", "TOO_DEEP"),
        ([7], "INVALID", "TOO_DEEP"),
        ("definition", "INVALID", "TOO_DEEP"),
        ("half", "INVALID", "INVALID_JSON"),
        (None, "INVALID", "INVALID_JSON"),
    ]
    machine = write(tmp_path, "machine.json", succeed)
    for levels, code in ((200, 0), (201, 2)):
        done = asl("run", "--definition", machine, "--input", write(tmp_path, "input.json", nested(levels)))
        assert done.returncode == code


def test_what_is_not_in_utf_8_is_told_and_not_mended(tmp_path: Path) -> None:
    text = json.dumps({"Comment": "x\udcff", "StartAt": "S", "States": {"S": {"Type": "Succeed"}}}, ensure_ascii=False)
    (tmp_path / "machine.json").write_bytes(text.encode("utf-8", "surrogateescape"))
    done = asl("validate", str(tmp_path / "machine.json"))
    found = json.loads(done.stdout)["diagnostics"]
    assert (done.returncode, found[0]["code"]) == (4, "INVALID_JSON")
    assert found[0]["message"] == "The definition is no JSON: it is not in UTF-8: the byte 0xff at 14 has no place there."
    assert json.loads(asl("run", "--definition", str(tmp_path / "machine.json")).stdout)["status"] == "INVALID"
    line = f'{{"id": 7, "definition": {text}}}'
    good = {"id": 8, "definition": json.loads(text.replace("x\udcff", "x"))}
    told = [json.loads(one) for one in asl("validate", "--batch", input=f"{line}\n{json.dumps(good)}").stdout.splitlines()]
    assert [(one["id"], one["valid"]) for one in told] == [(7, False), (8, True)]
    assert "not in UTF-8" in told[0]["diagnostics"][0]["message"]
    done = asl("run", "--definition", "-", "--input", str(tmp_path / "machine.json"), input=json.dumps(good["definition"]))
    assert done.returncode == 2 and "not in UTF-8" in done.stderr


def test_a_case_that_the_engine_fails_at_is_told_with_its_id(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any, **__: Any) -> Any:
        raise AttributeError("out of order")

    monkeypatch.setattr("sand.asl.machine.Machine.run", fail)
    lines = "\n".join(json.dumps({"id": at, "definition": MACHINE}) for at in (7, 8))
    done = CliRunner().invoke(asl_command, ["run", "--batch"], input=lines)
    told = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(one["id"], one["status"], one["diagnostics"][0]["code"]) for one in told] == [
        (7, "INVALID", "ENGINE_FAULT"),
        (8, "INVALID", "ENGINE_FAULT"),
    ]
    assert "AttributeError: out of order" in told[0]["diagnostics"][0]["message"]


def test_tells_every_mistake_of_a_definition_with_its_place(tmp_path: Path) -> None:
    wrong = {"StartAt": "A", "States": {"A": {"Type": "Pass", "InputPath": "a", "Next": "B"}}}
    done = asl("validate", write(tmp_path, "wrong.json", wrong))
    codes = {(one["pointer"], one["code"]) for one in json.loads(done.stdout)["diagnostics"]}
    assert done.returncode == 4
    assert {("/States/A/InputPath", "INVALID_PATH"), ("/States/A/Next", "MISSING_TARGET")} <= codes


TWICE = '{"StartAt": "S", "States": {"S": {"Type": "Task", "Resource": "g", "End": true}, "S": {"Type": "Succeed"}}}'


@pytest.mark.parametrize("grains", ["", ', "grains": {"g": {"return": 1}}'])
@pytest.mark.parametrize("definition", [TWICE, json.dumps(TWICE)])
def test_refuses_a_key_that_stands_twice_in_the_definition_of_a_case(definition: str, grains: str) -> None:
    twice = [{"pointer": "/States/S", "code": "DUPLICATE_KEY", "message": "The key 'S' stands twice."}]
    good = json.dumps({"StartAt": "S", "States": {"S": {"Type": "Pass", "End": True}}})
    lines = f'{{"id": 1, "definition": {definition}{grains}}}\n{{"id": 2, "definition": {good}, "input": {{"a": 1, "a": 2}}}}'
    ran, checked = (
        [json.loads(line) for line in asl(word, "--batch", input=lines).stdout.splitlines()] for word in ("run", "validate")
    )
    assert ran == [{"id": 1, "status": "INVALID", "diagnostics": twice}, {"id": 2, "status": "SUCCEEDED", "output": {"a": 2}}]
    assert checked == [{"id": 1, "valid": False, "diagnostics": twice}, {"id": 2, "valid": True, "diagnostics": []}]


def test_refuses_a_key_that_stands_twice_also_where_there_are_stubs(tmp_path: Path) -> None:
    grains = write(tmp_path, "grains.json", {"g": {"return": 1}})
    done = asl("run", "--definition", write(tmp_path, "machine.json", TWICE), "--grains", grains)
    assert [found["code"] for found in json.loads(done.stdout)["diagnostics"]] == ["DUPLICATE_KEY"]


def test_finds_nothing_wrong_with_a_good_definition(tmp_path: Path) -> None:
    done = asl("validate", write(tmp_path, "machine.json", MACHINE))
    assert (done.returncode, json.loads(done.stdout)) == (0, {"valid": True, "diagnostics": []})


def test_says_what_is_missing() -> None:
    assert asl("run").returncode == 2
    assert asl("validate").returncode == 2


def test_holds_data_to_the_limit_of_aws_unless_told_otherwise() -> None:
    function = "arn:aws:lambda:eu-west-1:1:function:resize"
    stub = {"return": "x" * 262_143}
    lines = []
    for stubs in ({"resize": stub}, {function: stub}):
        lines.append(json.dumps({"definition": MACHINE, "grains": stubs}))
    lines.append(json.dumps({"definition": MACHINE, "grains": {"resize": stub}, "limits": "platform"}))
    told = [json.loads(line) for line in asl("run", "--batch", input="\n".join(lines)).stdout.splitlines()]
    named = f"The state/task '{function}' returned a result with a size exceeding the maximum number of bytes service limit."
    assert [one.get("cause") for one in told] == [named, named, None]
    done = asl("run", "--batch", "--limits", "platform", input=lines[0])
    assert json.loads(done.stdout)["status"] == "SUCCEEDED"


def test_refuses_stubs_that_say_nothing_and_runs_the_other_cases() -> None:
    stubs: list[Any] = [{"retrun": 1}, [{"return": 1}, {}], 5, {"raise": "Busy"}, {"raise": {"error": 5}}, {"echo": True}]
    lines = [json.dumps({"id": at, "definition": MACHINE, "grains": {"resize": stub}}) for at, stub in enumerate(stubs)]
    done = asl("run", "--batch", input="\n".join([*lines, '{"id": 6, "definition": {}, "grains": []}']))
    told = [json.loads(line) for line in done.stdout.splitlines()]
    assert [one["id"] for one in told] == list(range(7))
    assert [one["status"] for one in told] == ["INVALID"] * 5 + ["SUCCEEDED", "INVALID"]
    found = [one["diagnostics"][0] for one in told if one["status"] == "INVALID"]
    assert [one["pointer"] for one in found] == [
        *(
            "/grains/resize",
            "/grains/resize/1",
            "/grains/resize",
            "/grains/resize/raise",
            "/grains/resize/raise/error",
            "/grains",
        )
    ]
    assert found[0]["message"] == "The stub says nothing: it needs echo, return or raise; it has retrun."


def test_refuses_callbacks_that_say_nothing_and_runs_the_other_cases() -> None:
    task = {"Type": "Task", "Resource": "sand:grain:g.waitForTaskToken", "Parameters": {"t.$": "$$.Task.Token"}, "End": True}
    definition = {"StartAt": "T", "States": {"T": task}}
    callbacks: list[Any] = [
        {"sucess": 5},
        None,
        "success",
        5,
        [None],
        [[]],
        {"success": 1, "seconds": "60"},
        {},
        {"success": 5},
    ]
    lines = [
        json.dumps({"id": at, "definition": definition, "grains": {"g": {"return": 1, "callback": said}}})
        for at, said in enumerate(callbacks)
    ]
    told = [json.loads(line) for line in asl("run", "--batch", input="\n".join(lines)).stdout.splitlines()]
    assert [one["id"] for one in told] == list(range(len(callbacks)))
    assert [one["status"] for one in told] == ["INVALID"] * 8 + ["SUCCEEDED"]
    assert {one["diagnostics"][0]["pointer"].rstrip("/0") for one in told[:6]} == {"/grains/g/callback"}
    assert told[8]["output"] == 5


def test_tells_of_what_has_no_effect_and_runs_the_case_all_the_same(tmp_path: Path) -> None:
    case = {"id": 1, "definition": MACHINE, "grains": {"resize": {"return": 1, "note": "x"}}, "expected": 1, "limits": "mine"}
    done = asl("run", "--batch", input="\n".join(map(json.dumps, [case, case])))
    assert [json.loads(line)["output"] for line in done.stdout.splitlines()] == [1, 1]
    warnings = done.stderr.splitlines()
    assert len(warnings) == 3 and all(line.startswith("sand: line 1: ") for line in warnings), warnings
    wrong = write(tmp_path, "grains.json", {"resize": {"retrun": 1}})
    done = asl("run", "--definition", write(tmp_path, "machine.json", MACHINE), "--grains", wrong)
    assert done.returncode == 2 and "retrun" in done.stderr


def test_an_execution_is_called_by_the_id_of_its_case() -> None:
    definition = {"StartAt": "S", "States": {"S": {"Type": "Pass", "Parameters": {"id.$": "$$.Execution.Id"}, "End": True}}}
    ids: list[Any] = ["a b", 7, None, {"n": 1.5}, True]
    lines = "\n".join(json.dumps({"id": id, "definition": definition}) for id in ids)
    told = [json.loads(line)["output"]["id"] for line in asl("run", "--batch", input=lines).stdout.splitlines()]
    assert told == ["a b", "7", "trial", '{"n":1.5}', "true"]


def test_tells_of_a_stub_that_no_task_asks_for(tmp_path: Path) -> None:
    definition = write(tmp_path, "machine.json", MACHINE)
    stubs = {"rezise": {"return": 1}, "arn:aws:lambda:us-east-1:2:function:resize": {"return": 2}}
    grains = write(tmp_path, "grains.json", stubs)
    done = asl("run", "--definition", definition, "--grains", grains)
    assert (done.returncode, json.loads(done.stdout)["output"]) == (0, 2)
    assert done.stderr == f"sand: {grains}: no task of the definition asks for the stub rezise\n"
    case = json.dumps({"definition": MACHINE, "grains": {"rezise": {"return": 1}}})
    done = asl("run", "--batch", input=f"{case}\n{case}\n")
    assert done.stderr == "sand: line 1: no task of the definition asks for the stub rezise\n"


@pytest.mark.parametrize(
    ("resource", "rest", "stub"),
    [
        ("arn:aws:states:::lambda:invoke", {"Parameters": {"FunctionName": "f:1"}}, "f"),
        ("arn:aws:states:::lambda:invoke", {"Parameters": {"FunctionName": "f:1"}}, "arn:aws:states:::lambda:invoke"),
        ("arn:aws:states:::lambda:invoke", {"Parameters": {"FunctionName.$": "$.f"}}, "any"),
        ("arn:aws:states:::states:startExecution.sync:2", {"Parameters": {"StateMachineArn": "w"}}, "startExecution.sync:2"),
        ("arn:aws:states:::states:startExecution.sync:2", {"Parameters": {"StateMachineArn": "w"}}, "sand:workflow:w"),
        ("arn:aws:states:::dynamodb:putItem", {"Parameters": {"TableName": "t", "Item": {}}}, "dynamodb:putItem"),
        ("arn:aws:states:eu-west-1:1:activity:ask", {}, "activity:ask"),
    ],
)
def test_takes_each_name_of_a_resource_for_a_stub_of_it(resource: str, rest: dict[str, Any], stub: str) -> None:
    task = {"Type": "Task", "Resource": resource, **rest, "End": True}
    case = {"definition": {"StartAt": "A", "States": {"A": task}}, "grains": {stub: {"return": {}}}}
    assert asl("run", "--batch", input=json.dumps(case)).stderr == ""


def test_the_java_side_speaks_the_same_protocol() -> None:
    source = Path(__file__).parents[3] / "workflow/src/main/java/dev/sand/workflow/trial/AslCommand.java"
    assert f"int PROTOCOL = {PROTOCOL};" in source.read_text()


@pytest.mark.parametrize(
    ("code", "said", "age"), [(2, "say run or validate", "older"), (3, "0", "older"), (3, "9999", "newer")]
)
def test_tells_of_jars_of_other_sources(tmp_path: Path, code: int, said: str, age: str) -> None:
    java = tmp_path / "bin/java"
    java.parent.mkdir()
    version = '[ "$1" = -version ] && echo \'java version "99.0"\' >&2 && exit 0'
    java.write_text(f"#!/bin/sh\n{version}\necho {said} >&2\nexit {code}\n")
    java.chmod(0o755)
    (tmp_path / "standalone.jar").touch()
    named = {"SAND_JAVA_HOME": str(tmp_path), "SAND_PLATFORM": str(tmp_path)}
    case = json.dumps({"definition": MACHINE})
    done = asl("run", "--batch", "--engine", "java", input=case, **named)
    assert (done.returncode, done.stdout) == (70, "")
    assert f"the jars in {tmp_path} are {age} than this command" in done.stderr


def test_what_is_called_and_is_no_function_is_told_in_the_result_alone() -> None:
    state = {"Type": "Pass", "QueryLanguage": "JSONata", "Output": "{% $states.input.f(2) %}", "End": True}
    case = {"definition": {"StartAt": "A", "States": {"A": state}}, "input": {"f": 1}}
    (line,) = asl("run", "--batch", input=json.dumps(case)).stdout.splitlines()
    assert "T1006" in json.loads(line)["cause"]
