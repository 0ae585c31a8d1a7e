"""What is refused in a cloud process for a bound: with that and what it would come to, as the platform tells it."""

from __future__ import annotations

from sand.errors import Overloaded, SandError, TooLarge


class OverSize(TooLarge):
    """:ivar bounds: `limit` and `actual`, as the failure that it becomes has them"""

    def __init__(self, message: str, limit: int, actual: int) -> None:
        super().__init__(message)
        self.bounds = {"limit": limit, "actual": actual}


class QueueFull(Overloaded):
    """:ivar bounds: as of OverSize"""

    def __init__(self, message: str, limit: int, actual: int) -> None:
        super().__init__(message)
        self.bounds = {"limit": limit, "actual": actual}


def bounds_of(refused: SandError) -> dict[str, int]:
    return refused.bounds if isinstance(refused, OverSize | QueueFull) else {}
