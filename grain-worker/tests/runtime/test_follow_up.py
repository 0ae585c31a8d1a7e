"""What a function invokes has its result asked for in the same write: it comes by itself, and disturbs nothing."""

from __future__ import annotations

import json
from typing import Any

from broker_data import sand
from sandbox import Sandbox

INVOKES = """
import sand

def handle(event, context):
    process = context.process
    if event == "call":
        return process.invoke("q", "f").result()
    if event == "timeout":
        return process.invoke("q", "f").result(timeout=2)
    if event == "read first":
        call = process.invoke("q", "f")
        return [process.state("a"), call.result()]
    if event == "two":
        first, second = process.invoke("q", "f"), process.invoke("q", "f")
        return [second.result(), first.result()]
    if event == "start":
        return process.invoke("q", "f").id
    return event
"""
THREE = sand.ProcessResult(output=sand.Payload(contentType="application/json", bytes=b"3"))


def running(sandbox: Sandbox) -> None:
    sandbox.spawn(sandbox.ready(INVOKES, isolation="worker"))


def told(sandbox: Sandbox, event: str, id: str) -> Any:
    answer = sandbox.send(event, process="p", eventId=id)
    assert isinstance(answer, sand.FinishRequest), answer
    return json.loads(answer.output.bytes)


def results_asked(sandbox: Sandbox) -> list[Any]:
    """None: right behind an invoke."""
    return [asked.invocation for asked in sandbox.broker.asked("processResult")]


def test_a_result_is_asked_for_with_what_invokes(sandbox: Sandbox) -> None:
    running(sandbox)
    sandbox.broker.results |= {"a#0": THREE, "b#0": sand.ProcessResult(error="ValueError", cause="no")}
    assert told(sandbox, "call", "a") == 3
    failed = sandbox.send("call", process="p", eventId="b")
    assert (failed.error, failed.cause) == ("ValueError", "no")
    assert results_asked(sandbox) == [None, None]


def test_one_that_says_nothing_is_asked_for_by_its_id_and_the_next_ones_too(sandbox: Sandbox) -> None:
    running(sandbox)
    sandbox.broker.waiting_results = []
    sandbox.broker.results |= {"a#0": THREE, "b#0": THREE}
    event = sandbox.event("call", process="p", eventId="a")
    sandbox.broker.hand(event)
    sandbox.broker.until(lambda: sandbox.broker.waiting_results, "a result that is waited for").pop()(sand.ProcessResult())
    assert json.loads(sandbox.broker.until(lambda: sandbox.answer("a")).output.bytes) == 3
    assert told(sandbox, "call", "b") == 3
    assert results_asked(sandbox) == [None, "a#0", "b#0"]


def test_a_timeout_is_a_call_of_its_own(sandbox: Sandbox) -> None:
    running(sandbox)
    sandbox.broker.waiting_results = []
    sandbox.broker.results["a#0"] = THREE
    assert told(sandbox, "timeout", "a") == 3
    assert results_asked(sandbox) == [None, "a#0"]
    assert sandbox.broker.asked("processResult")[1].waitMs == 2_000


def test_one_that_comes_amid_another_call_is_kept(sandbox: Sandbox) -> None:
    running(sandbox)
    sandbox.broker.results["a#0"] = THREE
    assert told(sandbox, "read first", "a") == [None, 3]
    assert results_asked(sandbox) == [None]


def test_a_large_one_that_is_kept_is_asked_for_anew(sandbox: Sandbox) -> None:
    """What it refers to may have gone meanwhile."""
    running(sandbox)
    large = sand.Payload(contentType="application/json", reference=sand.DataReference(object="gone", size=100_000))
    sandbox.broker.waiting_results = []
    sandbox.broker.results["a#0"] = THREE
    sandbox.broker.hand(sandbox.event("call", process="p", eventId="a"))
    reply = sandbox.broker.until(lambda: sandbox.broker.waiting_results, "a result that is waited for").pop()
    reply(sand.ProcessResult(output=large))
    assert json.loads(sandbox.broker.until(lambda: sandbox.answer("a")).output.bytes) == 3
    assert results_asked(sandbox) == [None, "a#0"]


def test_of_several_under_way_one_comes_by_itself(sandbox: Sandbox) -> None:
    running(sandbox)
    sandbox.broker.results |= {"a#0": THREE, "a#1": THREE, "b#0": THREE}
    assert told(sandbox, "two", "a") == [3, 3]
    assert told(sandbox, "call", "b") == 3
    assert results_asked(sandbox) == [None, "a#1", None]


def test_one_that_nobody_wants_disturbs_no_later_attempt(sandbox: Sandbox) -> None:
    running(sandbox)
    replies: list[Any] = []
    sandbox.broker.waiting_results = replies
    assert told(sandbox, "start", "a") == "a#0"
    assert told(sandbox, "before it comes", "b") == "before it comes"
    replies.pop()(THREE)
    assert told(sandbox, "after it", "c") == "after it"
    sandbox.broker.results["d#0"] = sand.ProcessResult(output=sand.Payload(contentType="application/json", bytes=b"4"))
    assert told(sandbox, "call", "d") == 4
    assert results_asked(sandbox) == [None, "d#0"]
