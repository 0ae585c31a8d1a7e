"""Why a text is no JSON, in the words of Jackson, which AWS shows in causes: the first fault, and where it is."""

from __future__ import annotations

import re
from typing import NoReturn

from sand.asl.document import BLANKS, NoJson, utf_16

_BLANKS = re.compile(r"[ \t\r\n]*")
_LINE_END = re.compile(r"\r\n?|\n")
_WORD = re.compile(r"[^\W\d][\w$]*|\$[\w$]*")
_PLAIN = re.compile(r'[^"\\\x00-\x1f]*')
_VALUES = "(JSON String, Number, Array, Object or token 'null', 'true' or 'false')"
_SOURCE = "[Source: REDACTED (`StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION` disabled); "
_WORDS = ("true", "false", "null")
_NO_NUMBERS = ("NaN", "Infinity", "-Infinity")
TRAILING = "Trailing token found after value"


class _Fault(Exception):
    def __init__(self, message: str, at: int) -> None:
        super().__init__(message)
        self.at = at


def first(text: str) -> tuple[str, int] | None:
    """What Jackson says, and the character that it stands at; None when there is no fault."""
    try:
        _Reader(text).read()
    except _Fault as found:
        return str(found), found.at
    return None


def fault(text: str) -> str | None:
    """None when there is none."""
    found = first(text)
    if found is None:
        return None
    said, at = found
    return said if said == TRAILING else f"{said}\n at {_place(text, at)}"


def why(refused: NoJson, text: str) -> str:
    """What is wrong with a text that was refused: a limit in our own words."""
    if not text.strip(BLANKS):
        return "no value"
    return str(refused) if refused.is_limit else fault(text) or str(refused)


def line_of(text: str, at: int) -> tuple[int, int]:
    """The line that a character is in, from 1, and which character that begins with."""
    ends = [end.end() for end in _LINE_END.finditer(text, 0, at)]
    return len(ends) + 1, ends[-1] if ends else 0


def _place(text: str, at: int) -> str:
    line, begin = line_of(text, at)
    return f"{_SOURCE}line: {line}, column: {len(utf_16(text[begin:at])) // 2 + 1 + max(0, at - len(text))}]"


def _shown(char: str) -> str:
    code = ord(char)
    if code < 0x20 or 0x7F <= code < 0xA0:
        return f"(CTRL-CHAR, code {code})"
    return f"'{char}' (code {code})" if code < 0x100 else f"'{char}' (code {code} / {code:#x})"


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        # What is open: its name, where it began.
        self._open: list[tuple[str, int]] = []

    def read(self) -> None:
        self._value("")
        while self._open:
            name, start = self._open[-1]
            char = self._next()
            if not char:
                self._end(f": expected close marker for {name} (start marker at {_place(self._text, start)})")
            elif char in "]}":
                self._close(char)
            elif char != ",":
                self._unexpected(f": was expecting comma to separate {name} entries")
            else:
                self._at += 1
                self._entry()
        if char := self._next():
            begin = self._at
            # Jackson reads one token more, and of a text no more than its beginning.
            if char not in '[{"':
                self._value("")
            raise _Fault(TRAILING, begin)

    def _entry(self) -> None:
        name = self._open[-1][0]
        if name == "Object":
            self._name()
        self._value(f" within/between {name} entries")

    def _next(self) -> str:
        """The next character that is no white space, which stays; empty at the end."""
        matched = _BLANKS.match(self._text, self._at)
        self._at = matched.end() if matched else self._at
        char = self._text[self._at : self._at + 1]
        if char and char < " ":
            allowed = r"only regular white space (\r, \n, \t) is allowed between tokens"
            raise _Fault(f"Illegal character ((CTRL-CHAR, code {ord(char)})): {allowed}", self._at + 1)
        if char == "/":
            why = "(not recognized as one since Feature 'ALLOW_COMMENTS' not enabled for parser)"
            self._unexpected(f": maybe a (non-standard) comment? {why}")
        return char

    def _value(self, between: str) -> None:
        char = self._next()
        if not char:
            self._end(between)
        elif char in "[{":
            self._begin(char)
        elif char == '"':
            self._at += 1
            self._string(": was expecting closing quote for a string value", "string value")
        elif char in "-0123456789":
            self._number(char)
        elif char in "]}" and not self._open:
            raise _Fault(f"Unexpected close marker '{char}': no open {'Array' if char == ']' else 'Object'} to close", self._at)
        else:
            self._token(char)

    def _begin(self, bracket: str) -> None:
        name = "Array" if bracket == "[" else "Object"
        self._open.append((name, self._at))
        self._at += 1
        char = self._next()
        if not char:
            return  # It is told what has not been closed.
        if char in "]}":
            self._close(char)
        else:
            self._entry()

    def _close(self, char: str) -> None:
        name, start = self._open[-1]
        wanted = "]" if name == "Array" else "}"
        if char != wanted:
            open_ = f"expected '{wanted}' (for {name} starting at {_place(self._text, start)})"
            raise _Fault(f"Unexpected close marker '{char}': {open_}", self._at)
        self._open.pop()
        self._at += 1

    def _name(self) -> None:
        self._expect('"', "double-quote to start field name")
        self._string(" in field name", "name")
        self._expect(":", "a colon to separate field name and value")

    def _expect(self, mark: str, what: str) -> None:
        """In an object."""
        char = self._next()
        if not char:
            self._end(" within/between Object entries")
        if char != mark:
            self._unexpected(f": was expecting {what}")
        self._at += 1

    def _string(self, at_end: str, kind: str) -> None:
        while True:
            matched = _PLAIN.match(self._text, self._at)
            self._at = matched.end() if matched else self._at
            char = self._text[self._at : self._at + 1]
            if not char:
                self._end(at_end)
            elif char == '"':
                self._at += 1
                return
            elif char == "\\":
                self._escape()
            else:
                why = f"has to be escaped using backslash to be included in {kind}"
                raise _Fault(f"Illegal unquoted character ((CTRL-CHAR, code {ord(char)})): {why}", self._at)

    def _escape(self) -> None:
        letter = self._text[self._at + 1 : self._at + 2]
        if letter and letter not in '"\\/bfnrtu':
            raise _Fault(f"Unrecognized character escape {_shown(letter)}", self._at + 1)
        self._at += 2
        for _ in range(4 if letter == "u" else 0):
            if self._at < len(self._text) and self._text[self._at] not in "0123456789abcdefABCDEF":
                self._unexpected(": expected a hex-digit for character escape sequence")
            self._at += 1
        if not letter or self._at > len(self._text):
            self._end(" in character escape sequence")

    def _number(self, first: str) -> None:
        self._at += first == "-"
        if self._text.startswith("-Infinity", self._at - 1) and first == "-":
            self._token("-", self._at - 1)
        if not self._digits():
            if self._at == len(self._text):
                self._end("No digit following sign")
            self._unexpected(" in numeric value: expected digit (0-9) to follow minus sign, for valid numeric value")
        begin = re.search(r"[0-9]*$", self._text[: self._at])
        if begin is not None and len(begin[0]) > 1 and begin[0][0] == "0":
            raise _Fault("Invalid numeric value: Leading zeroes not allowed", begin.start() + 1)
        if self._text[self._at : self._at + 1] == ".":
            self._at += 1
            if not self._digits():
                char = self._text[self._at : self._at + 1] or "."
                said = f"Unexpected character ({_shown(char)}) in numeric value"
                raise _Fault(f"{said}: Decimal point not followed by a digit", self._at - 1)
        if self._text[self._at : self._at + 1] in ("e", "E"):
            self._at += 1 + (self._text[self._at + 1 : self._at + 2] in ("+", "-"))
            if not self._digits():
                if self._at >= len(self._text):
                    self._end("expected a digit for number exponent")
                self._unexpected(" in numeric value: Exponent indicator not followed by a digit")
        if not self._open and self._text[self._at : self._at + 1] not in ("", " ", "\t", "\r", "\n"):
            self._unexpected(": Expected space separating root-level values")

    def _digits(self) -> bool:
        start = self._at
        while self._at < len(self._text) and self._text[self._at] in "0123456789":
            self._at += 1
        return self._at > start

    def _token(self, char: str, start: int | None = None) -> None:
        start = self._at if start is None else start
        word = _WORD.match(self._text, start)
        for name in _NO_NUMBERS:
            if self._text.startswith(name, start) and (word is None or word[0] == name):
                allow = "enable `JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS` to allow"
                raise _Fault(f"Non-standard token '{name}': {allow}", start + len(name))
        if word is None:
            self._at = start
            if char == "+":
                signs = "JSON spec does not allow numbers to have plus signs: enable"
                allow = "`JsonReadFeature.ALLOW_LEADING_PLUS_SIGN_FOR_NUMBERS` to allow"
                raise _Fault(f"Unexpected character ('+' (code 43)) in numeric value: {signs} {allow}", start + 1)
            is_closed = char == "}" and self._open and self._open[-1][0] == "Array"
            self._unexpected(": expected a value" if is_closed else f": expected a valid value {_VALUES}")
        elif word[0] not in _WORDS:
            raise _Fault(f"Unrecognized token '{word[0]}': was expecting {_VALUES}", word.end())
        self._at = start + len(word[0]) if word else start

    def _unexpected(self, why: str) -> NoReturn:
        char = self._text[self._at]
        raise _Fault(f"Unexpected character ({_shown(char)}){why}", self._at)

    def _end(self, why: str) -> NoReturn:
        raise _Fault(f"Unexpected end-of-input{why}", len(self._text))
