"""The items of a Map, as its iterations take them."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Any

from sand.asl import document, limits
from sand.asl.objects import Item


class Items:
    """Items that come one after the other; those that are looked at ahead are kept. What is read is known a chunk at a time, as
    on the platform: a fault of one is found before any of its chunk is taken."""

    def __init__(
        self,
        items: Iterator[Item | None],
        source: str | None,
        taken: int = 0,
        most: int | None = None,
        at_once: int = limits.CHUNK_ITEMS,
    ) -> None:
        """taken: before these; where they are read, of what is read again. most: of all that are read; None: they are given.
        at_once: how many may be in a chunk."""
        self._items = items
        self._source = source
        self._ahead: deque[Item] = deque()
        self._most = most
        self._at_once = at_once
        self._to_skip = 0 if most is None else taken
        self._is_at_end = False
        self.taken = taken

    @property
    def count(self) -> int:
        """How many are known."""
        return self.taken + len(self._ahead)

    @property
    def are_all_known(self) -> bool:
        return self._is_at_end or self.count == self._most

    def has(self, ahead: int) -> bool:
        """Whether there is one so far ahead of the next. Raises ItemFault."""
        while len(self._ahead) <= ahead and not self.are_all_known:
            if self._most is None:
                self._look()
            else:
                self._read(self._most - self.count)
        return ahead < len(self._ahead)

    def is_known(self, ahead: int) -> bool:
        """As `has`, without reading on."""
        return ahead < len(self._ahead) or (self._most is None and self.has(ahead))

    def _look(self) -> None:
        item = next(self._items, None)
        if item is None:
            self._is_at_end = True
        else:
            self._ahead.append(item)

    def _read(self, most: int) -> None:
        """The next chunk."""
        chunk: list[Item] = []
        size = 0
        while len(chunk) < min(most, self._at_once) and size < limits.CHUNK_BYTES:
            try:
                item = next(self._items)
            except StopIteration:
                self._is_at_end = True
                break
            if item is None and chunk:
                break
            if item is None:
                continue
            if self._to_skip:
                self._to_skip -= 1
                continue
            chunk.append(item)
            size += len(item[0] or "") + document.size(item[1], limits.CHUNK_BYTES)
        self._ahead.extend(chunk)

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
