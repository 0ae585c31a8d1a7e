"""Where an execution was: what a redrive needs to begin from a state that it had entered before."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

_FIRST = re.compile(r"([^/>\[#]*)(?:#(\d+))?")


class Attempts:
    """In which order the states of the workflow itself had theirs."""

    def __init__(self) -> None:
        self.count = 0
        self._made: dict[str, list[int]] = {}

    def add(self, step: str) -> None:
        """step: of the state, without a number."""
        self.count += 1
        self._made.setdefault(step, []).append(self.count)

    def is_among(self, first: int, step: str, number: int) -> bool:
        """Whether that attempt of the state is among so many of the first."""
        made = self._made.get(step, [])
        return number <= len(made) and made[number - 1] <= first


@dataclass(frozen=True)
class Place:
    """What a state of the workflow itself, of no branch or iteration, had when it was last entered.

    variables: nobody changes these any more. attempts: of all states; made: how many of them by then.
    """

    input: Any
    variables: dict[str, tuple[Any, int]]
    attempts: Attempts
    made: int

    def is_after(self, step: str) -> bool:
        """Whether the attempt of that step, or the one that it follows from, was made before."""
        found = _FIRST.match(step)
        assert found is not None
        return self.attempts.is_among(self.made, found[1], int(found[2] or 1))
