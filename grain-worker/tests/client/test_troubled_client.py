"""The client when what it is told is no answer, or one that it cannot take: it says so, and goes on."""

import socket
from collections.abc import Iterator
from typing import Any

import pytest
from fake_host import Host, ends, until

from sand.client import Process, TooLarge, frames
from sand.client.connection import Connection
from sand.errors import BadRequest

pytestmark = pytest.mark.slow


def result(invoke: frames.Invoke, size: int, first: bytes, kind: str = "application/json") -> frames.Result:
    return frames.Result(invoke.request, "e", kind, size, first)


@pytest.fixture
def host() -> Iterator[Host]:
    made = Host()
    made.reads = True
    made.answers = lambda invoke: [result(invoke, 1, b"1")]
    try:
        yield made
    finally:
        made.close()


def hang_up(host: Host) -> None:
    host.connections[-1].shutdown(socket.SHUT_RDWR)


@pytest.mark.parametrize("size", [1 << 62, (1 << 63) - 1])
@pytest.mark.parametrize("waits", ["invoke", "submit"])
def test_an_answer_that_no_memory_is_there_for_fails_alone(host: Host, size: int, waits: str) -> None:
    with Process(host.url, "shop", "p") as process:
        host.answers = lambda invoke: [result(invoke, size, b""), frames.Part(invoke.request, bytes(100_000))]
        ask = process.invoke if waits == "invoke" else lambda *given, **more: process.submit(*given, **more).result(20)
        failed = ends(lambda: ask("f", 1, timeout=20))
        assert isinstance(failed, TooLarge) and str(failed) == f"there is no memory for an answer of {size} bytes"
        host.answers = lambda invoke: [result(invoke, 1, b"1")]
        assert [process.invoke("f", 1, timeout=20) for _ in range(host.in_flight + 1)] == [1, 1, 1]
        assert process.reconnects == 0


def test_an_answer_that_cannot_be_read_fails_alone(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> Any:
        raise RuntimeError("broken")

    with Process(host.url, "shop", "p") as process:
        with monkeypatch.context() as patched:
            patched.setattr("sand.values.decode", broken)
            failed = ends(lambda: process.invoke("f", 1, timeout=20))
        assert isinstance(failed, BadRequest) and "RuntimeError('broken')" in str(failed)
        assert process.invoke("f", 1, timeout=20) == 1
        assert process.reconnects == 0


@pytest.mark.parametrize(
    "answer",
    ["<html>maintenance</html>", "", "[]", "{}", "1", '{"address": "h", "grant": "g"}', '{"address": "h:99999", "grant": "g"}',
     '{"address": "h:1"}', '{"address": 1, "grant": "g"}'],
)  # fmt: skip
def test_what_is_no_grant_is_asked_for_again_and_told(host: Host, answer: str) -> None:
    with Process(host.url, "shop", "p") as process:
        host.grant = answer.encode()
        hang_up(host)
        until(lambda: len(host.asked) >= 3)
        assert f"the control plane's answer is no grant: {answer}" in str(process._trouble)
        host.grant = None
        assert process.invoke("f", 1, timeout=20) == 1


def test_a_fault_of_any_kind_is_told_and_the_connection_made_anew(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> Any:
        raise RuntimeError("broken")

    with Process(host.url, "shop", "p") as process:
        for place in ("sand.client.place.Connection", "sand.client.connection.Connection._take"):
            made = process.reconnects
            with monkeypatch.context() as patched:
                patched.setattr(place, broken)
                process.submit("f", 1, timeout=20)  # its answer is read by a thread of the client's
                hang_up(host)
                until(lambda: "RuntimeError('broken')" in str(process._trouble))
            assert process.invoke("f", 1, timeout=20) == 1
            assert process.reconnects > made


def test_why_a_host_sends_it_away_is_told(host: Host) -> None:
    with Process(host.url, "shop", "p") as process:
        for first, told in (
            (frames.GoAway("Sand.BadRequest", "a frame of 60008 bytes; the limit is 8192"), "the host ends the connection: "
             "Sand.BadRequest: a frame of 60008 bytes; the limit is 8192"),
            (frames.Pong(0), "does not answer as a data plane does: it begins with a Pong"),
        ):  # fmt: skip
            host.greeting = first
            hang_up(host)
            until(lambda told=told: told in str(process._trouble))
            host.greeting = None
            assert process.invoke("f", 1, timeout=20) == 1


def test_what_is_sent_again_in_vain_is_sent_over_the_next_connection(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(self: Connection, call: Any) -> None:
        raise RuntimeError("broken")

    host.answers = lambda invoke: []
    with Process(host.url, "shop", "p") as process:
        waits = process.submit("f", 1, timeout=20)
        with monkeypatch.context() as patched:
            patched.setattr(Connection, "invoke", broken)
            hang_up(host)
            until(lambda: "RuntimeError('broken')" in str(process._trouble))
            host.answers = lambda invoke: [result(invoke, 1, b"1")]
        assert waits.result(20) == 1


def test_a_thread_that_cannot_be_started_is_started_by_the_next_call(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    def none(_: object) -> None:
        raise RuntimeError("can't start new thread")

    process = Process(host.url, "shop", "p")
    with monkeypatch.context() as patched:
        patched.setattr("threading.Thread.start", none)
        with pytest.raises(RuntimeError):
            process.invoke("f", 1, timeout=20)
    assert process.invoke("f", 1, timeout=20) == 1
    process.close()


@pytest.mark.parametrize(
    "server", ["localhost:23000", "//localhost:1", "ftp://localhost", "http:///path", "http://h:x", "http://h h", ""]
)
def test_a_server_that_is_none_is_refused_before_it_is_asked(server: str) -> None:
    with pytest.raises(ValueError, match="the control plane is at http://host:port or https://host:port, not at"):
        Process(server, "shop", "p")


@pytest.mark.parametrize("token", ["secret\nX: y", "secret\r", "secrét"])
def test_a_token_that_is_none_is_refused_before_anybody_is_asked_and_not_shown(token: str) -> None:
    with pytest.raises(ValueError, match="a token has letters") as told:
        Process("http://127.0.0.1:1", "shop", "p", token=token)
    assert "secr" not in str(told.value)
    with pytest.raises(TypeError, match="token is text, or None, not a bytes"):
        Process("http://127.0.0.1:1", "shop", "p", token=b"secret")  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["", ".", ".."])
def test_a_name_that_no_path_has_is_refused_before_anybody_is_asked(host: Host, name: str) -> None:
    for application, process, what in (("shop", name, "a process's id"), (name, "p", "an application's name")):
        with pytest.raises(ValueError) as refused:
            Process(host.url, application, process)
        assert str(refused.value) == f"{what} is neither empty nor '.' nor '..', as '{name}' is"
    assert not host.asked
