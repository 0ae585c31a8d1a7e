"""What the data plane says to who breaks its rules before it hangs up: word for word the same in platform and emulator."""

import socket
import struct
from collections.abc import Callable
from typing import Any

import pytest
from conftest import until
from process_server import ProcessServer
from raw_connections import Raw, WebSocket
from sand.client import frames

pytestmark = pytest.mark.slow

FILES = {
    "grains/echo/handler.py": "def handle(event, context):\n    return event\n",
    "grains/slow/handler.py": "import time\ndef handle(event, context):\n    time.sleep(event)\n",
}
WIRE = struct.Struct(">IB")


class Server(ProcessServer):
    def __init__(self, url: str) -> None:
        super().__init__(url, "rules", FILES | {"sand.yaml": "name: rules\n"})

    def place(self, process: str) -> dict[str, Any]:
        response = self.http.post(f"{self.root}/{process}/connect", json={})
        assert response.status_code == 200, response.text
        return response.json()

    def open(self, process: str, kind: type[Raw] = Raw) -> Raw:
        here = self.place(process)
        raw = kind(here["address"])
        assert isinstance(raw.hello(here["grant"]), frames.Welcome)
        return raw


@pytest.fixture(scope="module")
def server(either: str) -> Server:
    return Server(either)


def farewell(raw: Raw) -> tuple[str, str]:
    """What is said, with nothing behind it."""
    last = raw.reader.next()
    assert isinstance(last, frames.GoAway), last
    with pytest.raises((EOFError, ConnectionResetError)):
        raw.reader.next()
    return last


def a_frame(kind: int, rest: bytes) -> bytes:
    return WIRE.pack(len(rest) + 1, kind) + rest


def sized(size: int) -> Callable[[Raw], list[Any]]:
    return lambda raw: [raw.invoke(1, "echo", b"", size)]


BROKEN: dict[str, tuple[Callable[[Raw], list[Any]], str]] = {
    "no kind": (lambda raw: [b"\0\0\0\0\1"], "a frame of 0 bytes; the limit is 262144"),
    "a frame over its limit": (lambda raw: [WIRE.pack(1 << 30, 4)], "a frame of 1073741824 bytes; the limit is 262144"),
    "a part over its limit": (lambda raw: [WIRE.pack(1 << 30, 5)], "a frame of 1073741824 bytes; the limit is 1048585"),
    "a frame that ends too early": (lambda raw: [a_frame(9, b"\0\0")], "a frame that ends too early"),
    "text that is not UTF-8": (lambda raw: [a_frame(12, b"\0\2\xff\xfe\0\0")], "text that is not UTF-8"),
    "no such status": (lambda raw: [a_frame(7, bytes(8) + b"\7" + bytes(12))], "there is no Status 7"),
    "a host's frame": (lambda raw: [frames.Welcome(1, "h", "p", 1, 1, 1, 1, 1, 1)], "a Welcome is not for a client to send"),
    "a second hello": (lambda raw: [frames.Hello(1, "x", "y")], "a Hello is not for a client to send"),
    "a number twice": (
        lambda raw: [raw.invoke(1, "slow", b"20")._replace(content_type="application/json"), raw.invoke(1, "echo", b"x")],
        "a second invocation with the number 1",
    ),
    "more than was announced": (
        # All of it is read: what a host has not read when it hangs up may cost its last word.
        lambda raw: [raw.invoke(1, "echo", b"", 100_000), frames.Part(1, bytes(99_999)), frames.Part(1, b"ab")],
        "more of a value than its 100000 bytes",
    ),
    "less than was announced": (
        lambda raw: [raw.invoke(1, "echo", b"abc", 4)],
        "a value of 4 bytes, with 3 of them in its first frame",
    ),
    "all ones as a size": (
        sized((1 << 64) - 1),
        "a value of 18446744073709551615 bytes, and none has more than 9223372036854775807",
    ),
    "a negative size": (sized(1 << 63), "a value of 9223372036854775808 bytes, and none has more than 9223372036854775807"),
}


@pytest.mark.parametrize("kind", [Raw, WebSocket])
@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_rule_is_told_and_ends_the_connection(server: Server, name: str, kind: type[Raw]) -> None:
    raw = server.open("broken", kind)
    make, cause = BROKEN[name]
    raw.send(*make(raw))
    assert farewell(raw) == ("Sand.BadRequest", cause)


@pytest.mark.parametrize(
    ("stream", "cause"),
    [
        (frames.encode(frames.Ping(1)), "an invocation without a grant"),
        (WIRE.pack(8193, 1), "a frame of 8193 bytes; the limit is 8192"),
        (a_frame(1, b"\0"), "a frame that ends too early"),
    ],
)
def test_a_stranger_is_told_too(server: Server, stream: bytes, cause: str) -> None:
    raw = Raw(server.place("strange")["address"])
    raw.send(frames.PREFACE + stream)
    assert farewell(raw) == ("Sand.BadRequest", cause)


def test_a_websockets_stream_begins_as_any(server: Server) -> None:
    raw = WebSocket(server.place("strange")["address"])
    raw.send(b"SDP2")
    assert farewell(raw) == ("Sand.BadRequest", "it does not begin as a data plane's stream does")


def test_a_websocket_that_is_refused_ends_as_one(server: Server) -> None:
    raw = WebSocket(server.place("strange")["address"])
    assert isinstance(raw.hello("no grant"), frames.Refused)
    with pytest.raises(EOFError) as ended:
        raw.reader.next()
    assert ended.value.args == (1000,), "the code of a close frame, and not the end of the connection alone"


@pytest.mark.parametrize("path", ["/data;x", "/data%3bx", "/data/", "/datax"])
def test_a_path_that_is_not_the_data_planes_opens_nothing(server: Server, path: str) -> None:
    answer = handshake(server.place("strange")["address"], "Sec-WebSocket-Version: 13", path)
    assert answer.startswith(b"HTTP/1.1 400 "), answer


def handshake(address: str, headers: str, path: str = "/data") -> bytes:
    host, port = address.split(":")
    with socket.create_connection((host, int(port)), 20) as raw:
        asked = f"GET {path} HTTP/1.1\r\nHost: sand\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n{headers}\r\n"
        raw.sendall((asked + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n").encode())
        return raw.recv(4096)


@pytest.mark.parametrize("version", ["Sec-WebSocket-Version: 8", "Sec-WebSocket-Version: 14", "X: 1"])
def test_a_handshake_of_another_version_is_told_the_right_one(server: Server, version: str) -> None:
    answer = handshake(server.place("strange")["address"], version)
    assert answer.startswith(b"HTTP/1.1 426 ") and b"sec-websocket-version: 13" in answer.lower(), answer


def test_a_handshake_that_is_too_long_is_told_so(server: Server) -> None:
    answer = handshake(server.place("strange")["address"], f"X: {'x' * 9_000}")
    assert answer.startswith(b"HTTP/1.1 431 "), answer


@pytest.mark.parametrize("size", [(256 << 20) + 1, (1 << 63) - 1])
def test_a_size_over_the_limit_is_that_calls_failure_alone(server: Server, size: int) -> None:
    raw = server.open("sized")
    raw.send(raw.invoke(1, "echo", b"", size), raw.invoke(2, "echo", b"abc"))
    failed = raw.reader.next()
    cause = f"this host takes at most {256 << 20} bytes of an input, and this one would make it {size}"
    assert (failed.error, failed.cause, failed.source) == ("Sand.TooLarge", cause, "CALLER")
    assert raw.reader.next().first == b"abc"


def test_a_deadline_of_weeks_is_one(server: Server) -> None:
    raw = server.open("late")
    raw.send(raw.invoke(1, "echo", b"abc")._replace(deadline_ms=0xFFFFFFFF))
    assert raw.reader.next().first == b"abc"


def test_what_cannot_be_invoked_is_the_callers_error(server: Server) -> None:
    raw = server.open("wrong")
    raw.send(raw.invoke(1, "", b""), raw.invoke(2, "echo", b"")._replace(id="x"))
    asked = {frame.request: frame for frame in (raw.reader.next(), raw.reader.next())}
    none = "application rules has no grain  in its live version 1"
    assert (asked[1].error, asked[1].cause, asked[1].source) == ("Sand.UnknownGrain", none, "CALLER")
    words = "an invocation's id has 26 characters of base 32, not 'x'"
    assert (asked[2].error, asked[2].cause, asked[2].source) == ("Sand.BadRequest", words, "CALLER")


def test_what_never_ran_is_counted_nowhere(server: Server) -> None:
    def counted() -> tuple[int, int, int]:
        use = server.http.get(f"{server.root}/billed/metrics").json()["dataPlane"]
        return use["invocations"], use["failures"], use["bytesIn"]

    server.make("billed")
    here = server.http.post(f"{server.root}/billed/connect", json={"functions": ["echo", "slow"]}).json()
    for grant in (here, server.place("billed")):  # denied by the one, unknown under the other
        raw = Raw(grant["address"])
        assert isinstance(raw.hello(grant["grant"]), frames.Welcome)
        raw.send(raw.invoke(1, "nope", b"abcd"), raw.invoke(2, "echo", b"abc")._replace(id="x"))
        asked = {frame.request: frame.error for frame in (raw.reader.next(), raw.reader.next())}
        assert asked[1] in ("Sand.Denied", "Sand.UnknownGrain") and asked[2] == "Sand.BadRequest"
    assert counted() == (0, 0, 0)
    raw.send(raw.invoke(3, "echo", b"abc"), raw.invoke(4, "slow", b"no number"))
    raw.reader.next(), raw.reader.next()
    until(lambda: counted() == (2, 1, 12), "what ran is")


def test_a_killed_process_says_goodbye(server: Server) -> None:
    server.make("killed")
    raw = server.open("killed")
    assert server.http.delete(f"{server.root}/killed").status_code == 204
    assert farewell(raw) == ("Sand.NotFound", "process killed was killed")


def test_a_deleted_application_does_too(server: Server) -> None:
    gone = ProcessServer(str(server.http.base_url), "gone", FILES | {"sand.yaml": "name: gone\n"})
    here = gone.http.post(f"{gone.root}/p/connect", json={}).json()
    raw = Raw(here["address"])
    assert isinstance(raw.hello(here["grant"]), frames.Welcome)
    assert gone.http.delete("/api/v1/applications/gone").status_code in (200, 202, 204)
    assert farewell(raw) == ("Sand.NotFound", "there is no application gone any more")


def test_a_grant_ends_with_its_application_though_one_of_its_name_follows(server: Server) -> None:
    url = str(server.http.base_url)
    first = ProcessServer(url, "again", FILES | {"sand.yaml": "name: again\n"})
    old = first.http.post(f"{first.root}/p/connect", json={"ttl": 3600}).json()
    raw = Raw(old["address"])
    assert isinstance(raw.hello(old["grant"]), frames.Welcome)
    raw.send(raw.invoke(1, "echo", b"abc"))
    assert raw.reader.next().first == b"abc"
    assert first.http.delete("/api/v1/applications/again").status_code in (200, 202, 204)
    second = ProcessServer(url, "again", FILES | {"sand.yaml": "name: again\n"})
    words = "application again was deleted after this grant was issued"
    assert Raw(old["address"]).hello(old["grant"]) == ("Sand.NotFound", words, True)
    assert second.http.get(f"{second.root}/p").status_code == 404
    assert second.http.delete("/api/v1/applications/again").status_code in (200, 202, 204)


def test_a_grant_outlives_deployments(server: Server) -> None:
    url = str(server.http.base_url)
    ProcessServer(url, "often", FILES | {"sand.yaml": "name: often\n"})
    assert server.http.delete("/api/v1/applications/often").status_code in (200, 202, 204)
    often = ProcessServer(url, "often", FILES | {"sand.yaml": "name: often\n"})
    here = often.http.post(f"{often.root}/p/connect", json={}).json()
    ProcessServer(url, "often", FILES | {"sand.yaml": "name: often\nprocesses: {concurrency: 2}\n"})
    raw = Raw(here["address"])
    assert isinstance(raw.hello(here["grant"]), frames.Welcome)
    raw.send(raw.invoke(1, "echo", b"abc"))
    assert raw.reader.next().first == b"abc"
