"""Histories of executions in the emulator, beyond what the scenario `chronicle` shows of both it and the platform."""

from __future__ import annotations

import json
from typing import Any

import pytest
from served import Served

from sand.asl import events
from sand.asl.events import EventLog

WAIT = {"StartAt": "Step", "States": {"Step": {"Type": "Task", "Resource": "step", "End": True}}}


def load(served: Served, code: str) -> None:
    served.grain("step", code)
    served.grain("broken", "def handle(event, context):\n    raise ValueError('no')\n")
    (served.folder / "workflows").mkdir()
    (served.folder / "workflows/main.asl.json").write_text(json.dumps(WAIT))
    served.load()


def history(served: Served, **query: Any) -> Any:
    id = served.call("main", 1).headers["Sand-Execution-Id"]
    return served.http.get(f"/api/v1/applications/app/invocations/{id}/history", params=query)


def test_a_large_value_is_said_to_be_truncated(served: Served) -> None:
    load(served, f"def handle(event, context):\n    return 'x' * {events.VALUE_BYTES}\n")
    shown = history(served).json()["events"]
    details = next(event for event in shown if event["type"] == "LambdaFunctionSucceeded")[
        "lambdaFunctionSucceededEventDetails"
    ]
    assert details == {"outputDetails": {"truncated": True}}


def test_a_value_that_is_no_json_is_said_to_be_truncated(served: Served) -> None:
    load(served, "def handle(event, context):\n    return b'raw'\n")
    assert history(served, reverse=True).json()["events"][0]["executionSucceededEventDetails"] == {
        "outputDetails": {"truncated": True}
    }


def test_it_has_the_end_of_the_execution_rather_than_that_of_its_machine(served: Served) -> None:
    load(served, "def handle(event, context):\n    context.publish('broken', 1)\n")
    last = history(served, reverse=True).json()["events"][0]
    assert (last["type"], last["executionFailedEventDetails"]["error"]) == ("ExecutionFailed", "ValueError")


def test_more_than_is_kept_is_no_history(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events, "MOST_BYTES", 10)
    log = EventLog()
    for id in range(1, 4):
        log.add("", id, 0, 0, "PassStateEntered", {"input": "12345"})
    assert log.is_over and not log.of("")
