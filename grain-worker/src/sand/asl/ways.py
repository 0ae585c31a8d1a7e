"""The ways between the states of one machine: which leads where, and what can be reached."""

from __future__ import annotations

from collections.abc import Iterator, Mapping


class Ways:
    def __init__(self) -> None:
        self._targets: dict[str, list[tuple[str, str]]] = {}
        self._by_place: dict[str, list[str]] = {}
        self._back: dict[str, list[str]] | None = None

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

    def reached_from(self, state: str) -> set[str]:
        """With the state itself."""
        return _closure(state, {source: [target for target, _ in found] for source, found in self._targets.items()})

    def leading_to(self, state: str) -> set[str]:
        """With the state itself. All states are known by then."""
        if self._back is None:
            self._back = {}
            for source, found in self._targets.items():
                for target, _ in found:
                    self._back.setdefault(target, []).append(source)
        return _closure(state, self._back)


def _closure(state: str, following: dict[str, list[str]]) -> set[str]:
    found: set[str] = set()
    open_ = [state]
    while open_:
        name = open_.pop()
        if name not in found:
            found.add(name)
            open_ += following.get(name, [])
    return found
