"""The client against a host that welcomes it, and then says nothing, or reads nothing, or sends it away."""

import socket
import threading
from collections.abc import Iterator
from concurrent.futures import CancelledError, ThreadPoolExecutor, wait
from typing import Any

import pytest
from fake_host import Host, ends, until

from sand.client import Denied, Process, SandError, Timeout, frames
from sand.client.calls import Call
from sand.client.connection import Connection
from sand.client.wire import Plain
from sand.errors import UnknownGrain

pytestmark = pytest.mark.slow

LARGE = bytes(64 << 20)


@pytest.fixture
def host() -> Iterator[Host]:
    made = Host()
    try:
        yield made
    finally:
        made.close()


def test_a_host_that_reads_nothing_holds_nobody_past_his_time(host: Host) -> None:
    with Process(host.url, "shop", "p") as process, ThreadPoolExecutor(2) as pool:
        first = pool.submit(ends, lambda: process.invoke("f", LARGE, timeout=0.3))
        assert isinstance(ends(lambda: process.invoke("f", 1, timeout=0.3)), Timeout)
        assert isinstance(first.result(), Timeout)
        assert isinstance(ends(lambda: process.invoke("f", LARGE, timeout=0.3)), Timeout)
        until(lambda: len(host.connections) >= 2)  # the first one took nothing


@pytest.mark.parametrize("value", [1, LARGE], ids=["small", "large"])
def test_a_host_that_says_nothing_is_left(host: Host, value: Any) -> None:
    host.idle_ms = 1000
    process = Process(host.url, "shop", "p").__enter__()
    threading.Thread(target=lambda: ends(lambda: process.invoke("f", value, timeout=600)), daemon=True).start()
    until(lambda: process.reconnects > 0)
    ends(process.close)


def test_a_host_that_pings_without_end_and_reads_nothing_is_left(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Plain, "send_now", lambda wire, data: 0)  # as when a socket has no room, some megabytes of pongs later
    with Process(host.url, "shop", "p") as process:
        process.submit("f", 1, timeout=600)
        host.connections[0].sendall(frames.encode(frames.Ping(0)) * 20_000)
        until(lambda: process.reconnects > 0)


def test_a_call_that_is_cancelled_as_it_begins_is_cancelled_behind_its_beginning(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    host.reads = True
    written = Call.head

    def cancelled(call: Call, request: int) -> bytes:
        call.future.cancel()  # by another thread, when it has been seen that nobody has
        process._drop(call)
        return written(call, request)

    with Process(host.url, "shop", "p") as process:
        monkeypatch.setattr(Call, "head", cancelled)
        process.submit("f", 1, timeout=600)
        assert [type(host.next()) for _ in range(2)] == [frames.Invoke, frames.Cancel]


def test_a_future_that_is_cancelled_cancels_the_function_and_frees_its_place(host: Host) -> None:
    host.reads, host.in_flight = True, 1
    with Process(host.url, "shop", "p") as process:
        first = process.submit("first", 1, timeout=600)
        asked = host.next()
        assert first.cancel()
        assert host.next() == frames.Cancel(asked.request)
        assert wait([first], 5).done == {first}
        with pytest.raises(CancelledError):
            first.result()
        process.submit("second", 2, timeout=5)
        assert host.next().function == "second"
        # What comes after all hurts nobody.
        host.connections[-1].sendall(frames.encode(frames.Result(asked.request, "e", "application/json", 1, b"1")))
        host.connections[-1].sendall(frames.encode(frames.Result(2, "e", "application/json", 1, b"2")))
        third = process.submit("third", timeout=5)
        assert host.next().function == "third" and not third.done()


def test_after_a_refusal_for_good_the_next_call_begins_anew(host: Host) -> None:
    host.reads = True
    with Process(host.url, "shop", "p") as process:
        first = process.submit("first", 1, timeout=600)
        host.next()
        host.status = 403
        host.connections[-1].shutdown(socket.SHUT_RDWR)
        with pytest.raises(SandError):
            first.result(20)
        with pytest.raises(Denied):
            process.invoke("again", 1, timeout=20)
        host.status = 200
        process.submit("second", 1, timeout=20)
        assert host.next().function == "second"


def test_all_who_wait_are_told_at_once_of_a_refusal_for_good(host: Host) -> None:
    host.reads, host.status = True, 403
    process = Process(host.url, "shop", "p")
    with ThreadPoolExecutor(5) as pool:
        told = [pool.submit(ends, lambda: process.invoke("f", 1, timeout=600)) for _ in range(5)]
        assert {type(one.result()) for one in told} == {Denied}
    host.status = 200
    process.submit("second", 1, timeout=20)
    assert host.next().function == "second"
    process.close()


def test_the_process_is_made_once_and_not_by_who_connects_again(host: Host) -> None:
    host.reads = True
    with Process(host.url, "shop", "p") as process:
        host.connections[-1].shutdown(socket.SHUT_RDWR)
        until(lambda: process.reconnects == 1)
    assert host.asked == [f"/api/v1/apps/shop/processes/p/connect{more}" for more in ("?create=true", "")]


def test_a_call_that_cannot_be_sent_gives_its_place_back(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    host.reads = True

    def broken(self: Connection, call: Any) -> None:
        raise RuntimeError("broken")

    with Process(host.url, "shop", "p") as process:
        for _ in range(host.in_flight + 1):
            with pytest.raises(UnknownGrain, match="has no grain"):
                process.submit("\ud800", 1, timeout=600)
        with monkeypatch.context() as patched:
            patched.setattr(Connection, "invoke", broken)
            for turn in range(host.in_flight + 1):
                until(lambda turn=turn: process.reconnects == turn)  # half a frame may have ended the one before
                with pytest.raises(RuntimeError):
                    process.submit("first", 1, timeout=600)
        process.submit("second", 1, timeout=20)
        assert host.next().function == "second"


def test_a_host_that_always_says_moved_is_asked_more_and_more_rarely_and_no_longer_than_the_call_may_take(host: Host) -> None:
    host.reads = host.moves = True
    with Process(host.url, "shop", "p") as process:
        first = process.submit("first", 1, timeout=1)
        with pytest.raises(Timeout):
            first.result(20)
        assert 2 <= len(host.connections) <= 30
        assert process.moved_to == "10.0.0.9:7265"
        host.moves = False
        process.submit("second", 1, timeout=600)
        until(lambda: host.next().function == "second")
