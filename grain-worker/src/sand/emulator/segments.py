"""Large values (over 64 KiB) of one application: memfds under names, as a host agent's data layer keeps them."""

from __future__ import annotations

import contextlib
import os
import threading
from collections import defaultdict
from collections.abc import Callable, Iterable
from fcntl import F_ADD_SEALS, F_SEAL_GROW, F_SEAL_SHRINK, F_SEAL_WRITE, fcntl
from mmap import ACCESS_READ, mmap
from typing import Any

from sand.errors import NotFound
from sand.messages import DataReference, Payload, StateWrite
from sand.values import INLINE_BYTES

# No descriptor of it writes any more, whoever opens it anew through /proc.
_SEALS = F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK


class Segments:
    """What an execution made goes with it: `owner` is its id."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._files: dict[str, int] = {}
        self._owned: dict[str, list[str]] = defaultdict(list)
        self._made = 0

    def allocate(self, owner: str, size: int) -> tuple[str, int]:
        """Name and descriptor, which stays this object's, to write it with before anybody opens it."""
        fd = os.memfd_create("segment", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        os.truncate(fd, size)
        with self._lock:
            self._made += 1
            name = f"s{self._made}"
            self._files[name] = fd
            self._owned[owner].append(name)
        return name, fd

    def descriptor(self, name: str) -> int:
        """:raises NotFound: there is no such segment (any more)"""
        with self._lock:
            if name not in self._files:
                raise NotFound(f"there is no segment {name} (any more)")
            return self._files[name]

    def open(self, name: str) -> int:
        """A descriptor of the caller's own, for reading what nobody writes from now on. :raises NotFound:"""
        fd = self.descriptor(name)
        _seal(fd)
        return os.open(f"/proc/self/fd/{fd}", os.O_RDONLY | os.O_CLOEXEC)

    def lend(self, name: str, owner: str) -> str:
        """Another name for the same memory, which goes with `owner`."""
        fd = os.dup(self.descriptor(name))
        with self._lock:
            self._made += 1
            lent = f"s{self._made}"
            self._files[lent] = fd
            self._owned[owner].append(lent)
        return lent

    def view(self, name: str) -> memoryview:
        return self.load(name)

    def load(self, name: str) -> memoryview:
        fd = self.open(name)
        try:
            return memoryview(mmap(fd, 0, access=ACCESS_READ))
        finally:
            os.close(fd)

    def read(self, name: str) -> bytes:
        return bytes(self.load(name))

    def read_into(self, name: str, make: Callable[[int], Any]) -> Any:
        found = self.load(name)
        made = make(found.nbytes)
        memoryview(made).cast("B")[:] = found
        return made

    def store(self, event_id: str, parts: tuple[Any, ...], size: int) -> str:
        """As sand.segments.Segments.store, for a handler in this process."""
        name, fd = self.allocate(event_id.partition("/")[0], size)
        at = 0
        for part in parts:
            view = memoryview(part).cast("B")
            while view.nbytes:
                written = os.pwrite(fd, view, at)
                at, view = at + written, view[written:]
        _seal(fd)
        return name

    def inline(self, payload: Payload) -> Payload:
        """The same with its bytes, wherever they were."""
        if payload.bytes is not None or payload.reference is None:
            return payload
        fd = self.descriptor(payload.reference.object)
        return Payload(payload.content_type, os.pread(fd, payload.reference.size, 0))

    def inline_writes(self, writes: Iterable[tuple[str, Payload | None]]) -> tuple[StateWrite, ...]:
        return tuple(StateWrite(key, value and self.inline(value)) for key, value in writes)

    def travelling(self, payload: Payload, owner: str) -> Payload:
        """The same as a frame carries it: by reference when it is large."""
        if payload.bytes is None or len(payload.bytes) <= INLINE_BYTES:
            return payload
        size = len(payload.bytes)
        return Payload(payload.content_type, None, DataReference(self.store(owner, (payload.bytes,), size), size))

    def release(self, owner: str) -> None:
        with self._lock:
            gone = [self._files.pop(name) for name in self._owned.pop(owner, ())]
        for fd in gone:
            os.close(fd)

    def close(self) -> None:
        for owner in list(self._owned):
            self.release(owner)


def _seal(fd: int) -> None:
    # Refused of what a function has allocated and maps to write it: that is its own, and copied when it gives it away.
    with contextlib.suppress(OSError):
        fcntl(fd, F_ADD_SEALS, _SEALS)
