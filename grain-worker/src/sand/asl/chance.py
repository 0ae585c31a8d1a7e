"""Random-looking bits that follow from the execution's id and the place where they are drawn: a replay draws the same.

Both engines draw the same ones, so that what they make of them can be compared.
"""

import uuid
from collections.abc import Callable

_BITS = (1 << 64) - 1


def draw(execution_id: str, step: str, count: int) -> int:
    """64 bits. count: of the draws before, at this place."""
    return _mix(_hash(execution_id) ^ _mix(_hash(step) + count * 0x9E3779B97F4A7C15 & _BITS))


def uuid_of(execution_id: str, step: str) -> str:
    """Of version 4."""
    return uuid_from(draw(execution_id, step, -1), draw(execution_id, step, -2))


def uuid_from(high: int, low: int) -> str:
    """Of version 4, with these bits."""
    return str(uuid.UUID(int=high << 64 | low, version=4))


def _hash(text: str) -> int:
    """FNV-1a over the text's units of UTF-16."""
    hash_ = 0xCBF29CE484222325
    units = text.encode("utf-16-le", "surrogatepass")
    for at in range(0, len(units), 2):
        hash_ = (hash_ ^ units[at] ^ units[at + 1] << 8) * 0x100000001B3 & _BITS
    return hash_


def _mix(bits: int) -> int:
    """The finaliser of SplitMix64."""
    bits = (bits ^ bits >> 30) * 0xBF58476D1CE4E5B9 & _BITS
    bits = (bits ^ bits >> 27) * 0x94D049BB133111EB & _BITS
    return bits ^ bits >> 31


class SplitMix:
    """The numbers of Java's SplittableRandom for a seed of 64 bits, which the Java engine draws from."""

    def __init__(self, seed: int) -> None:
        self._seed = seed

    def _next(self) -> int:
        self._seed = self._seed + 0x9E3779B97F4A7C15 & _BITS
        return self._seed

    def random(self) -> float:
        """From 0 on, below 1."""
        return (_mix(self._next()) >> 11) / (1 << 53)

    def between(self, least: int, end: int) -> int:
        """From the first on, below the second: integers of 64 bits."""
        count = end - least
        if count & count - 1 == 0:
            return least + (_mix(self._next()) & count - 1)
        if count >= 1 << 63:
            return self._until(least, end)
        return least + self._fair(lambda: _mix(self._next()) >> 1, count, 1 << 63)

    def _until(self, least: int, end: int) -> int:
        while True:
            drawn = _mix(self._next())
            drawn -= (drawn >> 63) << 64
            if least <= drawn < end:
                return drawn

    def below(self, end: int) -> int:
        """From 0 on: integers of 32 bits."""
        if end & end - 1 == 0:
            return self._small() & end - 1
        return self._fair(lambda: self._small() >> 1, end, 1 << 31)

    def _small(self) -> int:
        bits = self._next()
        bits = (bits ^ bits >> 33) * 0x62A9D9ED799705F5 & _BITS
        return ((bits ^ bits >> 28) * 0xCB24D0A5C88C35B3 & _BITS) >> 32

    @staticmethod
    def _fair(draw: Callable[[], int], count: int, end: int) -> int:
        """Each as often as any other: what does not fill the last round is drawn again."""
        while True:
            drawn = draw()
            if drawn - drawn % count + count <= end:
                return drawn % count


class Seeded:
    """Java's 48-bit generator for a seed (documentation of java.util.Random), which AWS draws from."""

    def __init__(self, seed: int) -> None:
        self._state = (seed ^ 0x5DEECE66D) & ((1 << 48) - 1)

    def _next(self, bits: int) -> int:
        self._state = (self._state * 0x5DEECE66D + 0xB) & ((1 << 48) - 1)
        return self._state >> (48 - bits)

    def random(self) -> float:
        """From 0 on, below 1."""
        high = self._next(26)
        return ((high << 27) + self._next(27)) / (1 << 53)

    def below(self, end: int) -> int:
        """From 0 on: integers of 31 bits. What does not fill the last round is drawn again."""
        if end & end - 1 == 0:
            return end * self._next(31) >> 31
        while True:
            drawn = self._next(31)
            if drawn - drawn % end + end <= 1 << 31:
                return drawn % end
