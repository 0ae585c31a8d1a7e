"""Patterns of `java.util.regex`, which the Java engine has, as patterns of `regex` that match the same: parsed as Java does,
refused in its words, and written anew with nothing left to the flags of the other library. `query_regex` calls it."""

from __future__ import annotations

from dataclasses import dataclass

from sand.asl import regex_anchors, regex_classes, regex_sets
from sand.asl.regex_pieces import ONE, Piece, behind, either, grouped, in_sequence, one, repeated
from sand.asl.regex_quantifiers import quantifier
from sand.asl.regex_scanner import PatternError, Scanner, is_digit, is_letter
from sand.asl.regex_widths import Width

_FLAGS = "imsduxU"


@dataclass(frozen=True)
class Translation:
    """is_ascii: to be compiled so that of ASCII alone letters are the same without their case, in a group that comes again."""

    text: str
    is_ascii: bool


def translated(pattern: str, flags: str) -> Translation:
    """flags: of `im`. Raises PatternError."""
    try:
        grammar = _Grammar(pattern, flags, None)
        text = grammar.read()
        if grammar.missing:
            text = _Grammar(pattern, flags, grammar.groups).read()
        return Translation(text, grammar.is_ascii)
    except RecursionError:
        raise PatternError(f"Stack overflow during pattern compilation\n{pattern}") from None


class _Grammar:
    """groups: how many the whole pattern has, when it is known that it refers to more than these."""

    def __init__(self, pattern: str, flags: str, groups: int | None) -> None:
        self._scanner = Scanner(pattern, flags)
        self._known = groups
        self._names: dict[str, int] = {}
        self._referred = 0
        self._named = ""
        self._has_clusters = self.is_ascii = False
        self.groups = 0

    @property
    def missing(self) -> bool:
        return self._referred > self.groups

    def read(self) -> str:
        scanner = self._scanner
        piece = self._alternatives()
        if scanner.peek() == ord(")") and not scanner.is_over:
            scanner.fail("Unmatched closing ')'")
        if scanner.cursor > scanner.length:
            scanner.fail("Unescaped trailing backslash")
        if self.is_ascii and self._has_clusters:
            scanner.fail(r"\X and a group that comes again, without its case, in one pattern are not supported")
        return piece.text

    def _alternatives(self) -> Piece:
        branches = [self._sequence()]
        while self._scanner.peek() == ord("|"):
            self._scanner.next()
            branches.append(self._sequence())
        return either(branches)

    def _sequence(self) -> Piece:
        pieces: list[Piece] = []
        while (char := self._scanner.peek()) not in (ord("|"), ord(")")) and not (char == 0 and self._scanner.is_over):
            piece = self._group() if char == ord("(") else self._atom(char)
            if piece is not None:
                often = quantifier(self._scanner)
                pieces.append(piece if often is None else repeated(piece, often))
        return in_sequence(pieces)

    # --- groups

    def _group(self) -> Piece | None:
        """None, when it sets flags for what follows it."""
        scanner = self._scanner
        before = scanner.flags
        opening = "(?:"
        if scanner.next() == ord("?"):
            kind = chr(scanner.skip())
            if kind in ":=!>":
                opening = f"(?{kind}"
            elif kind == "<":
                opening = self._behind_or_named()
            elif kind in "$@":
                scanner.fail("Unknown group type")
            else:
                scanner.unread()
                if self._read_flags() == ord(")"):
                    return None
        else:
            opening = "("
        if opening == "(":
            self.groups += 1
            if self._named:
                self._names[self._named], self._named = self.groups, ""
        inside = self._alternatives()
        if opening.startswith("(?<"):
            inside = behind(scanner, inside)
        if scanner.read() != ord(")"):
            scanner.fail("Unclosed group")
        scanner.flags = before
        return grouped(opening, inside)

    def _behind_or_named(self) -> str:
        scanner = self._scanner
        char = scanner.read()
        if char in (ord("="), ord("!")):
            return f"(?<{chr(char)}"
        name = self._group_name(char)
        if name in self._names:
            scanner.fail(f"Named capturing group <{name}> is already defined")
        self._named = name
        return "("

    def _group_name(self, char: int) -> str:
        scanner, name = self._scanner, ""
        if not is_letter(char):
            scanner.fail("capturing group name does not start with a Latin letter")
        while is_letter(char) or is_digit(char):
            name += chr(char)
            char = scanner.read()
        if char != ord(">"):
            scanner.fail("named capturing group is missing trailing '>'")
        return name

    def _read_flags(self) -> int:
        """Returns what follows them: a colon or the closing bracket."""
        scanner = self._scanner
        is_setting = True
        while (char := scanner.peek()) == ord("-") or chr(char) in _FLAGS or char == ord("c"):
            if char == ord("-") and not is_setting:
                break
            if char == ord("c") and is_setting:
                scanner.fail("Canonical equivalence is not supported")
            if char == ord("-"):
                is_setting = False
            else:
                letters = {"U", "u"} if char == ord("U") else {chr(char)}
                scanner.flags = scanner.flags | letters if is_setting else scanner.flags - letters
            scanner.next()
        char = scanner.read()
        if char not in (ord(":"), ord(")")):
            scanner.fail("Unknown inline modifier")
        return char

    # --- what is no group

    def _atom(self, char: int) -> Piece:
        scanner, letter = self._scanner, chr(char)
        if letter in "*+?":
            scanner.next()
            scanner.fail(f"Dangling meta character '{letter}'")
        if letter == "{":
            return Piece("(?:)")  # nothing, which is repeated
        if letter == "[":
            return one(regex_classes.Brackets(scanner).read())
        if letter == "\\":
            return self._escape(chr(scanner.skip()))
        scanner.next()
        if letter == "^":
            return Piece(regex_anchors.caret(scanner.flags))
        if letter == "$":
            return Piece(regex_anchors.dollar(scanner.flags, "m" in scanner.flags))
        if letter == ".":
            return Piece(regex_anchors.dot(scanner.flags), [ONE], is_one=True)
        return one(regex_sets.of_char(char, scanner.flags))

    def _escape(self, letter: str) -> Piece:
        scanner = self._scanner
        flags = scanner.flags
        if letter in "pP":
            scanner.unread()
            return one(regex_classes.family(scanner, letter == "P"))
        if letter in "123456789":
            return self._reference(self._number(int(letter)))
        if letter == "k":
            return self._named_reference()
        if letter == "b" and scanner.peek() == ord("{") and scanner.at(scanner.cursor + 1) == ord("g"):
            scanner.fail("The boundaries of grapheme clusters are not supported")
        between = {"A": r"\A", "G": r"\G", "z": r"\Z", "Z": regex_anchors.dollar(flags, False)}
        if letter in between:
            return Piece(between[letter])
        if letter in "bB":
            return Piece(regex_anchors.bound(flags, letter == "B"))
        if letter == "R":
            return Piece(regex_anchors.LINE_BREAK, [Width("chars", 1, 2)])
        if letter == "X":
            self._has_clusters = True
            return Piece(r"\X", [Width("chars", 1, 0)], is_tied=True)
        if (items := regex_classes.kind(letter, flags)) is not None:
            return one(items)
        char = regex_classes.character(scanner, ord(letter))
        if char is None:
            scanner.fail("Illegal/unsupported escape sequence")
        return one(regex_sets.of_char(char, flags))

    def _number(self, number: int) -> int:
        """As many digits as there are groups for, so far."""
        scanner = self._scanner
        while is_digit(digit := scanner.peek()) and number * 10 + int(chr(digit)) <= self.groups:
            number = number * 10 + int(chr(scanner.read()))
        return number

    def _named_reference(self) -> Piece:
        scanner = self._scanner
        if scanner.read() != ord("<"):
            scanner.fail(r"\k is not followed by '<' for named capturing group")
        name = self._group_name(scanner.read())
        if name not in self._names:
            scanner.fail(f"named capturing group <{name}> does not exist")
        return self._reference(self._names[name])

    def _reference(self, number: int) -> Piece:
        """To a group that is nowhere: it matches nothing."""
        flags = self._scanner.flags
        self._referred = max(self._referred, number)
        if self._known is not None and number > self._known:
            text = "(?!)"
        else:
            text = rf"(?i:\g<{number}>)" if "i" in flags else rf"\g<{number}>"
        self.is_ascii |= "i" in flags and "u" not in flags
        return Piece(text, [Width("reference")])
