"""Time-outs of workflows: what is told of them, and that nothing is late while somebody looks."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from served import Served

from sand.emulator.emulator import Emulator
from sand.emulator.inline import DebuggedGrains

SLOW = "import time\n\n\ndef handle(event, context):\n    time.sleep(event)\n    return 'done'\n"
TASK: dict[str, Any] = {"Type": "Task", "Resource": "slow", "TimeoutSeconds": 1, "End": True}
CATCH = {"Catch": [{"ErrorEquals": ["States.Timeout"], "Next": "After"}]}


def load(served: Served, task: dict[str, Any], **more: Any) -> None:
    served.grain("slow", SLOW)
    states = {"Step": task, **({"After": {"Type": "Succeed"}} if "Catch" in task else {})}
    (served.folder / "workflows").mkdir()
    (served.folder / "workflows/main.asl.json").write_text(json.dumps({"StartAt": "Step", "States": states, **more}))
    served.load()


@pytest.fixture
def debugged(tmp_path: Path) -> Iterator[Served]:
    with Emulator(make=DebuggedGrains) as emulator:
        one = Served(emulator, tmp_path)
        yield one
        one.http.close()


@pytest.mark.slow
def test_a_caught_one_has_no_cause(forked: Served) -> None:
    load(forked, {**TASK, **CATCH})
    assert forked.ask("main", 30) == {"Error": "States.Timeout", "Cause": ""}


@pytest.mark.slow
def test_one_that_nobody_catches_is_told_in_full(forked: Served) -> None:
    load(forked, TASK)
    answered = forked.call("main", 30)
    problem = answered.json()
    assert (problem["error"], problem["source"], problem["retryable"]) == ("States.Timeout", "grain", False)
    assert problem["detail"].startswith("step Step ran for ")
    assert problem["detail"].endswith("limit of grain slow or of the step")
    id = answered.headers["Sand-Execution-Id"]
    events = forked.http.get(f"/api/v1/applications/app/invocations/{id}/history").json()["events"]
    assert events[-1]["executionFailedEventDetails"] == {"error": "States.Timeout"}
    timed_out = next(event for event in events if event["type"] == "LambdaFunctionTimedOut")
    assert timed_out["lambdaFunctionTimedOutEventDetails"] == {"error": "States.Timeout"}


@pytest.mark.slow
def test_the_workflows_own_is_not_taken_for_a_tasks_before_it(forked: Served) -> None:
    retry = {"Retry": [{"ErrorEquals": ["States.ALL"], "IntervalSeconds": 60}]}
    load(forked, {**TASK, **retry}, TimeoutSeconds=2)
    problem = forked.call("main", 30).json()
    assert (problem["detail"], problem["source"]) == ("The execution ran longer than its TimeoutSeconds, 2.", "grain")


@pytest.mark.slow
def test_nothing_is_late_while_a_handler_is_looked_at(debugged: Served) -> None:
    load(debugged, TASK, TimeoutSeconds=2)
    assert debugged.ask("main", 3) == "done"


@pytest.mark.slow
def test_a_wait_passes_all_the_same(debugged: Served) -> None:
    load(debugged, {"Type": "Wait", "Seconds": 2, "End": True}, TimeoutSeconds=1)
    problem = debugged.call("main", 0).json()
    assert problem["detail"] == "The execution ran longer than its TimeoutSeconds, 1."
