"""One evaluation of a JSONata expression: how deep it is, how large what it makes is, and what it may still do.

Sizes are counted as if everything were written out: a list that holds another one twice counts it twice, or a few lines could
stand for more than any memory holds.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Collection
from typing import Any

from sand.asl import limits
from sand.asl.failure import QUERY_EVALUATION_ERROR, StateError
from sand.asl.visits import View

_CURRENT = threading.local()


def failure(message: str) -> StateError:
    return StateError(QUERY_EVALUATION_ERROR, message)


def check_bytes(count: int) -> None:
    """Raises StateError when so many bytes are more than a value may have: asked before they are made."""
    if count > limits.QUERY_VALUE_BYTES:
        raise failure("Expression evaluation memory limit exceeded: Check for excessive memory usage")


def current() -> Run:
    """The run of the evaluation at hand: functions are the same objects in every one."""
    run: Run = _CURRENT.run
    return run


class Range(list[int]):
    """What `..` gave: counted without a look at it, as it has no room of its own in the Java engine. Never changed."""


_CONTAINERS = (list, dict)
_RANGES_AT_ONCE = 16
_RANGED = 4_000_000
"""Numbers that ranges of one evaluation have before they cost steps."""


class Run:
    def __init__(self, view: View) -> None:
        self.view = view
        self.budget = view.budget
        self._depth = 0
        # By identity; the container is kept, so that its id stays its own.
        self._known: dict[int, tuple[Any, int, int]] = {}
        self._given: set[int] = set()
        self._ranges: dict[tuple[int, int], Range] = {}
        self._ranged = 0
        self.regex_seconds = limits.REGEX_SECONDS
        """Of CPU time, that regular expressions may still take."""

    def __enter__(self) -> Run:
        self._outer = getattr(_CURRENT, "run", None)
        _CURRENT.run = self
        return self

    def __exit__(self, *exception: object) -> None:
        _CURRENT.run = self._outer

    def given(self, container: Any) -> Any:
        """Notes a container that was not made here: the document's own limit holds for it."""
        self._given.add(id(container))
        self._extent(container)
        return container

    def range(self, first: int, last: int) -> Range:
        """The last few are kept: an expression makes the same one again and again."""
        made = self._ranges.get((first, last))
        if made is None:
            self._ranged += last - first + 1
            if self._ranged > _RANGED:
                self.budget.spend((last - first) // 16)
            if len(self._ranges) == _RANGES_AT_ONCE:
                del self._ranges[next(iter(self._ranges))]
            made = self._ranges[first, last] = Range(range(first, last + 1))
        return made

    def enter(self) -> None:
        """Before a node is evaluated."""
        self.budget.spend(1)
        self._depth += 1
        if self._depth > limits.QUERY_DEPTH:
            raise failure(
                "Stack overflow error: Check for non-terminating recursive function. Consider rewriting as tail-recursive"
            )

    def leave(self, result: Any) -> None:
        """After it was."""
        self._depth -= 1
        self.check(result)

    def check(self, value: Any) -> None:
        """Raises StateError when the value is larger than one may be."""
        if isinstance(value, str):
            self.budget.spend(len(value) >> 12)
            check_bytes(len(value))
        elif isinstance(value, _CONTAINERS):
            size, levels = self._extent(value)
            if id(value) not in self._given:
                check_bytes(size)
            if levels > limits.JSON_DEPTH:
                raise failure(f"A value is nested more than {limits.JSON_DEPTH} levels deep")

    def _extent(self, value: Any) -> tuple[int, int]:
        """Bytes and levels."""
        if isinstance(value, str):
            return len(value), 0
        if not isinstance(value, _CONTAINERS):
            return 8, 0
        if isinstance(value, Range):
            return 8 * len(value), 1
        known = self._known.get(id(value))
        if known is not None and len(known[0]) == len(value):
            return known[1], known[2]
        size = 8 + (8 * len(value) if isinstance(value, dict) else 0)
        most = sys.maxsize if id(value) in self._given else limits.QUERY_VALUE_BYTES
        deepest = 0
        parts: Collection[Any] = value.values() if isinstance(value, dict) else value
        # Every element of every list that an expression makes: most of an evaluation, if each were looked at by itself.
        if not any(issubclass(kind, (str, *_CONTAINERS)) for kind in set(map(type, parts))):
            self.budget.spend(min(len(parts), (most - size) // 8) // 16)
            size += 8 * len(parts)
            if size > most:
                check_bytes(size)
            parts = ()
        for count, part in enumerate(parts, 1):
            if isinstance(part, str):
                size += len(part)
            elif isinstance(part, _CONTAINERS):
                below, levels = self._extent(part)
                size += below
                deepest = max(deepest, levels)
            else:
                size += 8
            if size > most:
                check_bytes(size)
            if count & 0xF == 0:
                self.budget.spend(1)
        self._known[id(value)] = (value, size, deepest + 1)
        return size, deepest + 1
