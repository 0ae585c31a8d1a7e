"""A value that is no JSON has no inside: a state that looks into one fails with the same words on the platform and on the
emulator, and one that hands it on does so whole. docs/WORKFLOWS.md, "Values that are large, or no JSON"."""

import json
from typing import Any

import pytest
from conftest import zipped
from scenario import Server

pytestmark = pytest.mark.slow
GRAINS = {
    "raw": "def handle(event, context):\n    return bytes((0, 255))\n",
    "text": "import sand\ndef handle(event, context):\n    return sand.Response('hi', 'text/plain')\n",
    "same": "def handle(event, context):\n    return event\n",
    "broken": "import sand\ndef handle(event, context):\n"
    "    return sand.Response(bytes.fromhex(event['gives']), 'application/json')\n",
}
NO_JSON = " a path looks into a value that is no JSON: "
OVER = " a path looks into a value that is over a limit: "
# What is called JSON and is none, or too much: what is told of it.
BROKEN = {
    b"{": NO_JSON + "it ends in the middle of a value",
    b"": NO_JSON + "no value",
    b"1 2": NO_JSON + "more than one JSON value",
    b"\xef\xbb\xbf{}": NO_JSON + "it begins with a byte order mark, which no JSON does",
    b'["\xff"]': NO_JSON + "it is not in UTF-8",
    b"[NaN]": NO_JSON + "Non-standard token 'NaN'",
    b'{"a":[1e99999999999]}': NO_JSON + "the exponent of a number in it has more than 9 digits",
    b"[" * 300 + b"]" * 300: OVER + "it is nested 300 levels deep; the limit is 200",
    b"1" * 1001: OVER + "a number in it has 1001 characters; the limit is 1000",
}
OCTETS = "application/octet-stream"
_END = {"End": True}


def task(grain: str, **more: Any) -> dict[str, Any]:
    return {"Type": "Task", "Resource": grain, **({} if "Next" in more else _END), **more}


def then(state: dict[str, Any], **more: Any) -> dict[str, Any]:
    """After a task that gives bytes."""
    return {"StartAt": "Raw", "States": {"Raw": task("raw", Next="Look"), "Look": {**_END, **state}}, **more}


def only(state: dict[str, Any], name: str = "Look", **more: Any) -> dict[str, Any]:
    return {"StartAt": name, "States": {name: state}, **more}


RAW = only(task("raw"), "Raw")
BOTH = {"Type": "Parallel", "Branches": [only(task("same", Parameters={"a": 1}), "Same"), RAW]}
SPREAD = {"ProcessorConfig": {"Mode": "DISTRIBUTED", "ExecutionType": "STANDARD"}, **RAW}
NONE = {"WriterConfig": {"Transformation": "NONE", "OutputType": "JSON"}}
FLAT = {"WriterConfig": {"Transformation": "FLATTEN", "OutputType": "JSON"}}
COMPACT = {
    "Resource": "arn:aws:states:::s3:putObject",
    "Parameters": {"Bucket": "results", "Prefix": "runs"},
    "WriterConfig": {"Transformation": "COMPACT", "OutputType": "JSON"},
}
CHOICE = {"Type": "Choice", "Choices": [{"Variable": "$", "IsPresent": True, "Next": "End"}], "Default": "End"}
ATA = {"QueryLanguage": "JSONata"}
LOOKS = {
    "result-path": only(task("raw", ResultPath="$.x")),
    "result-path-of-text": only(task("text", ResultPath="$.x")),
    "result-selector": only(task("raw", ResultSelector={"a.$": "$"})),
    "result-selector-below": only(task("raw", ResultSelector={"a.$": "$.x"})),
    "output-path": only(task("raw", OutputPath="$.x")),
    "assign": only(task("raw", Assign={"v.$": "$"})),
    "parameters": then(task("same", Parameters={"a.$": "$"})),
    "input-path": then({"Type": "Pass", "InputPath": "$.a"}),
    "intrinsic": then({"Type": "Pass", "Parameters": {"a.$": "States.JsonToString($)"}}),
    "pass": then({"Type": "Pass", "Result": 1, "ResultPath": "$.a"}),
    "catch": then(task("raw", ResultPath="$.n", Catch=[{"ErrorEquals": ["States.ALL"], "ResultPath": "$.e", "Next": "Raw"}])),
    "fail": then({"Type": "Fail", "CausePath": "$"}),
    "wait": then({"Type": "Wait", "SecondsPath": "$"}),
    "timeout": then(task("same", TimeoutSecondsPath="$.t")),
    "items": then({"Type": "Map", "Iterator": only(task("raw"), "Item")}),
    "message-body": then(
        task("arn:aws:states:::sqs:sendMessage", Parameters={"QueueUrl": "later", "MessageBody.$": "$"}),
    ),
    "start-execution": then(
        task("arn:aws:states:::states:startExecution", Parameters={"StateMachineArn": "whole", "Input.$": "$"}),
    ),
    "element": {"StartAt": "Both", "States": {"Both": {**BOTH, "Next": "Look"}, "Look": task("same", InputPath="$[0]")}},
    "branches": only({**BOTH, **_END, "ResultPath": "$.x"}),
    "iterations": only({"Type": "Map", "ItemsPath": "$.many", "Iterator": RAW, "ResultPath": "$.x", **_END}),
    "spread": only({"Type": "Map", "ItemsPath": "$.many", "ItemProcessor": SPREAD, "ResultSelector": {"a.$": "$"}, **_END}),
    "written": only({"Type": "Map", "ItemsPath": "$.many", "ItemProcessor": SPREAD, "ResultWriter": COMPACT, **_END}),
    "flat": only({"Type": "Map", "ItemsPath": "$.many", "ItemProcessor": SPREAD, "ResultWriter": FLAT, **_END}),
    "jsonata-output": only(task("raw", Output="{% $states.result %}"), **ATA),
    "jsonata-type": only(task("raw", Output="{% $type($states.result) %}"), **ATA),
    "jsonata-assign": only(task("raw", Assign={"v": "{% $states.result %}"}), **ATA),
    "jsonata-arguments": then(task("same", Arguments={"a": "{% $states.input %}"}), **ATA),
}
del LOOKS["fail"]["States"]["Look"]["End"]
LOOKS["service"] = only(task("arn:aws:states:::lambda:invoke", Parameters={"FunctionName": "raw"}))
LOOKS["choice"] = {"StartAt": "Raw", "States": {"Raw": task("raw", Next="Look"), "Look": CHOICE, "End": {"Type": "Succeed"}}}
GIVES = {"StartAt": "Give", "States": {"Give": task("broken")}}
WHOLE = {
    "gives": GIVES,
    "looks": {"StartAt": "Give", "States": {"Give": task("broken", ResultPath="$.r")}},
    "beside": only({"Type": "Parallel", "Branches": [only({"Type": "Pass", "Result": 1, **_END}, "One"), GIVES], **_END}),
    "whole": RAW,
    "through": then(task("same", OutputPath="$")),
    "around": only(task("raw", ResultPath=None)),
    "jsonata-whole": only(task("raw"), **ATA),
    "context": only({"Type": "Pass", "Parameters": {"name.$": "$$.State.Name"}, **_END}),
    "context-jsonata": only({"Type": "Pass", "Output": "{% $states.context.State.Name %}", **_END}, **ATA),
    "context-input": only({"Type": "Pass", "Parameters": {"given.$": "$$.Execution.Input"}, **_END}),
    "joined": only({**BOTH, **_END}),
    "joined-to": {"StartAt": "Both", "States": {"Both": {**BOTH, "Next": "Look"}, "Look": task("same")}},
    "told": only({"Type": "Map", "ItemsPath": "$.many", "ItemProcessor": SPREAD, "ResultWriter": NONE, **_END}),
    "child": only(task("sand:workflow:whole")),
    "queued": then(task("sand:queue:later")),
}


@pytest.fixture(scope="module")
def server(either: str) -> Server:
    found = Server(either)
    files = {"sand.yaml": "name: opaque\nqueues: {later: {target: same}}\n"}
    files |= {f"grains/{name}/handler.py": code for name, code in GRAINS.items()}
    files |= {f"workflows/{name}.asl.json": json.dumps(each) for name, each in (LOOKS | WHOLE).items()}
    deployed = found.deploy(zipped(files))
    assert deployed.status_code == 201, deployed.text
    return found


@pytest.mark.parametrize("name", LOOKS)
def test_a_state_that_looks_into_it_fails(server: Server, name: str):
    answer = server.http.post(f"/invoke/opaque/{name}", json={"many": [1]}, timeout=20).json()
    kind = "text/plain" if name.endswith("text") else OCTETS
    assert answer["error"] == "States.Runtime", answer
    cause = f" a path looks into a value of type {kind}; only JSON has an inside"
    assert answer["detail"].startswith("An error occurred while executing the state 'Look'"), answer
    assert answer["detail"].endswith(cause), answer


def test_a_state_that_hands_it_on_does_so_whole(server: Server):
    def asked(name: str, **body: Any) -> Any:
        return server.http.post(f"/invoke/opaque/{name}", timeout=20, **(body or {"json": {"q": 1}}))

    for name in ("whole", "through", "jsonata-whole"):
        assert (asked(name).content, asked(name).headers["content-type"]) == (b"\x00\xff", OCTETS), name
    assert asked("around").json() == {"q": 1}
    bare = {"content": b"\xff", "headers": {"Content-Type": OCTETS}}
    assert asked("context", **bare).json() == {"name": "Look"}
    assert asked("context-jsonata", **bare).json() == "Look"
    assert asked("context-input", **bare).json()["error"] == "States.Runtime"
    sent = asked("queued").json()
    assert sent["MD5OfMessageBody"] == "d07d34efac6328007ad67c7e0a985e00", sent


def test_the_record_of_an_iteration_says_that_its_output_is_not_in_it(server: Server):
    (record,) = server.http.post("/invoke/opaque/told", json={"many": [1]}, timeout=20).json()
    assert (record["Status"], record["Input"], record["OutputDetails"]) == ("SUCCEEDED", "1", {"Included": False})
    assert "Output" not in record


def test_what_no_caller_and_no_grain_can_be_given(server: Server):
    cause = f"result 1 is of type {OCTETS} and cannot be an element of a JSON array"
    for name in ("joined", "joined-to"):
        answer = server.http.post(f"/invoke/opaque/{name}", json={}, timeout=20).json()
        assert answer["error"] == "States.Runtime" and answer["detail"].endswith(cause), answer
    child = server.http.post("/invoke/opaque/child", json={}, timeout=20).json()
    assert child["error"] == "States.DataLimitExceeded" and "is no JSON, or is kept no more" in child["detail"]


@pytest.mark.parametrize("value", BROKEN, ids=lambda value: repr(value[:24]))
def test_what_is_called_json_and_is_none_has_no_inside_either(server: Server, value: bytes):
    def asked(name: str, what: dict[str, Any]) -> Any:
        return server.http.post(f"/invoke/opaque/{name}", timeout=20, **what)

    gives = {"json": {"gives": value.hex()}}
    assert (asked("gives", gives).content, asked("gives", gives).headers["content-type"]) == (value, "application/json")
    assert asked("beside", gives).content == b"[1," + value + b"]"
    told = asked("looks", gives).json()
    assert told["error"] == ("States.DataLimitExceeded" if OVER in BROKEN[value] else "States.Runtime"), told
    assert told["detail"].startswith("An error occurred while executing the state 'Give'"), told
    assert told["detail"].endswith(BROKEN[value]), told


def test_an_input_whose_numbers_nobody_reckons_with_is_handed_on(server: Server):
    huge = {"content": b'{"a":1e99999999999}', "headers": {"Content-Type": "application/json"}}
    given = server.http.post("/invoke/opaque/context-input", timeout=20, **huge).json()
    assert (given["error"], NO_JSON in given["detail"]) == ("States.Runtime", True), given
    assert server.http.post("/invoke/opaque/context", timeout=20, **huge).json() == {"name": "Look"}
