"""How wide a part of a pattern can be, for what stands in a look-behind: `java.util.regex` takes those alone of which its
arithmetic, of 32 bits, knows a bound, and matches by that bound. `regex_grammar` describes a part as a list of `Width`s."""

from __future__ import annotations

from dataclasses import dataclass, field

MOST = 2**31 - 1
"""The repetitions of `*` and `+`."""


@dataclass(frozen=True)
class Width:
    """kind: `chars` (least to most of them), `run` (of one kind, as many as there are), `part` (what is in it, once),
    `optional`, `repeat` (of one character, or of what is none), `group` (a repeated one), `branch`, `reference`."""

    kind: str
    least: int = 0
    most: int = 0
    parts: list[list[Width]] = field(default_factory=list)


@dataclass
class Study:
    least: int = 0
    most: int = 0
    is_bounded: bool = True
    is_sure: bool = True
    """That there is one way alone to match it: a group that is so is repeated as a character is."""

    def of(self, widths: list[Width]) -> Study:
        """What follows a branch is studied apart, and added."""
        chain = _chain(widths)
        branch = next((at for at, width in enumerate(chain) if width.kind == "branch"), len(chain))
        for width in chain[: branch + 1]:
            getattr(self, f"_{width.kind}")(width)
        if branch < len(chain):
            rest = Study().of(chain[branch + 1 :])
            self.least += rest.least
            self.most = _int(self.most + rest.most)
            self.is_bounded &= rest.is_bounded
        return self

    def _chars(self, width: Width) -> None:
        self.least += width.least
        self.most = _int(self.most + width.most)

    def _run(self, width: Width) -> None:
        self.least += width.least
        self.most = _int(self.most + MOST) if self.is_bounded else self.most
        self.is_sure = False

    def _optional(self, width: Width) -> None:
        least = self.least
        self.of(width.parts[0])
        self.least, self.is_sure = least, False

    def _repeat(self, width: Width) -> None:
        inner = Study().of(width.parts[0])
        before = self.most
        self.least += inner.least * width.least
        self.is_bounded &= inner.is_bounded
        if self.is_bounded:
            self.most = _int(before + _int(inner.most * width.most))
            self.is_bounded = self.most >= before
        self.is_sure = self.is_sure and inner.is_sure and width.least == width.most

    def _group(self, width: Width) -> None:
        if Study().of(width.parts[0]).is_sure:
            self._repeat(width)
        else:
            self.is_bounded = self.is_sure = False

    def _branch(self, width: Width) -> None:
        branches = [Study().of(part) for part in width.parts]
        self.least += min(branch.least for branch in branches)
        self.most = _int(self.most + max(branch.most for branch in branches))
        self.is_bounded &= all(branch.is_bounded for branch in branches)
        self.is_sure = False

    def _reference(self, width: Width) -> None:
        self.is_bounded = False

    @property
    def never_fits(self) -> bool:
        """When the sum of what has no bound was beyond 32 bits, Java looks at no place at all, or at all of them."""
        return self.most < self.least and self.most > -(2**30)


def _chain(widths: list[Width]) -> list[Width]:
    """Without brackets around what stands there once."""
    return [inner for width in widths for inner in (_chain(width.parts[0]) if width.kind == "part" else [width])]


def fixed(widths: list[Width]) -> int | None:
    """The one width of what has no other, in none of its parts."""
    total = 0
    for width in widths:
        inner = [fixed(part) for part in width.parts]
        if width.kind in ("run", "reference", "optional") or width.least != width.most or len(set(inner)) > 1 or None in inner:
            return None
        each = (inner[0] or 0) if inner else 1
        total += each if width.kind in ("part", "branch") else each * width.least
    return total


def _int(number: int) -> int:
    return (number + 2**31) % 2**32 - 2**31
