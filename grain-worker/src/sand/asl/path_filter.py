"""The grammar of a filter in a JSONPath, `(@.a == 1 && !@.b)`: that of Jayway's library. See `path_grammar`.

A path that stands alone is tested: as in the version of that library that AWS shows, it is to lead to something and that not to
null.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from sand.asl import document

_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_ESCAPED = re.compile(r"(?:[^\\]|\\[^u]|\\u[0-9a-fA-F]{4})*", re.DOTALL)
_CONTROLS = {"n": "\n", "r": "\r", "t": "\t", "f": "\f", "b": "\b"}
_NUMBER = re.compile(r"-?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE]-?[0-9]+)?", re.ASCII)
_TEXT = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\"""", re.DOTALL)
_BARE = re.compile(r"""[A-Za-z_/][^<>=~!&|()\[\]{}'"\\]*""")
"""A text without quotation marks, up to what is no part of one, as the library of AWS takes it."""
_SYMBOLS = "<>=~!"
_COMPARING = ("==", "!=", "<", "<=", ">", ">=", "===", "!==")
_MAGNITUDE = 10_000
"""A number is written out in digits: it has about so many at most."""
DEPTH = 100
"""As deep as brackets may stand in each other, in both engines."""


def fault(what: str, where: str) -> ValueError:
    return ValueError(f"{what} {where}")


def unescaped(text: str) -> str:
    """Raises ValueError for what should be a character by its number."""
    if not _ESCAPED.fullmatch(text):
        raise fault("four hexadecimal digits are expected behind \\u in", text)
    return _ESCAPE.sub(lambda it: chr(int(it[1][1:], 16)) if len(it[1]) == 5 else _CONTROLS.get(it[1], it[1]), text)


class Scanner:
    """at: where it reads on. Of the characters, only the space is passed over, as in Jayway's library."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def next_significant(self, at: int) -> str:
        """The first character behind `at` that is no space, or an empty string."""
        return self.text[at + 1 :].lstrip(" ")[:1]

    def significant(self, at: int, character: str) -> int:
        """Where that one stands, when it is this character; else -1."""
        if at < 0 or self.next_significant(at) != character:
            return -1
        return self.text.index(character, at + 1)

    def matching(self, at: int, open: str, close: str, skips_regexes: bool = False) -> int:
        """Where the bracket at `at` is closed, or -1; brackets in quotes are none."""
        level = 0
        while at < len(self.text):
            character = self.text[at]
            if character in "'\"" or (character == "/" and skips_regexes and self._is_regex(at)):
                at = self.unescaped(at + 1, character)
                if at < 0:
                    return -1
            else:
                level += (character == open) - (character == close)
                if level == 0:
                    return at
            at += 1
        return -1

    def _is_regex(self, at: int) -> bool:
        """Whether the slash there begins one; a text without quotation marks may have slashes too."""
        at -= 1
        while at > 0 and self.text[at] == " ":
            at -= 1
        return self.text[at] == "~"

    def unescaped(self, at: int, character: str) -> int:
        """Where the next one stands that has no backslash before it, or -1."""
        is_escaped = False
        for index in range(at, len(self.text)):
            if self.text[index] == character and not is_escaped:
                return index
            is_escaped = self.text[index] == "\\" and not is_escaped
        return -1


class Filter(Scanner):
    """text: with its round brackets. path: spells a path that stands in it, with its root, so deep, to be compared or, when
    true, tested. depth: how many filters and brackets the filter stands in."""

    def __init__(self, text: str, path: Callable[[str, int, bool], str], depth: int) -> None:
        super().__init__(text)
        self._path = path
        self._depth = depth

    def spelled(self) -> str:
        """Raises ValueError with one sentence."""
        whole = self._or()
        self._blanks()
        if self.at < len(self.text):
            raise fault("the end of the filter is expected at", self.text[self.at :])
        return whole

    def _blanks(self) -> None:
        while self.text.startswith(" ", self.at):
            self.at += 1

    def _takes(self, word: str) -> bool:
        self._blanks()
        found = self.text.startswith(word, self.at)
        self.at += len(word) if found else 0
        return found

    def _or(self) -> str:
        return self._joined("||", lambda: self._joined("&&", self._operand))

    def _joined(self, operator: str, part: Callable[[], str]) -> str:
        parts = [part()]
        while self._takes(operator):
            parts.append(part())
        return parts[0] if len(parts) == 1 else f"({f' {operator} '.join(parts)})"

    def _operand(self) -> str:
        self._depth += 1
        if self._depth > DEPTH:
            raise ValueError("its brackets are nested too deeply")
        try:
            return self._one()
        finally:
            self._depth -= 1

    def _one(self) -> str:
        if self._takes("!"):
            self._blanks()
            return self._expression(True) if self.text[self.at : self.at + 1] in ("@", "$") else f"!({self._operand()})"
        if self._takes("("):
            whole = self._or()
            if not self._takes(")"):
                raise fault("&&, || or a closing bracket is expected at", self.text[self.at :])
            return whole
        return self._expression(False)

    def _expression(self, is_negated: bool) -> str:
        """A comparison, or the test whether a path leads somewhere: the negation is this one's alone."""
        self._blanks()
        is_path = self.text[self.at : self.at + 1] in ("@", "$")
        begin = self.at
        left = self._value()
        end = self.at
        self._blanks()
        if self.text.startswith((")", "&&", "||"), self.at):
            if not is_path:
                raise fault("an operator is expected behind", self.text[begin:end])
            there = self._path(self.text[begin:end], self._depth, True)
            return f"!{there}" if is_negated else there
        operator = self._operator()
        self._blanks()
        right = self._value()
        if operator in ("===", "!=="):
            return f"{'!' if operator[0] == '!' else ''}same({left}, {right})"
        return f"{left} {operator} {right}"

    def _operator(self) -> str:
        """In symbols; those in words, as in or size, are none on AWS."""
        begin = self.at
        while self.text[self.at : self.at + 1] in tuple(_SYMBOLS):
            self.at += 1
        operator = self.text[begin : self.at]
        if operator not in _COMPARING:
            raise fault("an operator in symbols, such as ==, is expected at", self.text[begin:])
        return operator

    def _value(self) -> str:
        """As the library spells it: of lists and objects it takes no whole ones, so a function stands around their text."""
        self._blanks()
        begin = self.at
        character = self.text[begin : begin + 1]
        if character in ("@", "$"):
            return self._path(self._path_text(), self._depth, False)
        if character in ("'", '"'):
            self.at = self.unescaped(begin + 1, character) + 1
            if self.at == 0:
                raise fault("a string is not closed:", self.text[begin:])
            return document.write(unescaped(self.text[begin + 1 : self.at - 1]))
        if character in ("[", "{"):
            self.at = self.matching(begin, character, "]" if character == "[" else "}") + 1
            try:
                written = _TEXT.sub(lambda it: document.write(unescaped(it[0][1:-1])), self.text[begin : self.at])
                return f"json({document.write(document.write(document.parse(written)))})"
            except document.NoJson:
                raise fault("a list or an object must be JSON:", self.text[begin:]) from None
        if bare := _BARE.match(self.text, begin):
            word = bare[0].rstrip(" ")
            self.at += len(word)
            return word if word in ("true", "false", "null") else document.write(word)
        number = _NUMBER.match(self.text, begin)
        if number is None:
            raise fault("a path, a string, a number, a list, true, false or null is expected at", self.text[begin:])
        self.at = number.end()
        try:
            value = document.decimal(number[0])
        except document.NoJson:
            value = None
        if value is None or abs(value.adjusted()) > _MAGNITUDE:
            raise fault("a number is out of range:", number[0])
        return format(value, "f")

    def _path_text(self) -> str:
        """Up to a space, an operator of symbols or the bracket that closes the filter."""
        begin = self.at
        self.at += 1
        while self.at < len(self.text):
            if self.text[self.at] == "[":
                self.at = self.matching(self.at, "[", "]") + 1
                if self.at == 0:
                    raise fault("a bracket is not closed:", self.text[begin:])
            character = self.text[self.at : self.at + 1]
            if character == "" or character in f" {_SYMBOLS}" or (character == ")" and not self._closes_call(begin)):
                break
            self.at += 1
        return self.text[begin : self.at]

    def _closes_call(self, begin: int) -> bool:
        """Of the bracket here, whether it is that of a function without arguments."""
        before = self.text[: self.at].rstrip(" ")
        return before.endswith("(") and "." in before[begin + 1 : -1]
