"""Large values (over 64 KiB) through data.sock: a memfd for each, passed by descriptor, mapped and not copied.

An instance imports this when it meets its first large value. The writing side writes into the descriptor: the pages are
there already, and a map would fault on each.
"""

from __future__ import annotations

import os
from _socket import CMSG_SPACE, MSG_CMSG_CLOEXEC, SCM_RIGHTS, SOL_SOCKET
from mmap import ACCESS_READ, mmap
from typing import Any

from sand.connection import ConnectionClosed, connect
from sand.errors import SandError, Unavailable, refusal
from sand.messages import BusError, SegmentAllocateRequest, SegmentOpenRequest
from sand.protocol import ALLOCATE, OPEN, Method, decode_reply, encode_call

_WRITE = 16 << 20


class Segments:
    """This process's connection to data.sock."""

    def __init__(self, directory: str) -> None:
        self._socket = connect(f"{directory}/data.sock")
        self._last: tuple[str, str | None] | None = None

    def store(self, event_id: str, parts: tuple[Any, ...], size: int) -> str:
        """Writes a value to a new object; its name."""
        reply, fd = self._call(ALLOCATE, SegmentAllocateRequest(event_id, size))
        try:
            at = 0
            for part in parts:
                view = memoryview(part).cast("B")
                for begin in range(0, view.nbytes, _WRITE):
                    at += _write(fd, view[begin : begin + _WRITE], at)
        finally:
            os.close(fd)
        return reply.object

    def load(self, name: str) -> memoryview:
        """A read-only view over the object's memory."""
        reply, fd = self._call(OPEN, SegmentOpenRequest(name))
        self._last = name, reply.execution
        try:
            return memoryview(mmap(fd, reply.size, access=ACCESS_READ))
        finally:
            os.close(fd)

    def is_of(self, name: str, execution_id: str) -> bool:
        """Whether the object that was loaded last is that one, and lasts as long as the execution."""
        return self._last == (name, execution_id)

    def _call(self, method: Method, argument: Any) -> tuple[Any, int]:
        fds: list[int] = []
        try:
            self._socket.sendall(encode_call(method, argument))
            data = self._receive(4, fds)
            data = self._receive(int.from_bytes(data, "big"), fds)
        except (OSError, ConnectionClosed) as failed:
            raise Unavailable(f"{method.name}: the data layer does not answer: {failed}") from failed
        reply = decode_reply(method, data)
        if isinstance(reply, BusError):
            for fd in fds:
                os.close(fd)
            raise refusal(reply.error, reply.message)
        if len(fds) != 1:
            raise SandError(f"{method.name}: {len(fds)} descriptors came with the reply, not one")
        return reply, fds[0]

    def _receive(self, size: int, fds: list[int]) -> bytes:
        data = b""
        while len(data) < size:
            chunk, ancillary, _, _ = self._socket.recvmsg(size - len(data), CMSG_SPACE(4 * 4), MSG_CMSG_CLOEXEC)
            for level, kind, content in ancillary:
                if level == SOL_SOCKET and kind == SCM_RIGHTS:
                    fds += memoryview(content).cast("i").tolist()
            if not chunk:
                raise ConnectionClosed("data.sock was closed")
            data += chunk
        return data


def _write(fd: int, view: memoryview, at: int) -> int:
    written = 0
    while written < view.nbytes:
        written += os.pwrite(fd, view[written:], at + written)
    return written
