"""What a test is told of its own mistakes, and of values that are no JSON: an application in hand, without a pytest below."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sand.asl import limits
from sand.emulator.harness import Harness
from sand.emulator.inline import _Tee
from sand.emulator.lines import Lines, Origin, Which

RAW = "def handle(event, context):\n    return bytes((0, 255))\n"
SIZE = "def handle(event, context):\n    return [type(event).__name__, len(event)]\n"
SLEEPS = "import time\ndef handle(event, context):\n    time.sleep(event)\n    return 'done'\n"
DEEP = "def handle(event, context):\n    value = 1\n    for _ in range(300):\n        value = [value]\n    return value\n"
NO_JSON = "import sand\ndef handle(event, context):\n    return sand.Response('{', 'application/json')\n"
INVOKES = {"Type": "Task", "Resource": "arn:aws:states:::lambda:invoke", "Parameters": {"FunctionName": "raw"}, "End": True}
DEEPLY = {"StartAt": "Deep", "States": {"Deep": {"Type": "Task", "Resource": "deep", "End": True}}}
STARTS = {
    "Type": "Task",
    "Resource": "arn:aws:states:::states:startExecution.sync:2",
    "Parameters": {"StateMachineArn": "deeper"},
    "End": True,
}


RETRIED = {
    "Type": "Task",
    "Resource": "size",
    "Retry": [{"ErrorEquals": ["States.ALL"], "MaxAttempts": 99_999_999, "BackoffRate": 1}],
    "End": True,
}


def _machine(**states: dict[str, Any]) -> str:
    return json.dumps({"StartAt": next(iter(states)), "States": states})


FILES = {
    "sand.yaml": "name: shop\nqueues: {later: {target: size}}\ntriggers: {nightly: {cron: '0 3 * * *', target: size}}\n",
    "grains/raw/handler.py": RAW,
    "grains/size/handler.py": SIZE,
    "grains/sleep/handler.py": SLEEPS,
    "tests/events/size/tea.json": "[1]",
    "workflows/hand-on.asl.json": _machine(Raw={"Type": "Task", "Resource": "raw", "End": True}),
    "workflows/placed.asl.json": _machine(Raw={"Type": "Task", "Resource": "raw", "ResultPath": "$.x", "End": True}),
    "workflows/invoked.asl.json": _machine(Raw=INVOKES),
    "workflows/sized.asl.json": _machine(
        Raw={"Type": "Task", "Resource": "raw", "Next": "Size"}, Size={"Type": "Task", "Resource": "size", "End": True}
    ),
    "workflows/retried.asl.json": _machine(Size=RETRIED),
    "grains/deep/handler.py": DEEP,
    "grains/no-json/handler.py": NO_JSON,
    "workflows/deeper.asl.json": _machine(Both={"Type": "Parallel", "Branches": [DEEPLY], "End": True}),
    "workflows/kept.asl.json": _machine(
        Both={"Type": "Parallel", "Branches": [DEEPLY], "Next": "Size"}, Size={"Type": "Task", "Resource": "size", "End": True}
    ),
    "workflows/started.asl.json": _machine(Raw={"Type": "Task", "Resource": "sand:workflow:deeper", "End": True}),
    "workflows/told.asl.json": _machine(Start={**STARTS, "ResultSelector": {"o.$": "$.Output"}}),
    "workflows/broken.asl.json": _machine(
        Raw={"Type": "Task", "Resource": "no-json", "Next": "Size"}, Size={"Type": "Task", "Resource": "size", "End": True}
    ),
    "workflows/outer.asl.json": _machine(Raw={"Type": "Task", "Resource": "sand:workflow:hand-on", "End": True}),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("shop")
    for name, text in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


@pytest.fixture
def shop(folder: Path) -> Iterator[Harness]:
    with Harness(folder) as harness:
        yield harness


def test_a_state_that_looks_into_bytes_fails_in_virtual_time_and_with_real_grains(shop: Harness) -> None:
    cause = "a path looks into a value of type application/octet-stream; only JSON has an inside"
    for name in ("placed", "invoked"):
        ends = (shop.invoke(name, {"q": 1}, timeout_ms=20_000), shop.workflow(name, {"q": 1}))
        for end in ends:
            assert (end.status, end.error) == ("FAILED", "States.Runtime"), name
            assert (end.cause or "").endswith(cause)


def test_bytes_go_through_a_workflow_whole(shop: Harness) -> None:
    outcome = shop.workflow("hand-on")
    assert (outcome.status, outcome.output, shop.call("raw")) == ("SUCCEEDED", b"\x00\xff", b"\x00\xff")
    outcome = shop.workflow("sized")
    assert outcome.output == ["bytes", 2]
    assert outcome.calls[1].input == b"\x00\xff"
    assert shop.workflow("sized", stubs={"raw": {"return": b"123"}}).output == ["bytes", 3]
    assert shop.workflow("sized", stubs={"raw": lambda input: bytearray(4), "size": lambda input: len(input)}).output == 4
    assert shop.workflow("placed", stubs={"raw": {"return": b"123"}}).error == "States.Runtime"
    assert shop.workflow("outer").error == "States.DataLimitExceeded"


def test_what_is_called_json_and_is_too_much_or_none_goes_through_whole_too(shop: Harness) -> None:
    deep = shop.call("deep")
    for name, output in (("deeper", [deep]), ("started", [deep]), ("kept", ["list", 1])):
        assert shop.workflow(name).output == shop.call(name) == output, name
    assert shop.workflow("kept").calls[1].input == [deep]
    for end in (shop.workflow("broken"), shop.invoke("broken")):
        assert (end.status, end.error) == ("FAILED", "Sand.BadRequest")
    outcome = shop.workflow("broken", stubs={"size": lambda input: 1})
    assert (outcome.error, outcome.calls[1].input) == ("Sand.BadRequest", b"{")


def test_what_tells_of_a_value_without_an_inside_has_none(shop: Harness) -> None:
    told = shop.invoke("told")
    assert (told.status, told.error) == ("FAILED", "States.DataLimitExceeded")
    assert "a path looks into a value that is over a limit: it is nested 302 levels deep; the limit is 200" in (
        told.cause or ""
    )


@pytest.mark.parametrize("stub", [[], {"return": object()}, {"return": {"a": b"1"}}, [{"return": 1}, {"return": {1, 2}}]])
def test_a_stub_that_gives_nothing_that_a_handler_can_is_refused(shop: Harness, stub: Any) -> None:
    with pytest.raises(ValueError, match="a stub cannot be used: /raw"):
        shop.workflow("hand-on", stubs={"raw": stub})


def test_what_a_stub_function_returns_is_encoded_as_a_handlers_result(shop: Harness) -> None:
    outcome = shop.workflow("hand-on", stubs={"raw": lambda input: {1, 2}})
    assert (outcome.status, outcome.error) == ("FAILED", "Sand.Unserializable")
    assert "set is not JSON serializable" in (outcome.cause or "")
    assert shop.workflow("hand-on", stubs={"raw": lambda input: (1, 2.5)}).plain_output() == [1, 2.5]


@pytest.mark.parametrize("ask", ["enqueue", "waiting", "dead_letters"])
def test_a_queue_that_is_not_there_is_no_empty_one(shop: Harness, ask: str) -> None:
    with pytest.raises(KeyError, match="application shop has no queue latre; it has later"):
        getattr(shop, ask)("latre")
    assert shop.waiting("later") == shop.waiting("nightly") == 0


def test_a_trigger_or_event_that_is_not_there_is_told_with_those_that_are(shop: Harness) -> None:
    with pytest.raises(KeyError, match="application shop has no trigger hourly; it has nightly"):
        shop.fire("hourly")
    with pytest.raises(FileNotFoundError, match=r"no file tests/events/size/nope\.json; the events of size there are tea"):
        shop.event("size", "nope")
    with pytest.raises(FileNotFoundError, match="raw has no events there"):
        shop.event("raw", "nope")
    assert shop.event("size", "tea") == [1]


@pytest.mark.parametrize("timeout_ms", ["x", 0, None, 1.5])
def test_a_deadline_is_a_number_of_milliseconds(shop: Harness, timeout_ms: Any) -> None:
    with pytest.raises(ValueError, match="timeout_ms is a whole number from 1"):
        shop.invoke("sleep", 0, timeout_ms=timeout_ms)


def test_a_handler_in_this_process_is_not_held_to_its_deadline(shop: Harness, folder: Path) -> None:
    """As the guide says."""
    assert shop.invoke("sleep", 0.3, timeout_ms=100).status == "SUCCEEDED"
    with Harness(folder, forked=True) as forked:
        assert forked.invoke("sleep", 20, timeout_ms=500).status == "TIMED_OUT"


def test_what_a_debugger_says_is_on_the_terminal_once(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal, shown = io.StringIO(), list[str]()
    lines = Lines(lambda line: shown.append(line["text"]))
    tee = _Tee(lines, Origin("shop", 1), "stdout", terminal)
    tee.write("before\n")
    monkeypatch.setattr(sys, "gettrace", lambda: print)
    for text in ("> handler.py(2)handle()", "\n", "(Pdb) ", "-> return 1", "\n", "two\nlines"):
        tee.write(text)
    monkeypatch.undo()
    tee.write(" end\nafter\n")
    assert terminal.getvalue() == "> handler.py(2)handle()\n(Pdb) -> return 1\nlines end\n"
    assert shown == ["before", "two", "after"]
    kept = lines.before("shop", Which(), None, 10)[0]
    assert [line["text"] for line in kept] == [
        "before",
        "> handler.py(2)handle()",
        "(Pdb) -> return 1",
        "two",
        "lines end",
        "after",
    ]


def test_a_history_names_what_happened_to_a_task(shop: Harness) -> None:
    outcome = shop.workflow("retried", stubs={"size": [{"raise": {"error": "Busy"}}, {"return": 1}]})
    told = ["TaskCalled", "TaskFailed", "RetryScheduled", "TaskCalled", "TaskSucceeded"]
    assert [event.kind for event in outcome.history][2:-2] == told, outcome.history
    invoked = shop.workflow("invoked", stubs={"raw": {"return": 1}})
    assert "TaskSucceeded" in [event.kind for event in invoked.history]


def test_what_is_tried_again_for_ever_ends(shop: Harness, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "TRANSITIONS", 500)
    outcome = shop.workflow("retried", stubs={"size": {"raise": {"error": "Busy"}}})
    assert (outcome.error, (outcome.cause or "")[-31:]) == ("States.Runtime", "states that it may enter (500).")
    assert len([event for event in outcome.history if event.kind == "TaskCalled"]) == 500
