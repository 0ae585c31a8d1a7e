"""Executions that ended without success, and run on from the state that failed."""

import asyncio
from typing import Any

from sand.asl import CallGrain, Execution, Finished, GrainFailed, Machine, RealClock, trial
from sand.asl.live import Live
from sand.asl.stubs import Stubs


def task(**fields: Any) -> dict[str, Any]:
    return {"Type": "Task", "Resource": "g", "End": True, **fields}


class Grain:
    """Fails the calls of these numbers."""

    def __init__(self, *failing: int) -> None:
        self.failing = failing
        self.steps: list[str] = []

    async def __call__(self, call: CallGrain) -> Any:
        self.steps.append(call.step)
        if len(self.steps) in self.failing:
            raise GrainFailed("Broken", str(len(self.steps)))
        return len(self.steps)


def live(execution: Execution, grain: Grain) -> Live:
    return Live(execution, grain, RealClock(speed=1e6))


def test_it_runs_on_from_the_state_that_failed_with_the_results_before_it_and_retriers_anew() -> None:
    retry = [{"ErrorEquals": ["Broken"], "MaxAttempts": 1}]
    states = {
        "A": task(ResultPath="$.a", End=False, Next="B", Assign={"v.$": "$"}),
        "B": task(ResultPath="$.b", Retry=retry, End=False, Next="C"),
        "C": {
            "Type": "Pass",
            "Parameters": {"a.$": "$.a", "b.$": "$.b", "v.$": "$v", "n.$": "$$.Execution.RedriveCount"},
            "End": True,
        },
    }
    execution = Machine({"StartAt": "A", "States": states}).execution(id="x", start_ms=0)
    grain = Grain(2, 3, 4)
    failed = asyncio.run(live(execution, grain).run({}))
    assert (failed.status, failed.error, failed.cause) == ("FAILED", "Broken", "3")
    end = asyncio.run(live(execution, grain).redrive(Finished("FAILED", None, "Broken", "3"), 10))
    assert (end.status, end.output) == ("SUCCEEDED", {"a": 1, "b": 5, "v": 1, "n": 1})
    assert grain.steps == ["A", "B", "B#2", "B#3", "B#4"]
    kinds = [event.kind for event in end.history]
    assert kinds.count("ExecutionRedriven") == 1
    assert [event.state for event in end.history if event.kind == "StateEntered"] == ["A", "B", "C"]


def test_of_a_parallel_the_branches_that_had_not_succeeded_run_on() -> None:
    branches = [{"StartAt": name, "States": {name: task()}} for name in ("T", "U")]
    states = {"P": {"Type": "Parallel", "Branches": branches, "End": True}}
    execution = Machine({"StartAt": "P", "States": states}).execution(id="x", start_ms=0)
    grain = Grain(2)
    assert asyncio.run(live(execution, grain).run({})).status == "FAILED"
    end = asyncio.run(live(execution, grain).redrive(Finished("FAILED", None, "Broken", "2"), 10))
    assert (end.status, grain.steps[2:]) == ("SUCCEEDED", ["P[1]/U#2"])


def test_one_that_was_stopped_in_a_parallel_goes_on_in_it() -> None:
    wait = {"StartAt": "W", "States": {"W": {"Type": "Wait", "Seconds": 5, "End": True}}}
    states = {"P": {"Type": "Parallel", "Branches": [wait, {"StartAt": "T", "States": {"T": task()}}], "End": True}}
    execution = Machine({"StartAt": "P", "States": states}).execution(id="x", start_ms=0)
    (_, called) = execution.start({"n": 1})
    execution.succeeded(called.id, 1, 500)
    (timer,) = execution.redrive(Finished("CANCELLED", None, "Enough", "asked"), 1000, 2000)
    assert (timer.step, timer.delay_ms) == ("P[0]/W#2", 5000)
    (finished,) = execution.fired(timer.id, 8000)
    assert finished.output == [{"n": 1}, 1]


def test_one_that_was_stopped_tells_so_and_waits_anew() -> None:
    states = {"W": {"Type": "Wait", "Seconds": 5, "End": True}}
    execution = Machine({"StartAt": "W", "TimeoutSeconds": 60, "States": states}).execution(id="x", start_ms=0)
    execution.start({"n": 1})
    commands = execution.redrive(Finished("CANCELLED", None, "Enough", "asked"), 1000, 2000)
    assert [(command.step, command.delay_ms) for command in commands] == [(">timeout#1", 60_000), ("W#2", 5000)]
    aborted, redriven = execution.history[-3:-1]
    assert (aborted.kind, aborted.at_ms, aborted.detail) == ("ExecutionAborted", 1000, {"error": "Enough", "cause": "asked"})
    assert (redriven.kind, redriven.at_ms) == ("ExecutionRedriven", 2000)
    (finished,) = [one for one in execution.fired(commands[1].id, 8000) if isinstance(one, Finished)]
    assert finished.output == {"n": 1}


def chain(count: int) -> dict[str, Any]:
    states = {f"S{at}": {"Type": "Pass", "Assign": {"v": at}, "Next": f"S{at + 1}"} for at in range(count)}
    return {"StartAt": "S0", "States": states | {f"S{count}": {"Type": "Succeed"}}}


def test_what_states_had_is_kept_of_those_alone_that_a_redrive_may_begin_from() -> None:
    """Of all of them it would be as much as the square of their number."""
    for places, entered in (((), []), (("S3",), ["S3"]), (None, [f"S{at}" for at in range(6)])):
        execution = Machine(chain(5)).execution(places=places)
        trial.run(execution, {}, Stubs(None))
        assert execution.entered() == entered


def test_a_place_has_the_variables_and_attempts_of_its_time() -> None:
    spin = {"Type": "Choice", "Choices": [{"Variable": "$v", "NumericEquals": 1, "Next": "End"}], "Default": "Again"}
    states = {
        "First": {"Type": "Pass", "Assign": {"v": 0}, "Next": "Spin"},
        "Spin": spin,
        "Again": {"Type": "Pass", "Assign": {"v": 1}, "Next": "Spin"},
        "End": {"Type": "Succeed"},
    }
    execution = Machine({"StartAt": "First", "States": states}).execution()
    trial.run(execution, {}, Stubs(None))
    again, last = execution.place("Again"), execution.place("End")
    assert again is not None and last is not None
    assert (again.variables["v"][0], last.variables["v"][0]) == (0, 1)
    assert [again.is_after(step) for step in ("First", "Spin", "Spin#2", "Again", "End")] == [True, True, False, False, False]
    assert [last.is_after(step) for step in ("Spin", "Spin#2", "Spin#3", "Again", "Again>publish[0]")] == [
        True,
        True,
        False,
        True,
        True,
    ]
