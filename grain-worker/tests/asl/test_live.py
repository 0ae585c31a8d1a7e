"""The engine with real grains: coroutines in an event loop, and a clock that a test moves."""

import asyncio
from typing import Any

import pytest

from sand.asl import CallGrain, GrainFailed, Machine, Outcome, RealClock, Refused, document, validate
from sand.asl.opaque import Opaque
from sand.asl.tokens import TaskTokens


def run(machine: Machine, call: Any, input: Any = None) -> Outcome:
    return asyncio.run(machine.run_live(input or {}, call, clock=RealClock(speed=1e6)))


def task(**fields: Any) -> dict[str, Any]:
    return {"Type": "Task", "Resource": "g", "End": True, **fields}


def machine(**states: Any) -> Machine:
    return Machine({"StartAt": next(iter(states)), "States": states})


def test_calls_grains_and_waits_by_the_clock() -> None:
    async def double(call: CallGrain) -> Any:
        return {"n": call.input["n"] * 2}

    outcome = run(machine(A=task(End=False, Next="W"), W={"Type": "Wait", "Seconds": 600, "End": True}), double, {"n": 4})
    assert (outcome.status, outcome.output) == ("SUCCEEDED", {"n": 8})
    assert outcome.elapsed_ms >= 600_000
    assert outcome.states() == ["A", "W"]


def test_runs_branches_side_by_side() -> None:
    async def together(call: CallGrain) -> Any:
        arrived.append(call.input)
        if len(arrived) == 3:
            all_here.set()
        await all_here.wait()
        return call.input

    arrived: list[Any] = []
    all_here = asyncio.Event()
    each = {"StartAt": "T", "States": {"T": task()}}
    outcome = run(machine(M={"Type": "Map", "ItemProcessor": each, "End": True}), together, [1, 2, 3])
    assert outcome.output == [1, 2, 3]


def test_fails_a_task_by_the_name_of_its_exception() -> None:
    async def broken(call: CallGrain) -> Any:
        raise KeyError("width")

    outcome = run(machine(A=task()), broken)
    assert (outcome.status, outcome.error, outcome.cause) == ("FAILED", "KeyError", "'width'")


def test_retries_and_catches() -> None:
    async def flaky(call: CallGrain) -> Any:
        calls.append(call.step)
        raise GrainFailed("Busy", "later")

    calls: list[str] = []
    rules = {"Retry": [{"ErrorEquals": ["Busy"], "MaxAttempts": 2}], "Catch": [{"ErrorEquals": ["States.ALL"], "Next": "S"}]}
    outcome = run(machine(A=task(**rules), S={"Type": "Succeed"}), flaky)
    assert calls == ["A", "A#2", "A#3"]
    assert outcome.output == {"Error": "Busy", "Cause": "later"}


def test_times_out_a_call_and_cancels_it() -> None:
    async def slow(call: CallGrain) -> Any:
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.append(call.step)

    cancelled: list[str] = []
    outcome = run(machine(A=task(TimeoutSeconds=5)), slow)
    assert (outcome.status, outcome.error) == ("FAILED", "States.Timeout")
    assert cancelled == ["A"]


def test_cancels_what_nobody_waits_for_any_more() -> None:
    async def one_fails(call: CallGrain) -> Any:
        try:
            if call.grain == "bad":
                raise GrainFailed("Bad")
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            cancelled.append(call.step)
            raise

    cancelled: list[str] = []
    branches = [{"StartAt": name, "States": {name: task(Resource=name)}} for name in ("good", "bad")]
    outcome = run(machine(P={"Type": "Parallel", "Branches": branches, "End": True}), one_fails)
    assert outcome.error == "Bad"
    assert cancelled == ["P[0]/good"]


def test_refuses_a_definition_with_every_mistake() -> None:
    wrong = {"StartAt": "A", "States": {"A": {"Type": "Pass", "Color": 1}}}
    with pytest.raises(Refused) as refused:
        Machine(wrong)
    assert [one.code for one in refused.value.diagnostics] == [one.code for one in validate(wrong)]
    assert {one.code for one in refused.value.diagnostics} == {"MISSING_FIELD", "UNKNOWN_FIELD"}


def test_a_callback_ends_its_task_once() -> None:
    async def ask(call: CallGrain) -> Any:
        tokens.append(call.input)
        reported.append(running[0].beat("A>token"))
        reported.append(running[0].succeed("A>token", {"n": 1.5}))
        reported.append(running[0].fail("A>token", "Late", None))

    tokens: list[Any] = []
    reported: list[bool] = []
    running: list[Any] = []
    asking = machine(A=task(Resource="g.waitForTaskToken", Parameters={"token.$": "$$.Task.Token"}))
    key = TaskTokens(b"k" * 32)
    outcome = asyncio.run(asking.run_live({}, ask, tokens=key, began=running.append))
    assert outcome.plain_output() == {"n": 1.5}
    assert reported == [True, True, False]
    assert key.read(tokens[0]["token"]) == ("trial", "live", "A>token")
    assert TaskTokens(b"x" * 32).read(tokens[0]["token"]) is None


def test_what_is_no_json_is_handed_on_whole_and_has_no_inside() -> None:
    async def bytes_(call: CallGrain) -> Any:
        return raw if call.grain == "g" else call.input

    raw = Opaque("image/png", b"\x89", 1)
    assert run(machine(A=task()), bytes_).output is raw
    assert run(machine(A=task(Next="B", End=False), B=task(Resource="h")), bytes_).output is raw
    looks: list[dict[str, Any]] = [{"ResultPath": "$.x"}, {"OutputPath": "$.x"}, {"Assign": {"v.$": "$"}}]
    looks.append({"Resource": "arn:aws:states:::lambda:invoke", "Parameters": {"FunctionName": "g"}})
    for fields in looks:
        outcome = run(machine(A=task(**fields)), bytes_)
        assert (outcome.status, outcome.error) == ("FAILED", "States.Runtime"), fields
        assert (outcome.cause or "").endswith("a path looks into a value of type image/png; only JSON has an inside"), fields
    branch = {"StartAt": "T", "States": {"T": task()}}
    spread = {"ProcessorConfig": {"Mode": "DISTRIBUTED", "ExecutionType": "STANDARD"}, **branch}
    for joins in ({"Type": "Parallel", "Branches": [branch]}, {"Type": "Map", "ItemProcessor": spread}):
        outcome = run(machine(A={**joins, "End": True}), bytes_, [1])
        assert outcome.cause == "result 0 is of type image/png and cannot be an element of a JSON array"
        assert run(machine(A={**joins, "ResultPath": None, "End": True}), bytes_, [1]).output == [1]


def test_a_mistake_of_the_engine_or_its_driver_is_raised_and_nothing_waits() -> None:
    async def no_json(call: CallGrain) -> Any:
        return object()

    async def within() -> None:
        await asyncio.wait_for(machine(A=task(Assign={"v.$": "$"})).run_live({}, no_json), 20)

    with pytest.raises(TypeError, match="a value of type object is no JSON"):
        asyncio.run(within())


@pytest.mark.parametrize("report", ["succeed", "fail", "beat"])
def test_a_mistake_of_the_engine_while_a_callback_is_worked_on_is_raised_too(report: str) -> None:
    def breaks(*_: Any) -> Any:
        raise RuntimeError("broken")

    async def ask(_: CallGrain) -> Any:
        live = running[0]
        live.execution.succeeded = live.execution.failed = live.execution.heartbeat = breaks
        calls = {"succeed": lambda: live.succeed("A>token", 1), "fail": lambda: live.fail("A>token", "E", None)}
        call = calls.get(report, lambda: live.beat("A>token"))
        asyncio.get_running_loop().call_soon(lambda: reported.append(call()))
        await asyncio.sleep(60)

    async def within() -> None:
        asking = machine(A=task(Resource="g.waitForTaskToken", Parameters={"token.$": "$$.Task.Token"}))
        await asyncio.wait_for(asking.run_live({}, ask, tokens=TaskTokens(b"k" * 32), began=running.append), 5)

    running: list[Any] = []
    reported: list[bool] = []
    with pytest.raises(RuntimeError, match="broken"):
        asyncio.run(within())
    assert reported == [True]


def test_what_an_execution_ends_with_is_no_longer_than_others_can_bear() -> None:
    async def nothing(call: CallGrain) -> Any:
        raise AssertionError(call)

    outcome = run(
        machine(F={"Type": "Fail", "ErrorPath": "$.e", "CausePath": "$.c"}),
        nothing,
        {"e": "E" * 300, "c": "\U0001f648" * 40_000},
    )
    assert (outcome.error, outcome.cause) == ("E" * 256 + "…", "\U0001f648" * 32_768 + "…")


@pytest.mark.parametrize("text", ["1e1000000000", "[-1E-1000000001]", '{"a": 1e99999999999999999999}'])
def test_a_number_whose_exponent_no_engine_reckons_with_is_no_json(text: str) -> None:
    with pytest.raises(document.NoJson, match="more than 9 digits"):
        document.parse(text)
    assert document.parse("1e999999999") is not None


def test_of_a_number_only_digits_count() -> None:
    ones = "1" * 1000
    for text in (f"-{ones}", f"0.{ones[1:]}", f"{ones[2:]}e+05"):
        assert document.parse(text) == document.decimal(text)
        with pytest.raises(document.NoJson, match="a number in it has 1001 characters; the limit is 1000"):
            document.parse(text + "1")
