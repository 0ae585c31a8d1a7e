"""JSONPath over the data at hand ($.a), the context object ($$.State.Name) or a variable ($name.a).

Plain reference paths, by far the most, are read and written as such (`reference_path`); the rest (wildcards, slices, filters,
deep scans) have steps (`path_walk`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from jsonpath.exceptions import JSONPathError

from sand.asl import path_grammar, reference_path
from sand.asl.failure import runtime
from sand.asl.path_walk import Missing, Steps
from sand.asl.reference_path import ReferencePath


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


class Path:
    """`is_definite`: it can match one place at the most. `within_data`: a plain path into the data at hand, else None."""

    __slots__ = (
        "_is_data",
        "_reference",
        "_root",
        "_steps",
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
        self._steps = Steps(path_grammar.steps(rest)) if self._reference is None else None
        self.is_whole_data = is_data and self._reference is not None and self._reference.is_whole
        self.within_data = self._reference if is_data else None
        self.is_definite = self._steps is None or self._steps.is_definite

    def read(self, view: View) -> Any:
        """Raises Missing when it leads nowhere, StateError when it is a path over the data at hand and that is null."""
        root = self._root(view)
        if self._is_data and root is None:
            raise runtime("Unable to apply Path transformation to null or empty input.")
        return self._reference.read(root) if self._reference is not None else self._steps.read(root)  # type: ignore[union-attr]

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
