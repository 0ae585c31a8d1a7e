"""A JSONPath on its way through a document, as in the version of Jayway's library that AWS shows (2.0, its provider of trees).

What is not there is an error at the first place that lacks it, but for an element that `[*]` of an array has come to, which is
passed over; what has been found on the way stays. An index that an array does not have leads to nothing, which shows as null.
What a filter says of an element is told by python-jsonpath.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jsonpath import JSONPathMatch
from jsonpath.exceptions import JSONPathError

from sand.asl import document, limits, path_library
from sand.asl.failure import DATA_LIMIT_EXCEEDED, StateError
from sand.asl.path_steps import All, FromEnd, Indices, Names, Scan, Slice, Step, Test


class Missing(Exception):
    """A path leads nowhere in this document."""


class BeyondArray(Missing):
    """The path leads to an array, and ends in an index that it has no element at."""


class Misapplied(Missing):
    """A step is for something else than what the document has there: an index for arrays, a filter for no scalar."""


class Steps:
    """Of a path, ready to be walked. Raises JSONPathError or ValueError of a filter."""

    __slots__ = ("_filters", "_last_indefinite", "steps")

    def __init__(self, steps: Sequence[Step]) -> None:
        self.steps = steps
        self._filters = [
            path_library.compile(f"$[?{step.filter}]").segments[0] if isinstance(step, Test) else None for step in steps
        ]
        self._last_indefinite = max((number for number, step in enumerate(steps) if not step.is_definite), default=-1)

    @property
    def is_definite(self) -> bool:
        return self._last_indefinite < 0

    def is_definite_around(self, number: int) -> bool:
        """Of a step to a name: whether the one before it and all behind it lead to one place, by which the library tells
        whether it fails."""
        return self._last_indefinite < max(0, number - 1)

    def shown_from(self, number: int) -> str:
        return "".join(map(str, self.steps[number:]))

    def passes(self, number: int, element: Any, root: Any) -> bool:
        """As the guide says, the `@` of a filter at the end matches objects, never scalars."""
        step = self.steps[number]
        if number + 1 == len(self.steps) and isinstance(step, Test) and step.is_of_itself and not isinstance(element, dict):
            return False
        node = JSONPathMatch(filter_context={}, obj=[element], parent=None, path="$", parts=(), root=root)
        try:
            return any(True for _ in self._filters[number].resolve([node]))  # type: ignore[union-attr]
        except (JSONPathError, RecursionError) as e:
            raise Misapplied("a filter cannot be applied: " + str(e).partition("\n")[0]) from None

    def read(self, root: Any) -> Any:
        """One value when the path is definite, else a list of all. Raises Missing when it leads nowhere."""
        walk = _Walk(self, root)
        walk.go(0, _Place(None, "", root, True))
        return walk.found[0] if self.is_definite else walk.found


class _Place:
    """Somewhere in the document. step: the name or the index that leads to it from `above`; node: None also for nothing, as
    behind an array's end; is_node: whether the library has a node there, of null too, and not the bare value, as of a field."""

    __slots__ = ("above", "is_node", "node", "step")

    def __init__(self, above: _Place | None, step: str | int, node: Any, is_node: bool = False) -> None:
        self.above = above
        self.step = step
        self.node = node
        self.is_node = is_node

    def element(self, index: int) -> _Place:
        is_there = 0 <= index < len(self.node)
        return _Place(self, index, self.node[index] if is_there else None, is_there)

    def path(self) -> str:
        steps: list[str] = []
        place = self
        while place.above is not None:
            steps.append(f"['{place.step}']" if isinstance(place.step, str) else f"[{place.step}]")
            place = place.above
        return "$" + "".join(reversed(steps))

    def shown(self) -> str:
        """A bare text as it is, that of a node in quotes."""
        return document.shortened(self.node) if isinstance(self.node, str) and not self.is_node else document.shown(self.node)


class _Walk:
    def __init__(self, path: Steps, root: Any) -> None:
        self._path = path
        self._steps = path.steps
        self._root = root
        self._places = 0
        self.found: list[Any] = []

    def go(self, number: int, at: _Place) -> None:
        """Steps to one place are walked here, in a row: a path may have more of them than calls can stand in each other."""
        next: _Place | None = at
        while next is not None:
            self._count()
            if number == len(self._steps):
                self.found.append(next.node)
                return
            next = self._next(number, next)
            number += 1

    def _count(self) -> None:
        self._places += 1
        if self._places > limits.PATH_PLACES:
            raise StateError(DATA_LIMIT_EXCEEDED, f"a path looks at more than {limits.PATH_PLACES} places")

    def _next(self, number: int, at: _Place) -> _Place | None:
        """The one place to go on from, or none where all has been done."""
        step = self._steps[number]
        if isinstance(step, Names):
            return self._named(number, at, step.names)
        if isinstance(step, All):
            return self._all(number, at)
        if isinstance(step, Scan):
            return self._scan(number + 1, at)
        if isinstance(step, Test):
            return self._test(number, at)
        if at.node is None and not at.is_node:
            raise Missing(f"The path {at.path()} is null")
        if not isinstance(at.node, list):
            what = f"Filter: {self._path.shown_from(number)} can only be applied to arrays."
            raise Misapplied(f"{what} Current context is: {at.shown()}")
        if isinstance(step, FromEnd):
            return at.element(len(at.node) - step.back)
        if isinstance(step, Indices) and step.is_definite:
            return at.element(step.indices[0])
        for index in step.indices(len(at.node)) if isinstance(step, Slice) else step.indices:
            self.go(number + 1, at.element(index))
        return None

    def _named(self, number: int, at: _Place, names: Sequence[str]) -> _Place | None:
        if not isinstance(at.node, dict):
            raise Missing(f"Property {self._steps[number]} not found in path {at.path()}")
        is_last = number + 1 == len(self._steps)
        if len(names) > 1:
            if not is_last:
                raise Misapplied(f"Multi properties can only be used as path leafs: {at.path()}{self._steps[number]}")
            self.found.append({name: at.node[name] for name in names if name in at.node})
            return None
        name = names[0]
        if name in at.node:
            return _Place(at, name, at.node[name])
        if is_last:
            raise Missing(f"No results for path: {at.path()}['{name}']")
        if self._path.is_definite_around(number):
            raise Missing(f"Missing property in path {at.path()}['{name}']")
        return None

    def _all(self, number: int, at: _Place) -> None:
        if isinstance(at.node, dict):
            for name, member in at.node.items():
                self.go(number + 1, _Place(at, name, member))
        for index in range(len(at.node)) if isinstance(at.node, list) else ():
            try:
                self.go(number + 1, at.element(index))
            except Missing as e:
                # Passed over, as the library does here alone.
                if isinstance(e, Misapplied):
                    raise

    def _scan(self, number: int, at: _Place) -> None:
        """number: of the step that is for what is looked for."""
        self._count()
        if isinstance(at.node, dict):
            if self._is_for(number, at):
                self.go(number, at)
            for name, member in at.node.items():
                self._scan(number, _Place(at, name, member))
        elif isinstance(at.node, list):
            if self._is_for(number, at):
                self._found(number, at)
            for index in range(len(at.node)):
                self._scan(number, at.element(index))

    def _found(self, number: int, at: _Place) -> None:
        """Of an array, the library takes all elements where the path goes on, whatever the step says."""
        if number + 1 == len(self._steps):
            self.go(number, at)
            return
        for index, element in enumerate(at.node):
            self.go(number + 1, _Place(at, index, element))

    def _is_for(self, number: int, at: _Place) -> bool:
        step = self._steps[number]
        if isinstance(step, Names):
            return isinstance(at.node, dict) and all(name in at.node for name in step.names)
        if isinstance(step, Test):
            return self._path.passes(number, at.node, self._root)
        return isinstance(step, All) or isinstance(at.node, list)

    def _test(self, number: int, at: _Place) -> _Place | None:
        if isinstance(at.node, dict):
            return at if self._path.passes(number, at.node, self._root) else None
        if not isinstance(at.node, list):
            what = f"Filter: {self._path.shown_from(number)} can not be applied to primitives."
            raise Misapplied(f"{what} Current context is: {at.shown()}")
        for index, element in enumerate(at.node):
            if self._path.passes(number, element, self._root):
                self.go(number + 1, at.element(index))
        return None
