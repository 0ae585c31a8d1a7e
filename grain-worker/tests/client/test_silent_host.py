"""The client against a host that welcomes it, and then says nothing, or reads nothing, or sends it away."""

import json
import queue
import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import CancelledError, ThreadPoolExecutor, wait
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from sand.client import Denied, Process, SandError, Timeout, frames
from sand.client.connection import Connection
from sand.errors import UnknownGrain

pytestmark = pytest.mark.slow

LARGE = bytes(64 << 20)


class Host:
    """Its control plane, and its data plane."""

    def __init__(self) -> None:
        self.status = 200
        self.idle_ms, self.in_flight, self.reads, self.moves = 60_000, 2, False, False
        self.connections: list[socket.socket] = []
        self.asked: list[str] = []
        self.heard: queue.Queue[Any] = queue.Queue()
        self._listener = socket.create_server(("127.0.0.1", 0))
        host = self

        class Control(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                host.asked.append(self.path)
                self.rfile.read(int(self.headers["Content-Length"]))
                place = {"address": f"127.0.0.1:{host._listener.getsockname()[1]}", "tls": False, "grant": "g"}
                body = json.dumps(place if host.status == 200 else {"detail": "no"}).encode()
                self.send_response(host.status)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                pass

        self._control = ThreadingHTTPServer(("127.0.0.1", 0), Control)
        self.url = f"http://127.0.0.1:{self._control.server_address[1]}"
        for run in (self._control.serve_forever, self._accept):
            threading.Thread(target=run, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                raw, _ = self._listener.accept()
            except OSError:
                return
            self.connections.append(raw)
            threading.Thread(target=self._serve, args=(raw,), daemon=True).start()

    def _serve(self, raw: socket.socket) -> None:
        try:
            raw.recv(len(frames.PREFACE), socket.MSG_WAITALL)
            reader = frames.Reader(raw.recv_into, lambda request, count: None)
            reader.next()
            limits = (self.in_flight, 1 << 28, 256 << 10, self.idle_ms)
            raw.sendall(frames.encode(frames.Welcome(frames.VERSION, "h", "p", 1, time.time_ns() // 1_000_000, *limits)))
            while self.reads:
                frame = reader.next()
                self.heard.put(frame)
                if self.moves and isinstance(frame, frames.Invoke):
                    raw.sendall(frames.encode(frames.Moved(frame.request, "10.0.0.9:7265")))
        except (OSError, EOFError):
            pass  # it has hung up

    def next(self) -> Any:
        return self.heard.get(timeout=20)

    def close(self) -> None:
        self._control.shutdown()
        self._control.server_close()
        self._listener.close()
        for connection in self.connections:
            connection.close()


@pytest.fixture
def host() -> Iterator[Host]:
    made = Host()
    try:
        yield made
    finally:
        made.close()


def until(holds: Any) -> None:
    end = time.monotonic() + 20
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.02)


def ends(run: Any) -> Any:
    """What it gives, by a thread that may hang without holding up the test."""
    found: queue.Queue[Any] = queue.Queue()

    def do() -> None:
        try:
            found.put(run())
        except Exception as failed:
            found.put(failed)

    threading.Thread(target=do, daemon=True).start()
    return found.get(timeout=20)


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
