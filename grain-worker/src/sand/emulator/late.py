"""The time by which what runs is late: while somebody looks at a handler with a debugger, nothing is."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

# How soon a timer that has stood sees that it goes on.
_LOOK_SECONDS = 0.05


class Late:
    """Monotonic nanoseconds, but for those in which it stood. Any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._stands = 0
        self._since_ns = 0
        self._stood_ns = 0

    def now_ns(self) -> int:
        with self._lock:
            return (self._since_ns if self._stands else time.monotonic_ns()) - self._stood_ns

    @property
    def stands(self) -> bool:
        return self._stands > 0

    @contextmanager
    def standing(self) -> Iterator[None]:
        with self._lock:
            if not self._stands:
                self._since_ns = time.monotonic_ns()
            self._stands += 1
        try:
            yield
        finally:
            with self._lock:
                self._stands -= 1
                if not self._stands:
                    self._stood_ns += time.monotonic_ns() - self._since_ns

    async def sleep_until(self, at_ns: int) -> None:
        while (left := (at_ns - self.now_ns()) / 1e9) > 0:
            await asyncio.sleep(min(left, _LOOK_SECONDS) if self.stands else left)


LATE = Late()


class LateClock:
    """A workflow's: what it writes down is when it was; waits and time-outs pass with `LATE`."""

    def now_ms(self) -> int:
        return time.time_ns() // 1_000_000

    async def sleep_ms(self, delay_ms: int) -> None:
        await LATE.sleep_until(LATE.now_ns() + delay_ms * 1_000_000)
