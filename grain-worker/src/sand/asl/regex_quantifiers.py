"""How often a part of a pattern of `java.util.regex` is to match, read from a `Scanner` for `regex_grammar`."""

from __future__ import annotations

from dataclasses import dataclass

from sand.asl.regex_scanner import PatternError, Scanner, is_digit
from sand.asl.regex_widths import MOST

REPEATS = 50_000
"""The library that matches writes each repetition out that must be, in some hundred bytes and 2 µs: many fill the memory."""


@dataclass(frozen=True)
class Quantifier:
    """suffix: `?` when it takes as little as it can, `+` when it does not give back."""

    least: int
    most: int
    suffix: str

    @property
    def is_optional(self) -> bool:
        return (self.least, self.most) == (0, 1)

    @property
    def is_open(self) -> bool:
        return self.most == MOST

    @property
    def text(self) -> str:
        short = {(0, 1): "?", (0, MOST): "*", (1, MOST): "+"}.get((self.least, self.most))
        most = "" if self.is_open else self.most
        return f"{short or f'{{{self.least},{most}}}'}{self.suffix}"

    def check(self, repeats: int) -> None:
        """repeats: of all the parts of what is repeated. Raises PatternError."""
        if repeats > REPEATS:
            raise PatternError(f"The pattern repeats what must be there {repeats} times; the limit is {REPEATS}")


def quantifier(scanner: Scanner) -> Quantifier | None:
    """None, when what is before the cursor matches once."""
    letter = chr(scanner.peek())
    if letter in "?*+":
        least, most = {"?": (0, 1), "*": (0, MOST), "+": (1, MOST)}[letter]
    elif letter == "{":
        least, most = _counted(scanner)
    else:
        return None
    suffix = chr(scanner.next())
    if suffix not in "?+":
        return Quantifier(least, most, "")
    scanner.next()
    return Quantifier(least, most, suffix)


def _counted(scanner: Scanner) -> tuple[int, int]:
    """At the closing bracket, after it."""
    char = scanner.skip()
    if not is_digit(char):
        scanner.fail("Illegal repetition")
    least, char = _number(scanner, char)
    most = least
    if char == ord(","):
        char = scanner.read()
        if char == ord("}"):
            scanner.unread()
            return least, MOST
        most, char = _number(scanner, char)
    if char != ord("}"):
        scanner.fail("Unclosed counted closure")
    if most < least:
        scanner.fail("Illegal repetition range")
    scanner.unread()
    return least, most


def _number(scanner: Scanner, char: int) -> tuple[int, int]:
    """Zero, when it begins with no digit. Returns what follows it, too."""
    number = 0
    while is_digit(char):
        number = number * 10 + char - ord("0")
        if number > MOST:
            scanner.fail("Illegal repetition range")
        char = scanner.read()
    return number, char
