"""Texts as Java and JavaScript count them, in units of UTF-16: a character beyond U+FFFF is two."""

from __future__ import annotations

from typing import Any

from sand.asl.query_run import current, failure

FUNCTIONS = {"substring": ("<s-nn?:s>", "substring")}
_BITS = 1 << 31


class Functions:
    @staticmethod
    def substring(text: Any, start: Any, length: Any) -> Any:
        """As AWS: in a text with characters beyond U+FFFF it mixes up how they are counted."""
        if text is None:
            return None
        if start is None:
            raise failure('Cannot invoke "java.lang.Integer.intValue()" because "start" is null')
        units = _units(text)
        size, count = len(units) // 2, len(text)
        first = _int(start)
        if not 0 <= first + size < _BITS:  # Java's sum of two such numbers is less than none then.
            first = 0
        taken = size if length is None else min(_int(length), size)
        if taken <= 0 or first >= count:
            return ""
        first = offset(text, first if first >= 0 else max(0, count + first))
        end = min(first + offset(text, taken), size)
        return "" if first >= size else units[2 * first : 2 * end].decode("utf-16-le", "surrogatepass")


def halves(text: str) -> list[str]:
    """The characters; of one beyond U+FFFF its two halves."""
    units = _units(text)
    return [units[at : at + 2].decode("utf-16-le", "surrogatepass") for at in range(0, len(units), 2)]


def offset(text: str, characters: int) -> int:
    """Of what comes after so many characters. Raises StateError when there are not so many, as Java does."""
    if characters > len(text):
        raise failure("IndexOutOfBoundsException")
    if text.isascii():
        return characters
    current().budget.spend(characters >> 10)
    return len(_units(text[:characters])) // 2


def _units(text: str) -> bytes:
    return text.encode("utf-16-le", "surrogatepass")


def _int(number: Any) -> int:
    """As Java makes a number one of 32 bits."""
    if isinstance(number, int):
        return (number + _BITS) % (2 * _BITS) - _BITS
    return max(-_BITS, min(int(number), _BITS - 1))
