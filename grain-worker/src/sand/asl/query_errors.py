"""Words what an evaluation threw as AWS does, which is JSONata's own wording (jsonata.org, the reference implementation):
`D3030: Unable to cast value to a number: "x"`. The library's messages call functions objects and write values as Python does.
"""

from __future__ import annotations

import re
from typing import Any

from jsonata.jexception import JException

from sand.asl import document
from sand.asl.failure import StateError
from sand.asl.query_run import Run
from sand.asl.query_values import Unsupported, from_library

_CODE = re.compile(r"[A-Z]\d{4}")
_PLACE = re.compile(r"\{\{\{?(\w+)\}?\}\}")
_ELEMENTS = {"a": "arrays", "b": "booleans", "f": "functions", "n": "numbers", "o": "objects", "s": "strings"}
"""What an array has to be of, by its letter in a function's signature."""
_SHOWN_CHARS = 10_000


def has_code(message: str) -> bool:
    return re.match(rf"{_CODE.pattern}: ", message) is not None


def sentence(e: Exception, run: Run | None) -> str:
    """run: None when the parser threw it."""
    if run is None and isinstance(e, KeyError):  # the parser looked for an operator
        e = JException("S0204", -1, e.args[0])
    if not isinstance(e, JException):
        return str(e) or type(e).__name__
    code = str(e.error)
    if not _CODE.fullmatch(code):
        return str(e).removeprefix("JSonataException ")
    if code == "S0301" and e.current is not None:
        code = "S0103"  # of a character in a string: the library says that a regular expression is empty
    if code in ("D3137", "D3141"):
        return f"{code}: {e}"
    if code == "D1002":
        values = [e.expected]
    elif code == "T0412":
        values = [e.current, e.expected, _ELEMENTS.get(str(e.extra), "values")]
    else:
        values = [e.current, e.expected, e.extra]
    return f"{code}: {_filled(code, values, getattr(e, 'token', None), run)}"


def _filled(code: str, values: list[Any], token: str | None, run: Run | None) -> str:
    """The library's message of the code, with the values in it as JSON; token: of the operator whose right side failed."""
    message = re.sub(r"\bObject\b", "function", JException.error_codes[code])
    left = iter(values)

    def filling(place: re.Match[str]) -> str:
        value = next(left, None)
        return _written(token if token and place[1] == "token" else value, run)

    return _PLACE.sub(filling, message)


def _written(value: Any, run: Run | None) -> str:
    if run is None:
        return "null" if value is None else f'"{str(value).lower() if isinstance(value, bool) else value}"'
    try:
        return document.write(from_library(value, run.budget))[:_SHOWN_CHARS]
    except (StateError, Unsupported):
        return "function"
