"""One connection to a socket of the host agent: frames out, frames in, and calls that wait for their reply."""

from __future__ import annotations

import os
from _socket import AF_UNIX, SOCK_CLOEXEC, SOCK_STREAM, socket
from _thread import allocate_lock
from typing import Any

from sand.errors import SandError, Unavailable, refusal
from sand.messages import BusError
from sand.protocol import Method, decode_reply, encode_call
from sand.wire import ProtocolError, header

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

    __slots__ = ("_ahead", "_early", "_is_asked", "_late", "_lock", "_owner", "_sequence", "_socket")

    def __init__(self, stream: socket) -> None:
        self._socket = stream
        self._sequence = 0
        self._lock = allocate_lock()
        self._owner = os.getpid()
        self._late = 0
        """The call whose reply nobody waits for yet; 0: none."""
        self._early: Any = None
        """That reply, come meanwhile."""
        self._ahead = b""
        """What was read behind a frame."""
        self._is_asked = True
        """So far, or again: `late` is asked for what `call_followed` left to come, and finds something."""

    def send(self, frame: bytes) -> None:
        try:
            self._socket.sendall(frame)
        except OSError as failed:
            raise ConnectionClosed(str(failed)) from failed

    def receive(self) -> Any:
        """The next frame that somebody waits for, without its length. Blocks until it is there."""
        frame = self._frame()
        while self._late and self._early is None and header(frame)[2] == self._late:
            self._early = frame
            frame = self._frame()
        return frame

    def _frame(self) -> Any:
        try:
            data = self._ahead or self._socket.recv(_FIRST_READ)
            self._ahead = b""
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
            if not self._late:
                raise ProtocolError("a frame that nobody waits for")
            self._ahead = data[size + 4 :]
            return data[4 : size + 4]
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
            return self._call(method, argument, None)

    def call_followed(self, method: Method, argument: Any, then: Method, then_argument: Any) -> tuple[Any, int]:
        """The reply's value of a call, with a second one sent behind it whose reply is waited for later: `late`.

        One at a time, so that no more comes than is read; whoever leaves them unasked is not served with them any longer.

        :return: the reply's value, and what to ask `late` for; 0: the second call was not made
        """
        with self._lock:
            if self._late:
                self._is_asked = False
            if not self._is_asked:
                return self._call(method, argument, None), 0
            self._late = self._sequence + 2
            return self._call(method, argument, encode_call(then, then_argument, self._late)), self._late

    def late(self, sequence: int, method: Method) -> Any:
        """Blocks until the reply to the second call of `call_followed` is there. :return: None: it says nothing"""
        with self._lock:
            if sequence != self._late:
                return None
            try:
                self._check(method)
                reply = decode_reply(method, bytes(self._frame() if self._early is None else self._early))
            except (ConnectionClosed, ProtocolError) as failed:
                raise Unavailable(f"{method.name}: {failed}") from failed
            self._late, self._early = 0, None
            self._is_asked = type(reply) is not BusError and any(field is not None for field in reply)
        return reply if self._is_asked else None

    def _check(self, method: Method) -> None:
        if os.getpid() != self._owner:
            raise SandError(f"context belongs to process {self._owner}: a process forked from it cannot call {method.name}")

    def _call(self, method: Method, argument: Any, behind: bytes | None) -> Any:
        self._check(method)
        self._sequence += 1
        try:
            call = encode_call(method, argument, self._sequence)
            self.send(call if behind is None else call + behind)
            reply = decode_reply(method, bytes(self.receive()))
        except (ConnectionClosed, ProtocolError) as failed:
            raise Unavailable(f"{method.name}: {failed}") from failed
        finally:
            self._sequence += behind is not None
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
