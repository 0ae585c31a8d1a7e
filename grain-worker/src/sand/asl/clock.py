"""The time of executions that call real grains. A debugger's driver gives a clock of its own, which can stand still."""

import asyncio
import time
from typing import Protocol


class Clock(Protocol):
    def now_ms(self) -> int:
        """Epoch milliseconds."""
        ...

    async def sleep_ms(self, delay_ms: int) -> None: ...


class RealClock:
    """speed: how many times faster than real time waits and time-outs pass."""

    def __init__(self, speed: float = 1.0) -> None:
        self._speed = speed
        self._epoch_ms = time.time() * 1000
        self._begin = time.monotonic()

    def now_ms(self) -> int:
        return int(self._epoch_ms + (time.monotonic() - self._begin) * 1000 * self._speed)

    async def sleep_ms(self, delay_ms: int) -> None:
        await asyncio.sleep(delay_ms / 1000 / self._speed)
