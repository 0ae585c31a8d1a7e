"""The items of a Map, as its iterations take them."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Any

from sand.asl.objects import Item


class Items:
    """Items that come one after the other; those that are looked at ahead are kept."""

    def __init__(self, items: Iterator[Item], source: str | None, taken: int = 0) -> None:
        """taken: before these."""
        self._items = items
        self._source = source
        self._ahead: deque[Item] = deque()
        self.taken = taken

    def has(self, ahead: int) -> bool:
        """Whether there is one so far ahead of the next. Raises ItemFault."""
        while len(self._ahead) <= ahead:
            item = next(self._items, None)
            if item is None:
                return False
            self._ahead.append(item)
        return True

    def at(self, ahead: int) -> tuple[str | None, Any]:
        item = self._ahead[ahead]
        return item[0], item[1]

    def shown(self, ahead: int) -> dict[str, Any]:
        """In the context object."""
        key, value = self.at(ahead)
        shown = {"Index": self.taken + ahead, **({} if key is None else {"Key": key}), "Value": value}
        item = self._ahead[ahead]
        source = item[2] if len(item) == 3 else self._source
        return shown if source is None else shown | {"Source": source}

    def take(self, count: int) -> None:
        for _ in range(count):
            self._ahead.popleft()
        self.taken += count
