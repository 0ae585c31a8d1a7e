"""When a scheduled trigger fires, as the platform's `Schedule` has it. Pure: epoch milliseconds come in and go out."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from cronsim import CronSim, CronSimError

LEAST_INTERVAL_MS = 1_000


@dataclass(frozen=True)
class Schedule:
    """Five fields of cron in a time zone, or an interval that counts from when the trigger was armed.

    :param every_ms: 0 with a cron expression
    :raises ValueError: it is no schedule, in one sentence
    """

    cron: str | None = None
    zone: str = "UTC"
    every_ms: int = 0

    def __post_init__(self) -> None:
        if self.cron is None and self.every_ms < LEAST_INTERVAL_MS:
            raise ValueError(f"an interval is at least {LEAST_INTERVAL_MS} ms, not {self.every_ms} ms")
        if self.cron is None:
            return
        try:
            zone = ZoneInfo(self.zone)
        except (ZoneInfoNotFoundError, ValueError, OSError):
            raise ValueError(f"'{self.zone}' is no time zone, like Europe/Berlin or UTC") from None
        try:
            if len(self.cron.split()) != 5:
                raise CronSimError("it has five fields")
            next(CronSim(self.cron, datetime(2024, 1, 1, tzinfo=zone)), None)
        except CronSimError as wrong:
            told = f"'{self.cron}' is no cron expression (minute hour day month weekday): {wrong}"
            raise ValueError(told) from None

    def next(self, since_ms: int, after_ms: int) -> int | None:
        """The first fire after `after_ms`; None: it never fires again.

        :param since_ms: when the trigger was armed
        """
        if self.cron is None:
            return since_ms + (max(0, (after_ms - since_ms) // self.every_ms) + 1) * self.every_ms
        return _ms(next(CronSim(self.cron, self._at(after_ms)), None))

    def last(self, since_ms: int, after_ms: int, until_ms: int) -> int | None:
        """The last fire at or before `until_ms` and after `after_ms`: of many that were missed, the one to make up for."""
        if self.cron is None:
            found: int | None = since_ms + (until_ms - since_ms) // self.every_ms * self.every_ms
        else:
            found = _ms(next(CronSim(self.cron, self._at(until_ms + 60_000), reverse=True), None))
            while found is not None and found > until_ms:
                found = _ms(next(CronSim(self.cron, self._at(found), reverse=True), None))
        return found if found is not None and max(after_ms, since_ms) < found <= until_ms else None

    def text(self) -> str:
        """As people wrote it."""
        return f"every {self.every_ms} ms" if self.cron is None else f"{self.cron} {self.zone}"

    def _at(self, epoch_ms: int) -> datetime:
        return datetime.fromtimestamp(epoch_ms // 1000, UTC).astimezone(ZoneInfo(self.zone))


def _ms(time: datetime | None) -> int | None:
    return None if time is None else int(time.timestamp() * 1000)
