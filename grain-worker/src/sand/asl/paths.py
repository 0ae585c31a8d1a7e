"""JSONPath over the data at hand ($.a), the context object ($$.State.Name) or a variable ($name.a).

What is no plain reference path (wildcards, slices, filters, deep scans) is parsed by `path_grammar` and matched by
python-jsonpath, with the behaviour of Jayway's library where the two differ, which is what AWS shows: a definite part that
leads nowhere is missing, several names in a last bracket make an object, a filter on an object tests that object, a number
equals its digits in a string.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol

from jsonpath import JSONPath, JSONPathMatch
from jsonpath.exceptions import JSONPathError
from jsonpath.segments import JSONPathRecursiveDescentSegment
from jsonpath.selectors import Filter, IndexSelector, NameSelector, SliceSelector, WildcardSelector

from sand.asl import document, path_grammar, path_library, reference_path
from sand.asl.failure import runtime
from sand.asl.reference_path import Missing, ReferencePath


class View(Protocol):
    """What an expression can see."""

    def data(self) -> Any:
        """What `$` is; in JSONata, `$states.input`."""

    def text(self) -> str:
        """That, as a cause shows it."""

    def context(self, with_input: bool) -> dict[str, Any]:
        """with_input: whether the execution's input is to be in it: one that is no JSON cannot."""

    def variable(self, name: str) -> Any:
        """The variable's value. Raises KeyError."""

    def draw(self) -> int:
        """64 bits that look random, others at each call."""


_QUOTED = re.compile(r"""'(?:[^'\\]|\\.)*'|["](?:[^"\\]|\\.)*["]""")
_ITSELF = re.compile(r"@(?![.\[\w])")


class Path:
    """`is_definite`: it can match one place at the most. `within_data`: a plain path into the data at hand, else None."""

    __slots__ = (
        "_is_data",
        "_library",
        "_reference",
        "_root",
        "_tests_itself",
        "is_definite",
        "is_whole_data",
        "text",
        "within_data",
    )

    def __init__(self, text: str, root: Callable[[View], Any], is_data: bool, rest: str) -> None:
        self.text = text
        self._root = root
        self._is_data = is_data
        self._reference: ReferencePath | None = reference_path.try_parse("$" + rest)
        self._tests_itself = _tests_itself(rest.rstrip(" "))
        self._library: JSONPath | None = None
        if self._reference is None:
            spelled = path_grammar.spelled(rest)
            self._reference = None if spelled.functions else reference_path.try_parse("$" + spelled.text)
            if self._reference is None and not spelled.functions:
                self._library = path_library.compile("$" + spelled.text)
        self.is_whole_data = is_data and self._reference is not None and self._reference.is_whole
        self.within_data = self._reference if is_data else None
        self.is_definite = self._library is None or all(_is_definite(s, True) for s in self._library.segments)

    def read(self, view: View) -> Any:
        """Raises Missing when it leads nowhere, StateError when it is a path over the data at hand and that is null."""
        root = self._root(view)
        if self._is_data and root is None:
            raise runtime("Unable to apply Path transformation to null or empty input.")
        if self._reference is not None:
            return self._reference.read(root)
        if self._library is None:
            raise Missing("functions such as length() are not supported in paths, as on AWS")
        try:
            found = _find(self._library, root)
            return [one for one in found if isinstance(one, dict)] if self._tests_itself else found
        except (JSONPathError, RecursionError) as e:
            raise Missing(f"'{self.text}' cannot be applied: {e}") from None

    def __str__(self) -> str:
        return self.text


def parse(text: str) -> Path:
    """Raises ValueError with one sentence."""
    try:
        path = _parsed(text)
    except (JSONPathError, RecursionError, ValueError) as e:
        if "=~" in text:
            # One can run for ever on a short text; there is no way to stop it half way.
            raise ValueError(f"'{text}' uses a regular expression, which paths may not") from None
        raise ValueError(f"'{text}' is not a valid JSONPath: {e!s}") from None
    if path is None:
        raise ValueError(f"'{text}' is not a JSONPath: it must begin with $")
    return path


def _parsed(text: str) -> Path | None:
    if text.startswith("$$"):
        return Path(text, _context(text[2:]), False, text[2:])
    end = 1
    while end < len(text) and (text[end].isalnum() or text[end] == "_") and not (end == 1 and text[1].isdigit()):
        end += 1
    if text.startswith("$") and end > 1:
        return Path(text, _variable(text[1:end]), False, text[end:])
    return Path(text, lambda view: view.data(), True, text[1:]) if text.startswith("$") else None


def _bracket_end(text: str, at: int) -> int:
    """Behind the bracket that belongs to the one at `at`; a bracket in quotes is none."""
    level, quote = 0, ""
    while at < len(text):
        character = text[at]
        if quote:
            at += character == "\\"
            quote = "" if character == quote else quote
        elif character in "'\"":
            quote = character
        else:
            level += {"[": 1, "]": -1}.get(character, 0)
            if level == 0:
                return at + 1
        at += 1
    return at


def _tests_itself(rest: str) -> bool:
    """Whether it ends in a filter on the element itself, not on a field of it. Those match objects, never scalars."""
    at, last = 0, ""
    while at < len(rest):
        end = _bracket_end(rest, at) if rest[at] == "[" else at + 1
        at, last = end, rest[at:end]
    return last.startswith("[?") and _ITSELF.search(_QUOTED.sub("", last)) is not None


def _context(rest: str) -> Callable[[View], Any]:
    steps = getattr(reference_path.try_parse("$" + rest), "steps", ())
    with_input = all(step == wanted for step, wanted in zip(steps, ("Execution", "Input"), strict=False))
    return lambda view: view.context(with_input)


def _variable(name: str) -> Callable[[View], Any]:
    def read(view: View) -> Any:
        try:
            return view.variable(name)
        except KeyError:
            raise Missing(f"there is no variable ${name}") from None

    return read


def _is_definite(segment: Any, is_last: bool) -> bool:
    if _is_scan(segment):
        return False
    if len(segment.selectors) == 1:
        return isinstance(segment.selectors[0], NameSelector | IndexSelector)
    return is_last and all(isinstance(selector, NameSelector) for selector in segment.selectors)


def _leads_to_several(segment: Any) -> bool:
    """Several names count as one place, as in the version of Jayway's library that AWS shows."""
    if _is_scan(segment):
        return True
    return not (all(isinstance(s, NameSelector) for s in segment.selectors) or _is_definite(segment, False))


def _takes_all(segment: Any) -> bool:
    return isinstance(segment, JSONPathRecursiveDescentSegment) or isinstance(segment.selectors[0], WildcardSelector)


def _find(path: JSONPath, root: Any) -> Any:
    """What the path matches: one value when it is definite, else an array of all of them."""
    nodes: Sequence[JSONPathMatch] = [_node(root, root)]
    is_definite = True
    for index, segment in enumerate(path.segments):
        is_last = index == len(path.segments) - 1
        names = [s.name for s in segment.selectors if isinstance(s, NameSelector)]
        if isinstance(segment, JSONPathRecursiveDescentSegment):
            is_definite = False
            if isinstance(test := segment.selectors[0], Filter):
                objects = [_node([one], node.root) for node in nodes for one in _objects(node.obj)]
                nodes = [match for one in objects for match in test.resolve(one)]
                continue
            nodes = [found for found in segment.resolve(nodes) if found.parent is None or not isinstance(found.parent.obj, str)]
            continue
        if is_definite:
            _check_reach(segment, nodes[0].obj)
        has_names = len(names) > 1 and len(names) == len(segment.selectors)
        if has_names and not is_last and not (index and _is_scan(path.segments[index - 1])):
            _check_no_object(nodes, names)
        if has_names and is_last:
            nodes = [_merged(node, names) for node in nodes if isinstance(node.obj, dict)]
        else:
            gives_null = is_last and not (is_definite and _is_definite(segment, is_last))
            nodes = [match for node in nodes for match in _resolve(segment, node, gives_null)]
        is_definite = is_definite and _is_definite(segment, is_last)
        if is_definite and not nodes:
            behind = path.segments[index + 1 :]
            if any(map(_leads_to_several, behind)) and (names or _takes_all(behind[0])):
                # A field that is not there, or all of what stands at an index that the array does not have: nothing.
                return []
            raise Missing(f"No results for path: {path}")
    return nodes[0].obj if is_definite else [node.obj for node in nodes]


def _objects(value: Any) -> Iterator[dict[str, Any]]:
    """What a filter that scans tests, in its order: each object, wherever it stands, the one that the scan begins at too."""
    if isinstance(value, dict):
        yield value
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _objects(part)


def _check_reach(segment: Any, value: Any) -> None:
    """Elements are looked for in an array, fields in an object: below a definite place, anything else is missing."""
    for selector in segment.selectors:
        if isinstance(selector, SliceSelector | IndexSelector) and not isinstance(value, list):
            raise Missing(f"there is no array for {segment}")
        if isinstance(selector, NameSelector) and not isinstance(value, dict):
            raise Missing(f"there is no object for {segment}")
        if isinstance(selector, Filter) and not isinstance(value, dict | list):
            raise Missing(f"the filter {segment} cannot be applied to a {document.kind(value)}")


def _is_scan(segment: Any) -> bool:
    return isinstance(segment, JSONPathRecursiveDescentSegment)


def _check_no_object(nodes: Sequence[JSONPathMatch], names: list[str]) -> None:
    """Several names are only for the end of a path, as in the version of Jayway's library that AWS shows."""
    for node in nodes:
        if isinstance(node.obj, dict):
            shown = ", ".join(f"'{name}'" for name in names)
            raise Missing(f"Multi properties can only be used as path leafs: {node.path}[{shown}]")


def _resolve(segment: Any, node: JSONPathMatch, gives_null: bool) -> list[JSONPathMatch]:
    """gives_null: whether an index that an array does not have gives null."""
    if isinstance(node.obj, dict) and isinstance(segment.selectors[0], Filter):
        return list(segment.resolve([_node([node.obj], node.root)]))
    if isinstance(segment.selectors[0], IndexSelector | SliceSelector) and not isinstance(node.obj, list):
        return []
    if gives_null and all(isinstance(selector, IndexSelector) for selector in segment.selectors):
        return [match for one in segment.selectors for match in (list(one.resolve(node)) or [_node(None, node.root)])]
    return list(segment.resolve([node]))


def _merged(node: JSONPathMatch, names: list[str]) -> JSONPathMatch:
    return _node({name: node.obj[name] for name in names if name in node.obj}, node.root)  # type: ignore[index, operator]


def _node(value: Any, root: Any) -> JSONPathMatch:
    return JSONPathMatch(filter_context={}, obj=value, parent=None, path="$", parts=(), root=root)
