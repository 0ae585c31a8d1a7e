"""Where an execution was: what a redrive needs to begin from a state that it had entered before."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

_FIRST = re.compile(r"([^/>\[#]*)(?:#(\d+))?")


@dataclass(frozen=True)
class Place:
    """What a state of the workflow itself, of no branch or iteration, had when it was last entered.

    attempts: how many each state had had by then, by the state's step.
    """

    input: Any
    variables: dict[str, tuple[Any, int]]
    attempts: dict[str, int]

    def is_after(self, step: str) -> bool:
        """Whether the attempt of that step, or the one that it follows from, was made before."""
        found = _FIRST.match(step)
        assert found is not None
        return int(found[2] or 1) <= self.attempts.get(found[1], 0)
