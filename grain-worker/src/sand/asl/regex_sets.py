"""Sets of characters, as `regex` writes the items of one between brackets, from version 1 of its syntax on: `regex_classes` and
`regex_properties` make them. Nothing but letters and digits stands for itself: no item begins an operator."""

from __future__ import annotations

import re
import sys
from functools import cache

LINE_ENDS = r"\n\r\x85\u2028\u2029"
HORIZONTAL = r"\x20\t\xa0\u1680\u180e\u2000-\u200a\u202f\u205f\u3000"
VERTICAL = r"\n\x0b\f\r\x85\u2028\u2029"
ANY = r"\x00-\U0010ffff"


def one(char: int) -> str:
    if chr(char).isascii() and chr(char).isalnum():
        return chr(char)
    return f"\\x{char:02x}" if char < 256 else f"\\u{char:04x}" if char < 0x10000 else f"\\U{char:08x}"


def between(first: int, last: int) -> str:
    return f"{one(first)}-{one(last)}"


def negated(items: str) -> str:
    return f"[^{items}]"


def both(items: str, others: str) -> str:
    return f"[[{items}]&&[{others}]]"


def matching(items: str) -> str:
    """The pattern that matches one of them: a property is Unicode's, though the pattern around is ASCII's."""
    if re.fullmatch(r"[0-9A-Za-z]|\\(x..|u....|U........)", items):
        return items
    is_one_set = items.startswith("[^") and items.endswith("]") and "[" not in items[1:]
    written = items if is_one_set else f"[{items}]"
    return f"(?u:{written})" if "\\p" in items.lower() else written


def of_char(char: int, flags: frozenset[str]) -> str:
    """Whatever its case, with flag i: that of ASCII's letters, with u of all."""
    if "i" not in flags:
        return one(char)
    if "u" in flags:
        has_case = _upper(char) != fold(char)
        return "".join(map(one, sorted({char, *_folded().get(fold(char), ())}))) if has_case else one(char)
    other = chr(char).swapcase() if char < 128 else chr(char)
    return one(char) + (one(ord(other)) if ord(other) != char else "")


def of_range(first: int, last: int, flags: frozenset[str]) -> str:
    items = between(first, last)
    if "i" not in flags:
        return items
    if "u" not in flags:
        letters = (ord(letter) for letter in "abcdefghijklmnopqrstuvwxyz")
        pairs = [(letter, letter - 32) for letter in letters if first <= letter <= last or first <= letter - 32 <= last]
        return items + "".join(one(char) for pair in pairs for char in pair if not first <= char <= last)
    cased = (char for group in _folded().values() for char in group if not first <= char <= last)
    return items + "".join(one(char) for char in cased if first <= _upper(char) <= last or first <= fold(char) <= last)


def fold(char: int) -> int:
    return _lower(_upper(char))


def _upper(char: int) -> int:
    """As Java has it, one character for one."""
    text = chr(char)
    return ord(next((cased for cased in (text.upper(), text.title()) if len(cased) == 1), text))


def _lower(char: int) -> int:
    return ord(chr(char).lower()[0])


@cache
def _folded() -> dict[int, set[int]]:
    """The characters that have a case, by what they are folded to."""
    folded: dict[int, set[int]] = {}
    for char in range(sys.maxunicode + 1):
        if not 0xD800 <= char < 0xE000 and fold(char) != char:
            folded.setdefault(fold(char), {fold(char)}).add(char)
    return folded
