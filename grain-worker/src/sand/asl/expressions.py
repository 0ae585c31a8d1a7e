"""What may stand for a value in JSONPath: a path, or `States.Name(argument, …)`; and payload templates, made of these.

An argument is 'text', a JSON number, true, false, null, a path or a function.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from sand.asl import document, intrinsics, limits, paths
from sand.asl.failure import INTRINSIC_FAILURE, StateError, runtime
from sand.asl.intrinsics import Intrinsic
from sand.asl.path_walk import BeyondArray, Misapplied, Missing
from sand.asl.paths import View


class Expression(Protocol):
    def evaluate(self, view: View) -> Any:
        """Raises Missing when a path leads nowhere, StateError when a function fails."""


@dataclass(frozen=True, slots=True)
class Read:
    path: paths.Path

    def evaluate(self, view: View) -> Any:
        return self.path.read(view)

    def __str__(self) -> str:
        return self.path.text


@dataclass(frozen=True, slots=True)
class Literal:
    value: Any

    def evaluate(self, view: View) -> Any:
        return self.value


@dataclass(frozen=True, slots=True)
class Call:
    function: Intrinsic
    arguments: tuple[Expression, ...]
    text: str

    def evaluate(self, view: View) -> Any:
        """What fails in it fails the state with States.Runtime, as on AWS; the cause names the outermost function."""
        return self._evaluate(view, self.text)

    def _evaluate(self, view: View, whole: str) -> Any:
        values = [_argument(argument, view, whole) for argument in self.arguments]
        try:
            return self.function.apply(view, values)
        except StateError as e:
            if e.error != INTRINSIC_FAILURE:
                raise
            raise runtime(f"There was an error while evaluating the intrinsic function: {whole}. {e.cause}") from None

    def __str__(self) -> str:
        return self.text


def _argument(argument: Expression, view: View, whole: str) -> Any:
    if isinstance(argument, Call):
        return argument._evaluate(view, whole)
    try:
        return argument.evaluate(view)
    except Missing as e:
        what = f"The function '{whole}' had the following error:"
        if isinstance(e, Misapplied):
            raise runtime(f"{what} {e}") from None
        where = f"the field '{argument}' could not be found in the input '{view.text()}'"
        raise runtime(f"{what} The JsonPath argument for {where}") from None


def not_found(path: Expression, field: str, view: View) -> StateError:
    """What to raise for the path of a field that leads nowhere."""
    what = f"The JSONPath '{path}' specified for the field '{field}'"
    input = document.shown(view.context(with_input=True)) if str(path).startswith("$$") else view.text()
    return runtime(f"{what} could not be found in the input '{input}'")


def parse(text: str) -> Expression:
    """Raises ValueError with one sentence."""
    if text.startswith("$"):
        return Read(paths.parse(text))
    if text.startswith("States."):
        return _Parser(text).parse()
    raise ValueError(f"'{text}' must be a JSONPath, which begins with $, or an intrinsic function, which begins with States.")


class _Parser:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    def parse(self) -> Call:
        call = self._call(1)
        self._skip_space()
        if self._at < len(self._text):
            raise self._error("there is something after the closing bracket")
        return call

    def _call(self, level: int) -> Call:
        if level > limits.INTRINSIC_DEPTH:
            raise self._error(f"more than {limits.INTRINSIC_DEPTH} functions are nested")
        start = self._at
        name = self._take(r"[\w.]*")
        function = intrinsics.BY_NAME.get(name)
        if function is None:
            raise self._error(f"there is no function {name}")
        self._skip_space()
        self._expect("(")
        self._skip_space()
        arguments: list[Expression] = []
        if self._peek() != ")":
            while True:
                self._skip_space()
                arguments.append(self._argument(level, name == "States.Format" and not arguments))
                self._skip_space()
                if self._peek() != ",":
                    break
                self._at += 1
        self._expect(")")
        return Call(function, tuple(arguments), self._text[start : self._at])

    def _argument(self, level: int, is_pattern: bool) -> Expression:
        if self._peek() == "'":
            return Literal(self._string(is_pattern))
        if self._peek() == "$":
            return Read(paths.parse(self._path()))
        if self._text.startswith("States.", self._at):
            return self._call(level + 1)
        literal = self._take(f"[^,){document.BLANKS}]*")
        try:
            value = document.parse(literal)
        except document.NoJson:
            value = literal
        if value is None or isinstance(value, bool) or document.is_number(value):
            return Literal(value)
        raise self._error(f"'{literal}' is neither a 'text', a number, true, false, null, a path nor a function")

    def _string(self, is_pattern: bool) -> str:
        """A pattern keeps its braces' and backslashes' escapes: they have a meaning to States.Format."""
        found = re.compile(r"'((?:[^'\\]|\\.)*)'", re.DOTALL).match(self._text, self._at)
        if found is None:
            raise self._error("a text has no closing quote")
        self._at = found.end()
        open_escape = re.search(r"^(?:[^\\]|\\['{}\\])*\\([^'{}\\])", found[1], re.DOTALL)
        if open_escape is not None:
            raise self._error(f"a backslash in a text stands before ', {{, }} or another one, not before {open_escape[1]}")
        return re.sub(r"\\(.)", _keeping if is_pattern else _unescaped, found[1], flags=re.DOTALL)

    def _path(self) -> str:
        """Up to the comma or bracket that ends the argument; those inside brackets and quotes belong to the path."""
        start, level, quote = self._at, 0, ""
        while self._at < len(self._text):
            character = self._text[self._at]
            if quote:
                quote = "" if character == quote else quote
            elif character in "'\"":
                quote = character
            elif character in "[(":
                level += 1
            elif character == "]" or (character == ")" and level > 0):
                level -= 1
            elif level == 0 and character in ",)":
                break
            self._at += 1
        return self._text[start : self._at].strip(document.BLANKS)

    def _take(self, pattern: str) -> str:
        found = re.compile(pattern).match(self._text, self._at)
        assert found is not None
        self._at = found.end()
        return found[0]

    def _skip_space(self) -> None:
        self._take(f"[{document.BLANKS}]*")

    def _peek(self) -> str:
        return self._text[self._at : self._at + 1]

    def _expect(self, character: str) -> None:
        if self._peek() != character:
            raise self._error(f"'{character}' is missing at character {self._at}")
        self._at += 1

    def _error(self, why: str) -> ValueError:
        return ValueError(f"'{self._text}' is not a valid intrinsic function: {why}")


def _keeping(found: re.Match[str]) -> str:
    return "'" if found[1] == "'" else found[0]


def _unescaped(found: re.Match[str]) -> str:
    return found[1]


# --- payload templates: a function from what can be seen to a value; a constant one says so

Template = Callable[[View], Any]


@dataclass(frozen=True, slots=True)
class Constant:
    value: Any

    def __call__(self, view: View) -> Any:
        return self.value


@dataclass(frozen=True, slots=True)
class Computed:
    """field: its name as written, with the `.$`. A path that ends beyond its array gives null here, as on AWS."""

    field: str
    expression: Expression

    def __call__(self, view: View) -> Any:
        try:
            return self.expression.evaluate(view)
        except BeyondArray:
            return None
        except Missing:
            raise not_found(self.expression, self.field, view) from None


@dataclass(frozen=True, slots=True)
class ObjectOf:
    """names: in the order in which the object made has them; its members are evaluated in that of the definition."""

    members: tuple[tuple[str, Template], ...]
    names: tuple[str, ...]

    def __call__(self, view: View) -> Any:
        made: dict[str, Any] = dict.fromkeys(self.names)
        for name, member in self.members:
            made[name] = member(view)
        return made


@dataclass(frozen=True, slots=True)
class ArrayOf:
    elements: tuple[Template, ...]

    def __call__(self, view: View) -> Any:
        return [element(view) for element in self.elements]
