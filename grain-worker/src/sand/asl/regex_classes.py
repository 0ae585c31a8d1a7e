r"""What matches one character in a pattern of `java.util.regex`: its classes between brackets, with unions and intersections,
and its escapes and properties. Read from a `Scanner` for `regex_grammar`, as the items of a set (`regex_sets`)."""

from __future__ import annotations

from sand.asl import regex_properties, regex_sets
from sand.asl.regex_scanner import Scanner

_CONTROLS = {"a": 7, "e": 0x1B, "f": 0x0C, "n": 0x0A, "r": 0x0D, "t": 0x09}
_ASCII = {"d": "0-9", "s": r"\x20\t\n\x0b\f\r", "w": "0-9A-Za-z_"}
_UNICODE = {"d": regex_properties.DIGIT, "s": regex_properties.SPACE, "w": regex_properties.WORD}
_SPACES = {"h": regex_sets.HORIZONTAL, "v": regex_sets.VERTICAL}


def kind(letter: str, flags: frozenset[str]) -> str | None:
    r"""Of `\d`, `\W` and the like."""
    kinds = _SPACES | (_UNICODE if "U" in flags else _ASCII)
    items = kinds.get(letter.lower())
    return regex_sets.negated(items) if items and letter.isupper() else items


def character(scanner: Scanner, char: int) -> int | None:
    """What the character behind a backslash stands for, with what follows it; none, when it is not for one character."""
    letter = chr(char)
    if letter in _CONTROLS:
        return _CONTROLS[letter]
    reading = {"0": scanner.octal, "c": scanner.control, "x": scanner.hexadecimal, "u": scanner.unit, "N": scanner.named}
    if letter in reading:
        return reading[letter]()
    return None if letter.isascii() and letter.isalnum() else char


def family(scanner: Scanner, is_complement: bool) -> str:
    r"""Of `\p` or `\P`, at which the scanner stands."""
    if scanner.next() == ord("{"):
        scanner.next()
        name = ""
        while (char := scanner.read()) != ord("}"):
            if scanner.cursor > scanner.length:
                scanner.cursor += 1  # Java's cursor is behind the brace that it puts there
                scanner.fail("Unclosed character family")
            name += chr(char)
        if not name:
            scanner.fail("Empty character family")
    else:
        name = chr(scanner.read())
    before, equals, value = name.partition("=")
    if equals:
        items = regex_properties.valued(before.lower(), value, scanner.flags)
        if items is None:
            scanner.fail(f"Unknown Unicode property {{name=<{before.lower()}>, value=<{value}>}}")
    else:
        items = regex_properties.named(name, scanner.flags)
        if items is None:
            scanner.fail(f"Unknown character property name {{{name}}}")
    return regex_sets.negated(items) if is_complement else items


class Brackets:
    """One class. Java keeps the characters below U+0100 that stand for themselves apart, until it meets a bracket, an
    intersection or the end: some odd intersections (`[a\\d&&]`) mean what they mean by that."""

    def __init__(self, scanner: Scanner) -> None:
        self._scanner = scanner
        self._singles = ""
        self._has_singles = False
        self._items: str | None = None
        self._latest: str | None = None

    def read(self, is_consumed: bool = True) -> str:
        """is_consumed: with the bracket that ends it, which otherwise ends the class around, too."""
        scanner = self._scanner
        char = scanner.next()
        is_negated = char == ord("^") and scanner.at(scanner.cursor - 1) == ord("[")
        if is_negated:
            char = scanner.next()
        while True:
            if char == ord("["):
                self._latest = Brackets(scanner).read()
                self._unite(self._latest)
            elif char == ord("&") and scanner.next() == ord("&"):
                self._intersect()
            elif char == ord("]") and (self._items is not None or self._has_singles):
                if is_consumed:
                    scanner.next()
                self._add_singles()
                items = self._items or ""
                return regex_sets.negated(items) if is_negated else items
            else:
                if char == ord("&"):
                    scanner.unread()
                elif char == 0 and scanner.is_over:
                    scanner.fail("Unclosed character class")
                self._read_range()
            char = scanner.peek()

    def _unite(self, items: str) -> None:
        self._items = (self._items or "") + items

    def _add_singles(self) -> None:
        if self._has_singles:
            self._unite(self._singles)
            self._has_singles = False

    def _intersect(self) -> None:
        scanner = self._scanner
        right: str | None = None
        char = scanner.next()
        while char not in (ord("]"), ord("&")):
            if char == ord("["):
                right = (right or "") + Brackets(scanner).read()
            else:
                scanner.unread()
                right = (right or "") + Brackets(scanner).read(is_consumed=False)
            char = scanner.peek()
        if self._items is None and self._has_singles:
            self._latest = self._singles
        self._add_singles()
        self._latest = right if right is not None else self._latest
        if self._items is None:
            if right is None:
                scanner.fail("Bad class syntax")
            self._items = right
        elif self._latest is None:
            scanner.fail("Bad intersection syntax")
        else:
            self._items = regex_sets.both(self._items, self._latest)

    def _read_range(self) -> None:
        scanner = self._scanner
        char: int | None = scanner.peek()
        if char == ord("\\"):
            is_range = scanner.at(scanner.cursor + 2) == ord("-")
            letter = scanner.skip()
            if letter in (ord("p"), ord("P")):
                scanner.unread()
                self._latest = family(scanner, letter == ord("P"))
                return self._unite(self._latest)
            items = kind(chr(letter), scanner.flags)
            if items is not None and not (is_range and letter == ord("v")):
                self._latest = items
                return self._unite(items)
            char = self._escaped(letter)
        else:
            scanner.next()
        self._add(char)
        return None

    def _escaped(self, letter: int) -> int:
        char = 0x0B if letter == ord("v") else character(self._scanner, letter)
        if char is None:
            self._scanner.fail("Illegal/unsupported escape sequence")
        return char

    def _add(self, char: int) -> None:
        """With what it is the first of, when a hyphen follows."""
        scanner = self._scanner
        if scanner.peek() == ord("-") and scanner.at(scanner.cursor + 1) not in (ord("["), ord("]")):
            if scanner.next() == ord("\\"):
                letter = scanner.skip()
                is_kind = letter != ord("v") and kind(chr(letter), scanner.flags) is not None
                last = -1 if is_kind else self._escaped(letter)
            else:
                last = scanner.peek()
                scanner.next()
            if last < char:
                scanner.fail("Illegal character range")
            self._latest = regex_sets.of_range(char, last, scanner.flags)
            return self._unite(self._latest)
        items = regex_sets.of_char(char, scanner.flags)
        if char < 256 and not ("i" in scanner.flags and "u" in scanner.flags and chr(char) in "\xff\xb5IiSsKk\xc5\xe5"):
            self._singles += items
            self._has_singles, self._latest = True, None
        else:
            self._latest = items
            self._unite(items)
        return None
