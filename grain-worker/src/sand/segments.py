"""Large values (over 64 KiB) through data.sock: a memfd for each, passed by descriptor, mapped or read, never sent.

An instance imports this when it meets its first large value. The writing side writes into the descriptor: the pages are
there already, and a map would fault on each. For the same reason a copy is read from the descriptor.

Two ways around waiting for data.sock: the host agent gives an object of which it is about to tell this process before it
does (a reply that nobody has asked for), and who has stored two values of one size probably stores a third, whose object is
asked for while the second one is written.
"""

from __future__ import annotations

import os
from _socket import CMSG_SPACE, MSG_CMSG_CLOEXEC, MSG_DONTWAIT, SCM_RIGHTS, SOL_SOCKET
from _thread import allocate_lock
from collections.abc import Callable
from mmap import ACCESS_READ, mmap
from typing import Any

from sand.connection import connect
from sand.errors import SandError, Unavailable, refusal
from sand.messages import BusError, SegmentAllocateRequest, SegmentOpenRequest, SegmentReply
from sand.protocol import ALLOCATE, OPEN, Method, decode_reply, encode_call
from sand.wire import header

_WRITE = 16 << 20
# An object of this size at most is read and not mapped, unless it is to be shared.
_COPIED = 96 << 10
# An object of this size at most is asked for ahead.
_AHEAD = 16 << 20
# The sequence number of what was not asked for.
_PUSHED = -1
# What nobody has taken yet; older ones go.
_MOST_PUSHED = 8
_READ = 4096
_DESCRIPTORS = 4


class Segments:
    """This process's connection to data.sock. Any thread; one at a time."""

    def __init__(self, directory: str, instance: str | None = None) -> None:
        """:param instance: this process's name on bus.sock, with which it is given objects ahead"""
        self._socket = connect(f"{directory}/data.sock")
        self._instance = instance
        self._lock = allocate_lock()
        self._bytes = b""
        self._fds: list[int] = []
        self._last: tuple[str, str | None] | None = None
        # By name, those that came of themselves.
        self._pushed: dict[str, tuple[SegmentReply, int]] = {}
        # Event and size of the last value stored; of what was asked for ahead and has not come; and what has.
        self._stored: tuple[str, int] | None = None
        self._ahead: tuple[str, int] | None = None
        self._spare: tuple[tuple[str, int], SegmentReply, int] | None = None

    def store(self, event_id: str, parts: tuple[Any, ...], size: int) -> str:
        """Writes a value to a new object; its name."""
        with self._lock:
            reply, fd = self._allocate((event_id, size))
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
        return self._view(name, 0)

    def view(self, name: str) -> memoryview:
        """The same; of a small one over a copy, which takes less than a map and its end."""
        return self._view(name, _COPIED)

    def _view(self, name: str, copied: int) -> memoryview:
        reply, fd = self._open(name)
        try:
            if reply.size <= copied:
                return memoryview(os.pread(fd, reply.size, 0))
            return memoryview(mmap(fd, reply.size, access=ACCESS_READ))
        finally:
            os.close(fd)

    def read(self, name: str) -> bytes:
        """A copy of the object's bytes."""
        reply, fd = self._open(name)
        try:
            return os.pread(fd, reply.size, 0)
        finally:
            os.close(fd)

    def read_into(self, name: str, make: Callable[[int], Any]) -> Any:
        """A copy of the object's bytes in what `make(size)` makes: memory that can be written."""
        reply, fd = self._open(name)
        try:
            made = make(reply.size)
            os.preadv(fd, [made], 0)
            return made
        finally:
            os.close(fd)

    def is_of(self, name: str, execution_id: str) -> bool:
        """Whether the object that was loaded last is that one, and lasts as long as the execution."""
        return self._last == (name, execution_id)

    def rest(self) -> None:
        """The event has ended: what came ahead of need is not kept."""
        with self._lock:
            try:
                while self._ahead is not None:
                    self._file(0)
            except Unavailable:
                pass  # whoever needs it next is told
            self._drop_spare()
            self._stored = None
            while self._pushed:
                os.close(self._pushed.popitem()[1][1])

    # --- objects

    def _open(self, name: str) -> tuple[SegmentReply, int]:
        with self._lock:
            try:
                while name not in self._pushed:
                    self._file(MSG_DONTWAIT)
            except BlockingIOError:
                found = self._call(OPEN, SegmentOpenRequest(name, self._name()))
            else:
                found = self._pushed.pop(name)
            self._last = name, found[0].execution
        return found

    def _allocate(self, wanted: tuple[str, int]) -> tuple[SegmentReply, int]:
        while self._ahead is not None:
            self._file(0)
        if self._spare is not None and self._spare[0] == wanted:
            found, self._spare = self._spare[1:], None
        else:
            self._drop_spare()
            found = self._call(ALLOCATE, SegmentAllocateRequest(*wanted, self._name()))
        if self._stored == wanted and wanted[1] <= _AHEAD:
            self._send(ALLOCATE, SegmentAllocateRequest(*wanted))
            self._ahead = wanted
        self._stored = wanted
        return found

    def _drop_spare(self) -> None:
        if self._spare is not None:
            os.close(self._spare[2])
            self._spare = None

    def _name(self) -> str | None:
        """Once: whose connection it is."""
        name, self._instance = self._instance, None
        return name

    # --- calls and what comes

    def _call(self, method: Method, argument: Any) -> tuple[SegmentReply, int]:
        self._send(method, argument)
        while True:
            sequence, frame = self._receive(0)
            if sequence == _PUSHED or self._ahead is not None:
                self._keep(sequence, frame)
            else:
                return self._decode(method, frame)

    def _send(self, method: Method, argument: Any) -> None:
        try:
            self._socket.sendall(encode_call(method, argument))
        except OSError as failed:
            raise _away(failed) from failed

    def _file(self, flags: int) -> None:
        """Takes in a frame that no call waits for. :raises BlockingIOError: there is none, with MSG_DONTWAIT"""
        self._keep(*self._receive(flags))

    def _keep(self, sequence: int, frame: bytes) -> None:
        if sequence == _PUSHED:
            reply, fd = self._decode(OPEN, frame)
            surplus = self._pushed.pop(reply.object, None)
            self._pushed[reply.object] = reply, fd
            if len(self._pushed) > _MOST_PUSHED:
                surplus = self._pushed.pop(next(iter(self._pushed)))
            if surplus is not None:
                os.close(surplus[1])
            return
        wanted, self._ahead = self._ahead, None
        if wanted is None:
            raise SandError("data.sock answers what was not asked")
        try:
            self._spare = wanted, *self._decode(ALLOCATE, frame)
        except SandError:
            pass  # whoever needs it asks again, and is told

    def _decode(self, method: Method, frame: bytes) -> tuple[SegmentReply, int]:
        reply = decode_reply(method, frame)
        if isinstance(reply, BusError):
            raise refusal(reply.error, reply.message)
        if not self._fds:
            raise SandError(f"{method.name}: no descriptor came with the reply")
        return reply, self._fds.pop(0)

    def _receive(self, flags: int) -> tuple[int, bytes]:
        """The next frame without its length, and its sequence number."""
        try:
            while True:
                have = self._bytes
                end = 4 + int.from_bytes(have[:4], "big")
                if len(have) >= max(end, 5):
                    frame, self._bytes = have[4:end], have[end:]
                    return header(frame)[2], frame
                chunk, ancillary, _, _ = self._socket.recvmsg(
                    _READ, CMSG_SPACE(_DESCRIPTORS * 4), MSG_CMSG_CLOEXEC | (0 if have else flags)
                )
                for level, kind, content in ancillary:
                    if level == SOL_SOCKET and kind == SCM_RIGHTS:
                        self._fds += memoryview(content).cast("i").tolist()
                if not chunk:
                    raise _away("data.sock was closed")
                self._bytes = have + chunk
        except BlockingIOError:
            raise
        except OSError as failed:
            raise _away(failed) from failed


def _away(why: object) -> Unavailable:
    return Unavailable(f"the data layer does not answer: {why}")


def _write(fd: int, view: memoryview, at: int) -> int:
    written = 0
    while written < view.nbytes:
        written += os.pwrite(fd, view[written:], at + written)
    return written
