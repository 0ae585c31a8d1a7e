"""Who asks for the result of what it invokes as soon as it has invoked it, says so: it is told that it runs with the result."""

from __future__ import annotations

import json
from typing import Any

from broker_data import sand
from sandbox import Sandbox

INVOKES = """
import time
import sand.process

REAL = sand.process._AT_ONCE_NS

def handle(event, context):
    process = context.process
    sand.process._AT_ONCE_NS = REAL if event == "work first" else 10**11  # no test waits for a machine that is busy
    if event == "call":
        return process.invoke("q", "f").result()
    if event == "timeout":
        return process.invoke("q", "f").result(timeout=2)
    if event == "read first":
        call = process.invoke("q", "f")
        return [process.state("a"), call.result()]
    if event == "work first":
        call = process.invoke("q", "f")
        time.sleep(0.01)
        return call.result()
    if event == "two":
        first, second = process.invoke("q", "f"), process.invoke("q", "f")
        return [second.result(), first.result()]
    if event == "three":
        return [call.result() for call in [process.invoke("q", "f") for _ in range(3)]]
    if event == "call after call":
        return [process.invoke("q", "f").result() for _ in range(3)]
    if event == "one besides":
        process.invoke("q", "f")
        return process.invoke("q", "f").result()
    if event == "start":
        return process.invoke("q", "f").id
    if event == "handled":
        try:
            process.invoke("q", "f").result()
        except Exception as failed:
            return str(failed)
    return event
"""
THREE = sand.ProcessResult(output=sand.Payload(contentType="application/json", bytes=b"3"))


def running(sandbox: Sandbox) -> None:
    sandbox.spawn(sandbox.ready(INVOKES, isolation="worker"))


def told(sandbox: Sandbox, event: str, id: str, results: int = 1) -> Any:
    sandbox.broker.results |= {f"{id}#{number}": THREE for number in range(results)}
    answer = sandbox.send(event, process="p", eventId=id)
    assert isinstance(answer, sand.FinishRequest), answer
    return json.loads(answer.output.bytes)


def awaited(sandbox: Sandbox) -> list[bool]:
    return [asked.awaited for asked in sandbox.broker.asked("processInvoke")]


def results_asked(sandbox: Sandbox) -> list[Any]:
    return [asked.invocation for asked in sandbox.broker.asked("processResult")]


def test_a_result_comes_with_the_answer_that_it_runs(sandbox: Sandbox) -> None:
    running(sandbox)
    assert [told(sandbox, "call", "a"), told(sandbox, "call", "b")] == [3, 3]
    sandbox.broker.results["c#0"] = sand.ProcessResult(error="ValueError", cause="no")
    failed = sandbox.send("call", process="p", eventId="c")
    assert (failed.error, failed.cause) == ("ValueError", "no")
    assert awaited(sandbox) == [True, True, True]
    assert results_asked(sandbox) == []


def test_one_that_has_not_come_is_asked_for(sandbox: Sandbox) -> None:
    running(sandbox)
    event = sandbox.event("call", process="p", eventId="a")
    sandbox.broker.hand(event)
    failed = sandbox.broker.until(lambda: sandbox.answer("a"))
    assert failed.error == "Sand.Timeout"
    assert results_asked(sandbox) == ["a#0"]
    assert told(sandbox, "call", "b") == 3
    assert awaited(sandbox) == [True, True]


def test_a_timeout_goes_with_the_call_that_asks(sandbox: Sandbox) -> None:
    running(sandbox)
    sandbox.broker.hand(sandbox.event("timeout", process="p", eventId="a"))
    assert sandbox.broker.until(lambda: sandbox.answer("a")).error == "Sand.Timeout"
    (asked,) = sandbox.broker.asked("processResult")
    assert (asked.invocation, asked.waitMs) == ("a#0", 2_000)


def test_a_timeout_is_not_for_what_has_come(sandbox: Sandbox) -> None:
    running(sandbox)
    assert told(sandbox, "timeout", "a") == 3
    assert results_asked(sandbox) == []


def test_who_does_something_else_first_is_not_made_to_wait_the_next_time(sandbox: Sandbox) -> None:
    running(sandbox)
    assert told(sandbox, "work first", "a") == 3
    assert told(sandbox, "work first", "b") == 3
    assert awaited(sandbox) == [True, False]
    assert results_asked(sandbox) == ["b#0"]
    assert told(sandbox, "call", "c") == 3
    assert told(sandbox, "call", "d") == 3
    assert awaited(sandbox) == [True, False, False, True]


def test_another_call_between_does_not_harm(sandbox: Sandbox) -> None:
    running(sandbox)
    assert told(sandbox, "read first", "a") == [None, 3]
    assert results_asked(sandbox) == []


def test_of_several_under_way_none_is_waited_for(sandbox: Sandbox) -> None:
    running(sandbox)
    assert told(sandbox, "two", "a", 2) == [3, 3]
    assert told(sandbox, "two", "b", 2) == [3, 3]
    assert awaited(sandbox) == [True, False, False, False], "the very first may be"
    assert results_asked(sandbox) == ["a#1", "b#1", "b#0"]


def test_nor_of_several_that_are_asked_for_in_their_order(sandbox: Sandbox) -> None:
    running(sandbox)
    for id in ("a", "b"):
        assert told(sandbox, "three", id, 3) == [3, 3, 3]
    assert awaited(sandbox) == [True] + [False] * 5
    assert results_asked(sandbox) == ["a#1", "a#2", "b#0", "b#1", "b#2"]


def test_one_after_the_other_each_is(sandbox: Sandbox) -> None:
    running(sandbox)
    assert told(sandbox, "call after call", "a", 3) == [3, 3, 3]
    assert awaited(sandbox) == [True, True, True]


def test_beside_one_that_nobody_asks_for_none_is(sandbox: Sandbox) -> None:
    running(sandbox)
    assert told(sandbox, "one besides", "a", 2) == 3
    assert told(sandbox, "one besides", "b", 2) == 3
    assert awaited(sandbox) == [True, False, False, False]


def test_who_never_asks_is_not_made_to_wait(sandbox: Sandbox) -> None:
    running(sandbox)
    assert told(sandbox, "start", "a") == "a#0"
    assert told(sandbox, "start", "b") == "b#0"
    assert awaited(sandbox) == [True, False]


def test_a_refusal_is_told_where_it_is_invoked(sandbox: Sandbox) -> None:
    running(sandbox)
    sandbox.broker.refused_invokes = {"a"}
    answer = sandbox.send("handled", process="p", eventId="a")
    assert json.loads(answer.output.bytes) == "no room"
    assert told(sandbox, "call", "b") == 3
