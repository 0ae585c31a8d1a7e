"""Versions and counters of stored values, by the rules of the data layer's `Versions`; and keys in byte order."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Generic, NamedTuple, TypeVar

from sand.errors import BadRequest, Conflict

T = TypeVar("T")
_MOST = (1 << 63) - 1


class Versioned(NamedTuple, Generic[T]):
    version: int
    value: T


class Cells(Generic[T]):
    """Values under keys. No version comes twice for one key, deletion or not."""

    def __init__(self) -> None:
        self._cells: dict[str, Versioned[T]] = {}
        self._floor = 0

    def get(self, key: str) -> Versioned[T] | None:
        return self._cells.get(key)

    def version(self, key: str) -> int:
        found = self._cells.get(key)
        return found.version if found else 0

    def put(self, key: str, value: T, expected: int | None = None) -> int:
        """:raises Conflict: it is at another version than `expected` (0: absent; None: any)"""
        actual = check(key, self.version(key), expected)
        version = 1 + (actual or self._floor)
        self._cells[key] = Versioned(version, value)
        return version

    def delete(self, key: str, expected: int | None = None) -> bool:
        check(key, self.version(key), expected)
        gone = self._cells.pop(key, None)
        self._floor = max(self._floor, gone.version + 1 if gone else 0)
        return gone is not None

    def keys(self, prefix: str = "", after: str | None = None) -> list[str]:
        return ordered((key for key in self._cells if key.startswith(prefix)), after)


def check(key: str, actual: int, expected: int | None) -> int:
    if expected is not None and expected != actual:
        told = (
            f'nothing is stored under "{key}", version {expected} was expected'
            if actual == 0
            else f'"{key}" is at version {actual}, {f"version {expected}" if expected else "nothing"} was expected'
        )
        raise Conflict(f"{told} (actual version {actual})")
    return actual


def ordered(keys: Iterable[str], after: str | None) -> list[str]:
    found = sorted(keys, key=lambda key: key.encode("utf-8", "surrogatepass"))
    return found if after is None else [key for key in found if key.encode() > after.encode()]


def total(key: str, value: bytes | None, delta: int) -> int:
    """:raises BadRequest: what is there is no counter, or the sum has no room in 64 bits"""
    text = "0" if value is None else value[:32].decode("latin-1")
    try:
        count = int(text)
    except ValueError:
        raise BadRequest(f'the value of "{key}" is no counter') from None
    if not -_MOST - 1 <= count + delta <= _MOST:
        raise BadRequest(f'the counter "{key}" would overflow: {text} + {delta}')
    return count + delta
