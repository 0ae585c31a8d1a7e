"""JSON as the JSONata library sees it, and back.

An integer stays what it is at any size as long as it is not reckoned with; a number with a fraction is a float, as everything
is that an operator or a function of numbers gives.
"""

from __future__ import annotations

import math
import re
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from jsonata.utils import Utils

from sand.asl.budget import Budget

if TYPE_CHECKING:
    from sand.asl.query_run import Run

NULL = Utils.NULL_VALUE
_EXACT = 2.0**53
_TEXT = re.compile(r""""(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'""", re.DOTALL)
_ESCAPE = re.compile(r'\\.|"', re.DOTALL)


class Unsupported(Exception):
    """A function is no JSON."""


def double_quoted(text: str) -> str:
    """JSON of which texts may stand in single quotes: in double ones."""
    return _TEXT.sub(_requoted, text) if "'" in text else text


def _requoted(text: re.Match[str]) -> str:
    if text[0][0] == '"':
        return text[0]
    inner = _ESCAPE.sub(lambda part: {'"': '\\"', "\\'": "'"}.get(part[0], part[0]), text[0][1:-1])
    return f'"{inner}"'


def to_library(value: Any, run: Run) -> Any:
    """A copy, of which the containers are known to the run: what a document gave whole was not made by the expression."""
    if isinstance(value, dict):
        run.budget.spend(1 + len(value) // 16)
        return run.given({name: to_library(member, run) for name, member in value.items()})
    if isinstance(value, list):
        run.budget.spend(1 + len(value) // 16)
        return run.given([to_library(element, run) for element in value])
    if value is None:
        return NULL
    return _number(value) if isinstance(value, Decimal) else value


def _number(value: Decimal) -> int | float | Decimal:
    number = float(value)
    if math.isinf(number):
        return value
    return int(number) if number.is_integer() and abs(number) <= _EXACT else number


def from_library(value: Any, budget: Budget) -> Any:
    """Raises Unsupported when a part of it is no JSON: a function."""
    if isinstance(value, dict):
        budget.spend(1 + len(value) // 16)
        return {str(name): from_library(member, budget) for name, member in value.items()}
    if isinstance(value, list):
        budget.spend(1 + len(value) // 16)
        return [from_library(element, budget) for element in value]
    if value is None or value is NULL:
        return None
    if isinstance(value, float):
        if not math.isfinite(value):
            return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
        return int(value) if value.is_integer() and abs(value) < 1e21 else Decimal(repr(value))
    if isinstance(value, str | bool | int | Decimal):
        return value
    raise Unsupported
