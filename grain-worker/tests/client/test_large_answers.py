"""Large values of a client: what it takes to send one, and when it says that it has got one."""

import threading
from collections.abc import Iterator
from typing import Any

import numpy
import pytest
from fake_host import Host

from sand.client import Process, connection, frames, wire

SIZE = frames.INLINE_BYTES + 100


@pytest.fixture
def host() -> Iterator[Host]:
    made = Host()
    made.reads = True
    made.answers = lambda invoke: [
        frames.Result(invoke.request, "x", "application/octet-stream", SIZE, b""),
        frames.Part(invoke.request, bytes(SIZE)),
    ]
    yield made
    made.close()


def _heard(host: Host, count: int) -> list[type]:
    return [type(host.next()) for _ in range(count)]


@pytest.fixture
def writes(host: Host, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What a client writes from here on; each answer comes when the whole call is sent, and no tick sends what waits."""
    writes: list[str] = []
    monkeypatch.setattr(connection, "TICK_SECONDS", 1e9)
    sent = threading.Semaphore(0)
    invoke, answers = connection.Connection.invoke, host.answers

    def sending(*arguments: Any) -> None:
        invoke(*arguments)
        sent.release()

    def answered(request: frames.Invoke) -> list[Any]:
        assert sent.acquire(timeout=60)
        return answers(request)

    monkeypatch.setattr(connection.Connection, "invoke", sending)
    host.answers = answered
    for name in ("send_all", "send_now"):
        original = getattr(wire.Plain, name)

        def counted(*arguments: Any, name: str = name, original: Any = original) -> Any:
            writes.append(name)
            return original(*arguments)

        monkeypatch.setattr(wire.Plain, name, counted)
    return writes


def test_a_large_value_is_one_write_with_what_was_got_before(host: Host, writes: list[str]) -> None:
    with Process(host.url, "a", "p") as process:
        writes.clear()
        assert len(process.invoke("f", bytes(SIZE))) == SIZE
        assert len(process.invoke("f", bytes(SIZE))) == SIZE
        assert writes == ["send_all", "send_all"]
        assert _heard(host, 5) == [frames.Invoke, frames.Part, frames.Got, frames.Invoke, frames.Part]


def test_an_arrays_header_goes_with_its_data(host: Host, writes: list[str]) -> None:
    array = numpy.arange(frames.INLINE_BYTES // 8)
    with Process(host.url, "a", "p") as process:
        writes.clear()
        process.invoke("f", array)
        assert writes == ["send_all"]
        assert _heard(host, 2) == [frames.Invoke, frames.Part]


@pytest.mark.parametrize("parts", [[b""], [b"he", b"data"], [b"head", b"d"], [b"h", b"data and more"], [b"a part and more"]])
def test_pieces_are_the_value_and_none_has_more_than_it_may(parts: list[bytes]) -> None:
    pieces = connection._pieces([memoryview(part) for part in parts], 6)
    assert b"".join(part for piece in pieces for part in piece) == b"".join(parts)
    assert all(sum(map(len, piece)) <= 6 for piece in pieces)


def test_what_was_got_is_said_though_no_call_follows(host: Host) -> None:
    with Process(host.url, "a", "p") as process:
        process.invoke("f")
        assert _heard(host, 2) == [frames.Invoke, frames.Got]


def test_what_was_got_is_said_at_the_end(host: Host) -> None:
    with Process(host.url, "a", "p") as process:
        process.invoke("f")
    assert _heard(host, 2) == [frames.Invoke, frames.Got]


def test_what_was_got_is_said_before_anybody_goes_on_who_may_close(host: Host) -> None:
    asked = threading.Event()
    all_of_them = host.answers
    host.answers = lambda invoke: all_of_them(invoke) if asked.wait(20) else []
    process = Process(host.url, "a", "p").__enter__()
    process.submit("f").add_done_callback(lambda _: process.close())  # by the thread that reads, as it ends the call
    asked.set()
    assert _heard(host, 2) == [frames.Invoke, frames.Got]


def test_whoever_closes_waits_for_whoever_says_what_was_got(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "TICK_SECONDS", 1e9)
    asked = threading.Event()
    all_of_them = host.answers
    host.answers = lambda invoke: all_of_them(invoke) if asked.wait(20) else []
    process = Process(host.url, "a", "p").__enter__()
    call = process.submit("f")
    asked.set()  # once whoever asks has said all that he had to say
    call.result(20)
    says, closes, original = threading.Event(), threading.Event(), wire.Plain.send_now

    def slow(socket: wire.Plain, data: bytes) -> int:
        says.set()
        closes.wait(0.5)  # it does not come where somebody waits
        return original(socket, data)

    def closed(socket: wire.Plain) -> None:
        closes.set()
        close(socket)

    close = wire.Plain.close
    monkeypatch.setattr(wire.Plain, "send_now", slow)
    monkeypatch.setattr(wire.Plain, "close", closed)
    line = process._connection
    assert line is not None
    speaker = threading.Thread(target=line._send_small)
    speaker.start()
    assert says.wait(20)
    process.close()
    speaker.join()
    assert _heard(host, 2) == [frames.Invoke, frames.Got]


def test_what_was_got_is_said_at_once_where_others_are_under_way(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "TICK_SECONDS", 1e9)  # nothing else would have it sent
    all_of_them = host.answers
    host.answers = lambda invoke: all_of_them(invoke) if invoke.function == "f" else []
    with Process(host.url, "a", "p") as process:
        process.submit("never")
        process.invoke("f")
        assert _heard(host, 3) == [frames.Invoke, frames.Invoke, frames.Got]
