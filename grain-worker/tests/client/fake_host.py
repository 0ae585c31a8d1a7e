"""A host that welcomes a client, then says nothing, or what a test wants; and a control plane that names it, or does not."""

import json
import queue
import socket
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from sand.client import frames


class Host:
    """Its control plane, and its data plane."""

    def __init__(self) -> None:
        self.status = 200
        self.grant: bytes | None = None
        """What the control plane answers; None: a good one."""
        self.greeting: Any = None
        """What the host says first; None: a welcome."""
        self.answers: Callable[[frames.Invoke], list[Any]] = lambda invoke: []
        """To an invocation, while it reads."""
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
                body = (
                    host.grant
                    if host.grant is not None
                    else json.dumps(place if host.status == 200 else {"detail": "no"}).encode()
                )
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
            welcome = frames.Welcome(frames.VERSION, "h", "p", 1, time.time_ns() // 1_000_000, *limits)
            raw.sendall(frames.encode(self.greeting or welcome))
            while self.reads:
                frame = reader.next()
                self.heard.put(frame)
                if isinstance(frame, frames.Invoke):
                    for answer in [frames.Moved(frame.request, "10.0.0.9:7265")] if self.moves else self.answers(frame):
                        raw.sendall(frames.encode(answer))
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
