"""Paths that name exactly one place ($.a['b c'][2]): by far the most, read and written without the library."""

from __future__ import annotations

import re
from typing import Any

from sand.asl import document
from sand.asl.failure import REFERENCE_PATH_CONFLICT, StateError
from sand.asl.path_steps import FromEnd, Indices, Names, Step
from sand.asl.path_walk import BeyondArray, Missing, Steps

_QUOTED = {quote: re.compile(rf"((?:[^{quote}\\]|\\.)*){quote}\]", re.DOTALL) for quote in ("'", '"')}
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_CONTROLS = {"n": "\n", "r": "\r", "t": "\t", "f": "\f", "b": "\b"}
_FROM_THE_END = re.compile(r"\[ *\( *@\.(?:length|size\(\)) *- *([0-9]{1,9}) *\) *\]")
_NOT_IN_A_NAME = frozenset("@,:?*()]'\" \\")


class Negative(int):
    """An index written with a minus, at which no array has an element: as in the version of Jayway's library that AWS shows."""


class ReferencePath:
    """steps: from the root down, a str for a field and an int for an element (below zero, of `(@.length-n)`, from the end)."""

    __slots__ = ("steps", "text")

    def __init__(self, text: str, steps: tuple[str | int, ...]) -> None:
        self.text = text
        self.steps = steps

    @property
    def is_whole(self) -> bool:
        return not self.steps

    def read(self, root: Any) -> Any:
        at = root
        for number, step in enumerate(self.steps, 1):
            if isinstance(step, str):
                if not isinstance(at, dict) or step not in at:
                    raise self._lost(root)
                at = at[step]
            else:
                if not isinstance(at, list):
                    raise self._lost(root)
                index = step + len(at) if _is_from_the_end(step) else step
                if not 0 <= index < len(at):
                    if number < len(self.steps):
                        raise self._lost(root)
                    raise BeyondArray(f"No results for path: {self._canonical()}")
                at = at[index]
        return at

    def _lost(self, root: Any) -> Missing:
        """In the words of the library for paths, which has null for an element beyond an array."""
        try:
            found = Steps([_step(step) for step in self.steps]).read(root)
        except Missing as e:
            return e
        raise AssertionError(f"the path {self.text} leads to {found}")

    def write(self, root: Any, value: Any) -> Any:
        """A copy of the document with the value there; missing fields are made, an element of an array must be there."""
        return self._write(root, root, True, value, 0)

    def _write(self, root: Any, at: Any, is_there: bool, value: Any, level: int) -> Any:
        if level == len(self.steps):
            return value
        step = self.steps[level]
        if isinstance(step, str):
            if is_there and not isinstance(at, dict):
                raise self._conflict(root, level)
            copy = dict(at) if is_there else {}
            copy[step] = self._write(root, copy.get(step), step in copy, value, level + 1)
            return copy
        if not is_there or not isinstance(at, list) or not 0 <= step < len(at):
            raise self._conflict(root, level)
        elements = list(at)
        elements[step] = self._write(root, at[step], True, value, level + 1)
        return elements

    def demand(self, root: Any) -> Any:
        """As read. Raises StateError, by the first step that leads nowhere."""
        for level in range(len(self.steps)):
            try:
                ReferencePath(self.text, self.steps[: level + 1]).read(root)
            except Missing:
                raise self._conflict(root, level) from None
        return self.read(root)

    def _conflict(self, root: Any, level: int) -> StateError:
        """In AWS's words, which name the step where the document has steps at all."""
        what = f'step "{self.steps[level]}"' if isinstance(root, dict | list) else f"ReferencePath {self.text}"
        return StateError(REFERENCE_PATH_CONFLICT, f"Unable to apply {what} to input {document.shown(root)}")

    def _canonical(self) -> str:
        return "$" + "".join(f"['{step}']" if isinstance(step, str) else f"[{step}]" for step in self.steps)


def _step(step: str | int) -> Step:
    if isinstance(step, str):
        return Names([step])
    return FromEnd(-step) if _is_from_the_end(step) else Indices([step])


def _is_from_the_end(step: str | int) -> bool:
    return isinstance(step, int) and step < 0 and not isinstance(step, Negative)


def try_parse(text: str) -> ReferencePath | None:
    """None when the text is not of the plain form."""
    if not text.startswith("$"):
        return None
    steps: list[str | int] = []
    at = 1
    while at < len(text):
        parsed = _field(text, at + 1) if text[at] == "." else _bracket(text, at) if text[at] == "[" else None
        if parsed is None:
            return None
        step, at = parsed
        steps.append(step)
    return ReferencePath(text, tuple(steps))


def parse(text: str) -> ReferencePath:
    """Raises ValueError with one sentence."""
    path = None if text.startswith("$$") else try_parse(text)
    if path is None or any(map(_is_from_the_end, path.steps)):
        raise ValueError(f"'{text}' is not a reference path: it must name one place, like $.a.b['c'][0]")
    return path


def _field(text: str, at: int) -> tuple[str, int] | None:
    """A name after a dot, in which a backslash takes the meaning from the next character."""
    name: list[str] = []
    while at < len(text) and text[at] not in ".[":
        if text[at] == "\\" and at + 1 < len(text):
            at += 1
        elif text[at] in _NOT_IN_A_NAME:
            return None
        name.append(text[at])
        at += 1
    return ("".join(name), at) if name else None


def _unescaped(found: re.Match[str]) -> str:
    if len(found[1]) == 5:
        return chr(int(found[1][1:], 16))
    return _CONTROLS.get(found[1], found[1])


def _bracket(text: str, at: int) -> tuple[str | int, int] | None:
    quote = text[at + 1 : at + 2]
    if quote in ("'", '"'):
        found = _QUOTED[quote].match(text, at + 2)
        if found is None:
            return None
        # A backslash before the quote of the other kind AWS takes for a character.
        other = '"' if quote == "'" else "'"
        return _ESCAPE.sub(lambda it: it[0] if it[1] == other else _unescaped(it), found[1]), found.end()
    found = _FROM_THE_END.match(text, at)
    if found is not None:
        # Nothing stands behind the last one: an index that no array has.
        return -int(found[1]) or Negative(-1), found.end()
    end = text.find("]", at)
    digits = text[at + 1 : end] if end > 0 else ""
    bare = digits.removeprefix("-")
    if not bare or len(digits) > 9 or not (bare.isascii() and bare.isdigit()):
        return None
    return Negative(digits) if digits.startswith("-") else int(digits), end + 1
