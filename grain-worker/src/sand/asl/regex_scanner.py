"""A pattern of `java.util.regex`, read a character at a time, and what is said of one that is none, by `regex_grammar`."""

from __future__ import annotations

import unicodedata
from typing import NoReturn

from sand.asl import query_units

_DIGITS = range(ord("0"), ord("9") + 1)
_LINE_ENDS = frozenset(map(ord, "\n\r\x85\u2028\u2029"))
_SPACES = frozenset(map(ord, " \t\n\v\f\r"))


class PatternError(ValueError):
    """Is no pattern, in the words of `java.util.regex.PatternSyntaxException`; or one that this engine cannot match."""


def is_digit(char: int) -> bool:
    return char in _DIGITS


def is_letter(char: int) -> bool:
    return char < 128 and chr(char).isalpha()


class Scanner:
    """Characters are code points, 0 beyond the end. `flags`: the letters of those that hold at the cursor."""

    def __init__(self, pattern: str, flags: str) -> None:
        self._pattern = pattern
        self._chars = [*map(ord, _unquoted(pattern))]
        self.length = len(self._chars)
        self.cursor = 0
        self.flags = frozenset(flags)

    def at(self, place: int) -> int:
        return self._chars[place] if 0 <= place < self.length else 0

    @property
    def is_over(self) -> bool:
        return self.cursor >= self.length

    def peek(self) -> int:
        """In a pattern with comments (flag x), what stands behind them and behind spaces."""
        if "x" in self.flags:
            self._pass_comments()
        return self.at(self.cursor)

    def next(self) -> int:
        """Passes what stands at the cursor, and tells what follows."""
        self.cursor += 1
        return self.peek()

    def read(self) -> int:
        char = self.peek()
        self.cursor += 1
        return char

    def skip(self) -> int:
        """Passes what stands at the cursor and then reads: what follows a backslash is no comment."""
        self.cursor += 2
        return self.at(self.cursor - 1)

    def unread(self) -> None:
        self.cursor -= 1

    def _pass_comments(self) -> None:
        while (char := self.at(self.cursor)) in _SPACES or char == ord("#"):
            if char == ord("#"):
                ends = {ord("\n")} if "d" in self.flags else _LINE_ENDS
                while not self.is_over and self.at(self.cursor) not in ends:
                    self.cursor += 1
            else:
                self.cursor += 1

    def fail(self, sentence: str) -> NoReturn:
        index = self.cursor - 1
        place = f" near index {index}" if index >= 0 else ""
        pointing = ""
        units = query_units.halves(self._pattern)
        if 0 <= index < len(units):
            pointing = "\n" + "".join("\t" if unit == "\t" else " " for unit in units[:index]) + "^"
        raise PatternError(f"{sentence}{place}\n{self._pattern}{pointing}")

    # --- what follows \0, \c, \x, \u and \N

    def octal(self) -> int:
        digits = ""
        while len(digits) < 3 and chr(self.peek()) in "01234567" and not (len(digits) == 2 and digits[0] > "3"):
            digits += chr(self.read())
        if not digits:
            self.read()
            self.fail("Illegal octal escape sequence")
        return int(digits, 8)

    def control(self) -> int:
        if self.is_over:
            self.fail("Illegal control escape sequence")
        return self.read() ^ 64

    def hexadecimal(self) -> int:
        first = self.read()
        if _is_hex(first):
            second = self.read()
            if _is_hex(second):
                return int(chr(first) + chr(second), 16)
        elif first == ord("{") and _is_hex(self.peek()):
            number = 0
            while _is_hex(char := self.read()):
                number = number * 16 + int(chr(char), 16)
                if number > 0x10FFFF:
                    self.fail("Hexadecimal codepoint is too big")
            if char != ord("}"):
                self.fail("Unclosed hexadecimal escape sequence")
            return number
        self.fail("Illegal hexadecimal escape sequence")

    def unit(self) -> int:
        """Of UTF-16; a character when the second half of a pair follows in the same spelling."""
        number = self._four_digits()
        if 0xD800 <= number < 0xDC00:
            place = self.cursor
            if self.read() == ord("\\") and self.read() == ord("u"):
                second = self._four_digits()
                if 0xDC00 <= second < 0xE000:
                    return 0x10000 + ((number - 0xD800) << 10) + (second - 0xDC00)
            self.cursor = place
        return number

    def _four_digits(self) -> int:
        number = 0
        for _ in range(4):
            char = self.read()
            if not _is_hex(char):
                self.fail("Illegal Unicode escape sequence")
            number = number * 16 + int(chr(char), 16)
        return number

    def named(self) -> int:
        if self.read() != ord("{"):
            self.fail("Illegal character name escape sequence")
        name = ""
        while (char := self.read()) != ord("}"):
            if self.is_over:
                self.fail("Unclosed character name escape sequence")
            name += chr(char)
        try:
            return ord(unicodedata.lookup(name))
        except (KeyError, TypeError):  # of a sequence of characters, too
            self.fail(f"Unknown character name [{name}]")


def _is_hex(char: int) -> bool:
    return char < 128 and chr(char) in "0123456789abcdefABCDEF"


def _unquoted(pattern: str) -> str:
    r"""Without \Q and \E: each character between them behind a backslash, unless it is a letter or beyond ASCII."""
    out: list[str] = []
    at, is_quoted = 0, False
    while at < len(pattern):
        two = pattern[at : at + 2]
        if is_quoted and two == "\\E":
            at, is_quoted = at + 2, False
        elif not is_quoted and two == "\\Q":
            at, is_quoted = at + 2, True
            if pattern[at : at + 1].isascii() and pattern[at : at + 1].isdigit():  # not to be a digit of what stands before
                out.append(f"\\x3{pattern[at]}")
                at += 1
        elif is_quoted:
            char = pattern[at]
            out.append(f"\\{char}" if char.isascii() and not char.isalnum() else char)
            at += 1
        else:
            out.append(two if two[0] == "\\" else two[0])
            at += len(out[-1])
    return "".join(out)
