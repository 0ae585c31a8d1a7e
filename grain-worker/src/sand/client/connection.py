"""One connection to a host's data plane: written to by whoever calls, read by the thread of its process."""

from __future__ import annotations

import select
import socket
import ssl
import struct
import threading
from typing import Any

from sand.client import frames
from sand.client.calls import Call
from sand.errors import Unavailable

# How often the reader looks up from a quiet connection.
TICK_SECONDS = 0.5
_BUFFER_BYTES = 1 << 20
_NAME = "sand.client"


class Lost(Exception):
    """The connection is of no use any more. :ivar at_once: there is no reason to wait before the next one"""

    def __init__(self, why: str, at_once: bool = False) -> None:
        super().__init__(why)
        self.at_once = at_once


class RefusedHere(Exception):
    """The host has not taken the grant."""

    def __init__(self, refused: frames.Refused) -> None:
        super().__init__(refused.cause)
        self.refused = refused


class Plain:
    """A socket that is read by one thread and written by others."""

    def __init__(self, raw: socket.socket) -> None:
        self._socket = raw
        seconds = int(TICK_SECONDS)
        raw.settimeout(None)
        # For reading alone: a write waits for as long as the host is slow.
        raw.setsockopt(
            socket.SOL_SOCKET, socket.SO_RCVTIMEO, struct.pack("ll", seconds, int((TICK_SECONDS - seconds) * 1_000_000))
        )

    def recv_into(self, to: memoryview) -> int | None:
        """None: nothing has come for a while."""
        try:
            return self._socket.recv_into(to)
        except BlockingIOError:
            return None

    def send_all(self, head: bytes, rest: memoryview | None = None) -> None:
        if rest is None:
            self._socket.sendall(head)
            return
        sent = self._socket.sendmsg((head, rest))
        if sent < len(head):
            self._socket.sendall(head[sent:])
            sent = len(head)
        if sent < len(head) + len(rest):
            self._socket.sendall(rest[sent - len(head) :])

    def close(self) -> None:
        try:
            self._socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass  # the other side was faster
        self._socket.close()


class Encrypted:
    """The same over TLS, whose state reading and writing share: one at a time, and nobody waits inside."""

    def __init__(self, raw: socket.socket, host: str, context: ssl.SSLContext) -> None:
        self._socket = context.wrap_socket(raw, server_hostname=host)
        self._socket.setblocking(False)
        self._lock = threading.Lock()

    def recv_into(self, to: memoryview) -> int | None:
        try:
            with self._lock:
                return self._socket.recv_into(to)
        except (ssl.SSLWantReadError, ssl.SSLWantWriteError):
            select.select([self._socket], [], [], TICK_SECONDS)
            return None

    def send_all(self, head: bytes, rest: memoryview | None = None) -> None:
        for part in (memoryview(head), rest):
            while part:
                try:
                    with self._lock:
                        part = part[self._socket.send(part) :]
                except (ssl.SSLWantReadError, ssl.SSLWantWriteError):
                    select.select([], [self._socket], [], TICK_SECONDS)

    close = Plain.close


class Connection:
    """Open, with the grant shown. :raises Lost, RefusedHere, OSError:"""

    def __init__(self, address: str, grant: str, tls: ssl.SSLContext | None, timeout: float) -> None:
        host, _, port = address.rpartition(":")
        raw = socket.create_connection((host.strip("[]"), int(port)), timeout)
        raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._wire: Any = Encrypted(raw, host, tls) if tls else Plain(raw)
        self._write = threading.Lock()
        self._requests: dict[int, Call] = {}
        self._numbers = 0
        self._reader = frames.Reader(self._receive, self._place)
        self.ticks = 0
        self.quiet = 0
        self.is_open = True
        self._patience: int | None = max(1, int(timeout / TICK_SECONDS))
        try:
            self._wire.send_all(frames.PREFACE + frames.encode(frames.Hello(frames.VERSION, grant, _NAME)))
            first = self._reader.next()
        except (OSError, EOFError, frames.BadFrame) as broken:
            self.close()
            raise Lost(f"{address} does not answer as a data plane does: {broken or 'it hung up'}") from None
        self._patience = None
        if isinstance(first, frames.Welcome):
            self.welcome = first
            return
        self.close()
        if isinstance(first, frames.Refused):
            raise RefusedHere(first)
        raise Lost("the process is another host's", at_once=isinstance(first, frames.Moved))

    def _receive(self, to: memoryview) -> int:
        while True:
            got = self._wire.recv_into(to)
            if got is not None:
                self.quiet = 0
                return got
            self.quiet += 1
            if self._patience is not None and self.quiet >= self._patience:
                raise Lost("nothing was heard")
            if self._patience is None:
                self.on_tick(self)

    def on_tick(self, _: Connection) -> None:
        """Replaced by whoever reads."""

    def _place(self, request: int, count: int) -> memoryview | None:
        call = self._requests.get(request)
        return call.place(count) if call else None

    def invoke(self, call: Call) -> None:
        """:raises OSError: it is lost, and the call with it"""
        with self._write:
            self._numbers += 1
            request = self._numbers
            self._requests[request] = call
            self._wire.send_all(call.head(request))
        most = self.welcome.part_bytes
        for part in call.parts:
            for at in range(0, len(part), most):
                piece = part[at : at + most]
                # Others' small frames go between two pieces of a large one.
                with self._write:
                    if request not in self._requests:
                        return
                    self._wire.send_all(frames.PART_HEAD.pack(9 + len(piece), frames.PART, request), piece)

    def cancel(self, call: Call) -> None:
        for request, known in list(self._requests.items()):
            if known is call:
                self._send(frames.Cancel(request))

    def ping(self) -> None:
        self._send(frames.Ping(0))

    def _send(self, frame: Any) -> None:
        try:
            with self._write:
                self._wire.send_all(frames.encode(frame))
        except OSError:
            pass  # whoever reads finds out

    def read(self) -> Call | None:
        """Takes one frame; a call that it ends, or None. :raises Lost:"""
        try:
            frame = self._reader.next()
        except EOFError:
            raise Lost("the host has closed the connection") from None
        except (OSError, frames.BadFrame) as broken:
            raise Lost(str(broken)) from None
        match frame:
            case frames.Result():
                call = self._requests.get(frame.request)
                if call is not None and call.on_result(frame):
                    return self._requests.pop(frame.request)
            case frames.Part():
                call = self._requests.get(frame.request)
                if call is not None and call.is_whole():
                    self._send(frames.Got(frame.request))
                    return self._requests.pop(frame.request)
            case frames.Failed():
                call = self._requests.pop(frame.request, None)
                if call is not None:
                    call.on_failed(frame)
                    return call
            case frames.Moved():
                raise Lost("the process is another host's now", at_once=True)
            case frames.GoAway():
                raise Lost(f"the host ends the connection: {frame.cause}")
            case frames.Ping():
                self._send(frames.Pong(frame.number))
            case frames.Pong():
                pass
            case _:
                raise Lost(f"a {type(frame).__name__} is not for a host to send")
        return None

    def close(self) -> None:
        self.is_open = False
        self._wire.close()


def lost(why: BaseException) -> Unavailable:
    return Unavailable(f"the process cannot be reached: {why}")
