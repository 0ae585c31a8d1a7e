"""The ways between the states of one machine: which leads where, and what can be reached."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping


class Ways:
    def __init__(self) -> None:
        self._targets: dict[str, list[tuple[str, str]]] = {}
        self._by_place: dict[str, list[str]] = {}

    def add_state(self, name: str) -> None:
        self._targets[name] = []

    def add(self, source: str, target: str, pointer: str) -> None:
        """:param source: that was added, :param pointer: to where the target's name stands"""
        self._targets[source].append((target, pointer))
        self._by_place.setdefault(pointer.rpartition("/")[0], []).append(target)

    @property
    def states(self) -> Mapping[str, object]:
        return self._targets

    def all(self) -> Iterator[tuple[str, str]]:
        """Targets, with the pointers to where they stand."""
        return (one for found in self._targets.values() for one in found)

    def at(self, pointer: str) -> list[str]:
        """Where the state, rule or catcher there itself leads to."""
        return self._by_place.get(pointer, [])

    def reached(self, starts: Mapping[str, str]) -> dict[str, str]:
        """States that can be reached, with the starts themselves, each with the mark of a start that leads there.

        :param starts: states, each with a mark
        """
        marks = dict(starts)
        open_ = deque(starts)
        while open_:
            state = open_.popleft()
            for target, _ in self._targets.get(state, []):
                if target not in marks:
                    marks[target] = marks[state]
                    open_.append(target)
        return marks
