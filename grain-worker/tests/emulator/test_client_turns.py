"""Who reads the answers of a client's calls: whoever waits for one, or the client's own thread; every call has its own."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from served import Served

from sand.client import Process, Timeout, Unavailable

GRAIN = """
import time

def handle(event, context):
    time.sleep(event.get("seconds", 0))
    return event["value"] * event.get("times", 1)
"""


@pytest.fixture
def process(forked: Served) -> Iterator[Process]:
    forked.grain("echo", GRAIN)
    forked.load("name: app\nprocesses: {concurrency: 8}\n")
    with Process(str(forked.http.base_url), "app", "p") as made:
        yield made


def test_one_call_after_the_other_is_read_by_whoever_waits(process: Process) -> None:
    assert [process.invoke("echo", {"value": value}) for value in range(20)] == list(range(20))
    connection = process._connection
    assert connection is not None
    # The client's own thread stands back: the turn is free although nobody has closed anything.
    assert connection.reading.acquire(timeout=5)
    connection.reading.release()
    assert process.invoke("echo", {"value": "x", "times": 300_000}) == "x" * 300_000


def test_calls_of_many_threads_and_futures_each_have_their_own_answer(process: Process) -> None:
    def one(number: int) -> None:
        for i in range(15):
            value, slow = number * 1000 + i, {"seconds": 0.02} if i % 5 == 0 else {}
            if i % 3 == 0:
                assert process.submit("echo", {"value": value, **slow}).result(30) == value
            else:
                assert process.invoke("echo", {"value": value, **slow}, timeout=30) == value

    with ThreadPoolExecutor(6) as threads:
        for done in [threads.submit(one, number) for number in range(6)]:
            done.result(120)


def test_a_future_is_answered_while_its_client_stands_back(process: Process) -> None:
    process.invoke("echo", {"value": 1})
    process.invoke("echo", {"value": 1})
    later = process.submit("echo", {"value": 2, "seconds": 0.1})
    assert later.result(20) == 2


def test_a_future_is_answered_before_a_longer_call_that_reads(process: Process) -> None:
    process.invoke("echo", {"value": 1})
    process.invoke("echo", {"value": 1})
    answered: list[float] = []
    later = process.submit("echo", {"value": 2, "seconds": 0.2})
    later.add_done_callback(lambda _: answered.append(time.monotonic()))
    process.invoke("echo", {"value": 3, "seconds": 1.5})
    assert answered and time.monotonic() - answered[0] > 0.5


def test_a_call_that_has_no_answer_in_time_says_so_and_the_next_one_goes_on(process: Process) -> None:
    process.invoke("echo", {"value": 1})
    with pytest.raises(Timeout):
        process.invoke("echo", {"value": 1, "seconds": 5}, timeout=0.3)
    assert process.invoke("echo", {"value": 2}) == 2
    assert process.reconnects == 0


def test_closing_ends_a_call_that_reads(process: Process) -> None:
    process.invoke("echo", {"value": 1})
    process.invoke("echo", {"value": 1})
    threading.Timer(0.3, process.close).start()
    with pytest.raises(Unavailable):
        process.invoke("echo", {"value": 1, "seconds": 5})


def test_a_connection_that_is_lost_under_a_call_that_reads_is_replaced(process: Process) -> None:
    process.invoke("echo", {"value": 1})
    process.invoke("echo", {"value": 1})

    def cut() -> None:
        connection = process._connection
        assert connection is not None
        connection._wire.close()

    threading.Timer(0.3, cut).start()
    assert process.invoke("echo", {"value": 4, "seconds": 1}, timeout=30) == 4
    assert process.reconnects == 1
