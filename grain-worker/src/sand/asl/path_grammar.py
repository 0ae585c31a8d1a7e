"""The grammar of JSONPaths that are no plain reference paths: that of Jayway's library, which AWS takes, as it reads them.

A path is parsed here before any library sees it, by the same rules and with the same sentences as in the Java engine's
PathGrammar. Of a path it gives the steps; one within a filter it writes out in the spelling of python-jsonpath: names in
quotes, no steps of slices, no bare words.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from sand.asl import document
from sand.asl.path_filter import Filter, Scanner, fault, unescaped
from sand.asl.path_steps import All, Indices, Names, Scan, Slice, Step, Test

_QUOTED = {quote: re.compile(rf" *{quote}((?:[^{quote}\\]|\\.)*){quote} *", re.DOTALL) for quote in ("'", '"')}
_ALL = re.compile(r"\[ *\* *\]")
_NUMBERS = re.compile(r"[0-9,\-: ]*", re.ASCII)
_INTEGER = re.compile(r"-?[0-9]+", re.ASCII)
_TEXT = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\"""")
_ITSELF = re.compile(r"@(?![.\[\w])")
_BEYOND = 2**31 - 1
"""An index that no array has, for one that the library would count from the end."""
_ONE = re.compile(r'\[(?:"(?:[^"\\]|\\.)*"|-?[0-9]+)]', re.DOTALL)
"""A step to one place, as the library spells it."""
MOST_SEGMENTS = 1000
"""Of a path, in both engines."""
FUNCTIONS = {
    "length": "length",
    "size": "length",
    "min": "min_of",
    "max": "max_of",
    "avg": "avg_of",
    "sum": "sum_of",
    "first": "first_of",
    "last": "last_of",
}
"""Of a path in a filter, and what the library knows them by."""


@dataclass(frozen=True, slots=True)
class Spelled:
    """text: what follows the root, as the library spells it; definite: of that, what comes before the first step that can lead
    to several places; functions: that the path calls, each by its name, in order."""

    text: str
    definite: str
    functions: tuple[str, ...]
    ends_in_function: bool


def steps(rest: str) -> list[Step]:
    """rest: what follows the root. Raises ValueError with one sentence."""
    path = _Path(rest.rstrip(" "), 0)
    path.spelled()
    return path.steps


class _Path(Scanner):
    def __init__(self, text: str, depth: int) -> None:
        super().__init__(text)
        self._depth = depth
        self.steps: list[Step] = []
        self._out: list[str] = []
        self._functions: list[str] = []
        self._is_called = False
        self._definite = 0

    def spelled(self) -> Spelled:
        if self.text.endswith("."):
            raise ValueError("it ends in a dot")
        is_definite = True
        segments = 0
        while self.at < len(self.text):
            segments += 1
            if segments > MOST_SEGMENTS:
                raise ValueError(f"it has more than {MOST_SEGMENTS} steps")
            self._segment()
            is_definite = is_definite and (not self._out or _ONE.fullmatch(self._out[-1]) is not None)
            self._definite = len(self._out) if is_definite else self._definite
        definite = "".join(self._out[: self._definite])
        return Spelled("".join(self._out), definite, tuple(self._functions), self._is_called)

    def _segment(self) -> None:
        self._is_called = False
        scan = ""
        if self.text[self.at] not in ".[":
            raise fault("a dot or a bracket is expected at", self.text[self.at :])
        if self.text[self.at] == ".":
            scan = ".." if self.text.startswith("..", self.at) else ""
            self.at += len(scan) or 1
            if scan:
                self.steps.append(Scan())
            if self.text[self.at] == ".":
                raise fault("a name is expected at", self.text[self.at :])
        character = self.text[self.at]
        if character == "[":
            self._out.append(scan + self._bracket())
        elif character == "*":
            self.at += 1
            self.steps.append(All())
            self._out.append(scan + "[*]")
        else:
            self._name(scan)

    def _name(self, scan: str) -> None:
        """As Jayway reads it: up to a dot or a bracket, whatever it is made of."""
        begin = self.at
        while self.at < len(self.text) and self.text[self.at] not in ".[( ":
            self.at += 1
        name = self.text[begin : self.at]
        if self.text.startswith(" ", self.at):
            raise fault("a name with a space needs a bracket and quotes, at", self.text[begin:])
        if not self.text.startswith("(", self.at):
            self.steps.append(Names([name]))
            self._out.append(f"{scan}[{document.write(name)}]")
            return
        level = 0
        for end in range(self.at, len(self.text)):
            level += {"(": 1, ")": -1}.get(self.text[end], 0)
            if level == 0:
                break
        if level or not name:
            raise fault("the call of a function is not whole, at", self.text[begin:])
        self.at = end + 1
        # In the version that AWS shows, which has no functions, this is a name like others.
        self.steps.append(Names([self.text[begin : self.at]]))
        self._functions.append(name)
        self._is_called = True

    def _bracket(self) -> str:
        next = self.next_significant(self.at)
        if next in ("'", '"'):
            return self._names(next)
        if next == "*" and (all_ := _ALL.match(self.text, self.at)):
            self.at = all_.end()
            self.steps.append(All())
            return "[*]"
        if next == "?":
            return self._filter()
        end = self.text.find("]", self.at)
        if next != "" and next in "0123456789-:" and end > 0:
            inside = self.text[self.at + 1 : end].strip(" ")
            if _NUMBERS.fullmatch(inside):
                written = self._slice(inside) if ":" in inside else self._indices(inside)
                self.at = end + 1
                return f"[{written}]"
        raise fault("quoted names, indices, a slice, * or ?( ) are expected in the bracket", self.text[self.at :])

    def _names(self, quote: str) -> str:
        begin = self.at
        names: list[str] = []
        while not names or self.text.startswith(",", self.at):
            found = _QUOTED[quote].match(self.text, self.at + 1)
            if found is None:
                raise fault("quoted names, separated by commas, are expected in the bracket", self.text[begin:])
            names.append(unescaped(found[1]))
            self.at = found.end()
        if not self.text.startswith("]", self.at):
            raise fault("quoted names, separated by commas, are expected in the bracket", self.text[begin:])
        self.at += 1
        self.steps.append(Names(names))
        return f"[{', '.join(map(document.write, names))}]"

    def _slice(self, inside: str) -> str:
        """A step is passed over."""
        start, end = inside.split(":")[:2]
        if "," in inside or " " in inside:
            raise fault("this is no slice", f"[{inside}]")
        if not (start or end):
            raise fault("a slice needs a start or an end", f"[{inside}]")
        self.steps.append(Slice(*(self._integer(digits, inside) if digits else None for digits in (start, end))))
        return str(self.steps[-1])[1:-1]

    def _indices(self, inside: str) -> str:
        indices = [self._integer(one.strip(" "), inside) for one in inside.split(",")]
        self.steps.append(Indices(indices))
        return ", ".join(map(str, indices)) if len(indices) > 1 or indices[0] >= 0 else str(_BEYOND)

    def _integer(self, digits: str, inside: str) -> int:
        if not _INTEGER.fullmatch(digits) or not -(2**31) <= int(digits) < 2**31:
            raise fault("this is no index", f"[{inside}]")
        return int(digits)

    def _filter(self) -> str:
        begin = self.at
        open_ = self.significant(self.significant(self.at, "?"), "(")
        close = self.matching(open_, "(", ")", True) if open_ > 0 else -1
        end = self.significant(close, "]") if close > 0 else -1
        if end < 0:
            raise fault("a filter must be whole, as [?( )]", self.text[begin:])
        self.at = end + 1
        filter = Filter(self.text[open_ : close + 1], _operand, self._depth).spelled()
        self.steps.append(Test(filter, _ITSELF.search(_TEXT.sub("", self.text[open_:close])) is not None))
        return f"[?{filter}]"


def _operand(path: str, depth: int, is_tested: bool) -> str:
    """A path within a filter, with its root. is_tested: whether it leads somewhere; what leads to several places always does.

    A function stands around what is compared: there are those of numbers and of the ends of arrays.
    """
    inner = _Path(path[1:].rstrip(" "), depth).spelled()
    is_known = not inner.functions or (len(inner.functions) == 1 and inner.ends_in_function and inner.functions[0] in FUNCTIONS)
    if not is_known:
        raise fault("a filter has no such function", path)
    if is_tested:
        # Jayway's library looks for that below the element, whatever the path begins with.
        if not inner.definite:
            # The library asks of the element itself whether it is empty, or zero.
            return "(@ == null || @ != null)" if inner.text or inner.functions else "(@ != null)"
        there = "@" + inner.definite
        return f"({there} && {there} != null)" if inner.definite == inner.text and not inner.functions else there
    compared = path[0] + inner.text if inner.definite == inner.text else f"listed({path[0]}{inner.text})"
    if not inner.functions:
        return compared
    return f"{FUNCTIONS[inner.functions[0]]}({compared})"
