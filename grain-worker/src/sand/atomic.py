"""What one key of a table can hold that many change at once: a list, a map, a set (FaaSKeeper 2.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sand.tables import Table


class _Atomic:
    __slots__ = ("_key", "_table")

    def __init__(self, table: Table, key: str) -> None:
        self._table = table
        self._key = key


class AtomicList(_Atomic):
    """A list that many append to and take from at once (FaaSKeeper 2.2)."""

    __slots__ = ()

    def get(self) -> list[Any]:
        return self._table.get(self._key, [])

    def append(self, *elements: Any) -> int:
        """The new length."""
        return self._table._one("append", self._key, elements).number or 0

    def prepend(self, *elements: Any) -> int:
        return self._table._one("prepend", self._key, elements).number or 0

    def pop_first(self, count: int = 1) -> list[Any]:
        """As many as there are, up to `count`; nobody else gets the same."""
        return self._table._one("popFirst", self._key, number=count).value

    def pop_last(self, count: int = 1) -> list[Any]:
        return self._table._one("popLast", self._key, number=count).value

    def remove(self, element: Any) -> int:
        """How many equal ones there were; all are gone."""
        with self._table.transaction() as all_of_it:
            removed = all_of_it.remove(self._key, element)
        return removed.number or 0

    def keep_first(self, count: int) -> int:
        """Cuts it; the new length."""
        return self._table._one("keepFirst", self._key, number=count).number or 0

    def keep_last(self, count: int) -> int:
        return self._table._one("keepLast", self._key, number=count).number or 0


class AtomicMap(_Atomic):
    """A map whose fields many set at once."""

    __slots__ = ()

    def get(self) -> dict[str, Any]:
        return self._table.get(self._key, {})

    def set(self, field: str, value: Any) -> int:
        """The number of fields."""
        with self._table.transaction() as all_of_it:
            done = all_of_it.set_field(self._key, field, value)
        return done.number or 0

    def remove(self, field: str) -> bool:
        """Whether there was one."""
        return self._table._one("removeField", self._key, field=field).number == 1


class AtomicSet(_Atomic):
    """A set of JSON values, in the order in which they came."""

    __slots__ = ()

    def get(self) -> list[Any]:
        return self._table.get(self._key, [])

    def add(self, *members: Any) -> int:
        """How many were not in it yet."""
        return self._table._one("addMembers", self._key, members).number or 0

    def remove(self, *members: Any) -> int:
        """How many were in it."""
        return self._table._one("removeMembers", self._key, members).number or 0
