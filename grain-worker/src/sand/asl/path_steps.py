"""The steps of a JSONPath: the tokens of Jayway's library, each shown as that shows it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True, slots=True)
class Names:
    """Several names lead to one place: an object with those of them that are there."""

    names: Sequence[str]
    is_definite: ClassVar[bool] = True

    def __str__(self) -> str:
        return "['" + "', '".join(self.names) + "']"


@dataclass(frozen=True, slots=True)
class Indices:
    """At those below zero no array has an element."""

    indices: Sequence[int]

    @property
    def is_definite(self) -> bool:
        return len(self.indices) == 1

    def __str__(self) -> str:
        return "[" + ",".join(map(str, self.indices)) + "]"


@dataclass(frozen=True, slots=True)
class FromEnd:
    """As `[(@.length-n)]`; back: 1 is the last one."""

    back: int
    is_definite: ClassVar[bool] = True

    def __str__(self) -> str:
        return f"[@.size()-{self.back}]"


@dataclass(frozen=True, slots=True)
class Slice:
    """from_: None is from the first one; to: the index behind it, None to the last one. One of them is there."""

    from_: int | None
    to: int | None
    is_definite: ClassVar[bool] = False

    def indices(self, size: int) -> range:
        """A first one below zero is counted from the end where it stands alone; with an end, it is what it says."""
        begin = self.from_ or 0
        if self.to is None:
            return range(max(0, size + begin) if begin < 0 else begin, size)
        return range(begin, min(size, size + self.to if self.from_ is None and self.to < 0 else self.to) if size else begin)

    def __str__(self) -> str:
        return f"[{'' if self.from_ is None else self.from_}:{'' if self.to is None else self.to}]"


@dataclass(frozen=True, slots=True)
class All:
    """All members of an object, all elements of an array."""

    is_definite: ClassVar[bool] = False

    def __str__(self) -> str:
        return "[*]"


@dataclass(frozen=True, slots=True)
class Scan:
    """`..`: what the next step is for, wherever it stands."""

    is_definite: ClassVar[bool] = False

    def __str__(self) -> str:
        return ".."


@dataclass(frozen=True, slots=True)
class Test:
    """filter: with its round brackets; is_of_itself: whether it tests the element itself, not a field of it."""

    filter: str
    is_of_itself: bool
    is_definite: ClassVar[bool] = False

    def __str__(self) -> str:
        return "[?]"


Step = Names | Indices | FromEnd | Slice | All | Scan | Test
