"""One connection to a socket of the host agent: frames out, frames in, and calls that wait for their reply."""

from __future__ import annotations

import os
from _socket import AF_UNIX, SOCK_CLOEXEC, SOCK_STREAM, socket
from _thread import allocate_lock
from typing import Any

from sand.errors import SandError, Unavailable, refusal
from sand.messages import BusError
from sand.protocol import Method, decode_reply, encode_call
from sand.wire import ProtocolError

MAX_FRAME = 1 << 20
_FIRST_READ = 8192


class ConnectionClosed(Exception):
    """The other end is gone."""


def connect(path: str) -> socket:
    """A connected stream socket. `_socket` is the C half of the socket module: the other half is not needed here."""
    stream = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC)
    try:
        stream.connect(path)
    except OSError as failed:
        stream.close()
        raise ConnectionClosed(f"cannot connect to {path}: {failed}") from failed
    return stream


class Connection:
    """For a process that waits for one reply at a time: an instance."""

    __slots__ = ("_lock", "_owner", "_sequence", "_socket", "awaits")

    def __init__(self, stream: socket) -> None:
        self._socket = stream
        self._sequence = 0
        self._lock = allocate_lock()
        self._owner = os.getpid()
        self.awaits = True
        """Whether functions here ask for a result as soon as they have invoked something: so far, or last (process.py)."""

    def send(self, frame: bytes) -> None:
        try:
            self._socket.sendall(frame)
        except OSError as failed:
            raise ConnectionClosed(str(failed)) from failed

    def receive(self) -> Any:
        """The next frame, without its length. Blocks until it is there."""
        try:
            data = self._socket.recv(_FIRST_READ)
            while len(data) < 4:
                more = self._socket.recv(_FIRST_READ) if data else b""
                if not more:
                    raise ConnectionClosed("the host agent closed the connection")
                data += more
            size = int.from_bytes(data[:4], "big")
            if size > MAX_FRAME:
                raise ProtocolError(f"a frame of {size} bytes; the limit is {MAX_FRAME}")
            if len(data) == size + 4:
                return data[4:]
            return self._rest(data, size)
        except OSError as failed:
            raise ConnectionClosed(str(failed)) from failed

    def _rest(self, data: bytes, size: int) -> bytearray:
        if len(data) > size + 4:
            raise ProtocolError("a frame that nobody waits for")
        frame = bytearray(size)
        have = len(data) - 4
        frame[:have] = data[4:]
        view = memoryview(frame)
        while have < size:
            got = self._socket.recv_into(view[have:])
            if not got:
                raise ConnectionClosed("the host agent closed the connection within a frame")
            have += got
        return frame

    def call(self, method: Method, argument: Any) -> Any:
        """The reply's value; a BusError is raised as the exception of its name (errors.py)."""
        with self._lock:
            if os.getpid() != self._owner:
                raise SandError(f"context belongs to process {self._owner}: a process forked from it cannot call {method.name}")
            self._sequence += 1
            try:
                self.send(encode_call(method, argument, self._sequence))
                reply = decode_reply(method, bytes(self.receive()))
            except (ConnectionClosed, ProtocolError) as failed:
                raise Unavailable(f"{method.name}: {failed}") from failed
        if type(reply) is BusError:
            raise refusal(reply.error, reply.message)
        return reply


class FrameBuffer:
    """Frames out of a byte stream, for a process that polls: the supervisor and the workers."""

    __slots__ = ("_data",)

    def __init__(self) -> None:
        self._data = b""

    def feed(self, data: bytes) -> list[bytes]:
        """The frames, without their lengths, that are complete now."""
        data = self._data + data
        frames = []
        at = 0
        while len(data) - at >= 4:
            size = int.from_bytes(data[at : at + 4], "big")
            if size > MAX_FRAME:
                raise ProtocolError(f"a frame of {size} bytes; the limit is {MAX_FRAME}")
            if len(data) - at - 4 < size:
                break
            frames.append(data[at + 4 : at + 4 + size])
            at += 4 + size
        self._data = data[at:]
        return frames
