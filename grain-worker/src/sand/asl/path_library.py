"""python-jsonpath as paths need it: comparisons as Jayway's library has them, and its functions."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from typing import Any, ClassVar

from jsonpath import UNDEFINED, JSONPath, JSONPathEnvironment, NodeList
from jsonpath.exceptions import JSONPathTypeError
from jsonpath.function_extensions import ExpressionType, FilterFunction

from sand.asl import document, limits


class _Environment(JSONPathEnvironment):
    max_recursion_depth = limits.JSON_DEPTH + 10

    def _eq(self, left: object, right: object) -> bool:
        left, right = _exact(_single(left)), _exact(_single(right))
        if _is_nothing(left) or _is_nothing(right):
            return False
        if isinstance(right, str) and document.is_number(left):
            try:
                return bool(left == Decimal(right))
            except InvalidOperation:
                return False
        if isinstance(left, str) and document.is_number(right):
            return left == document.write(right)
        return left is right or document.same(left, right)

    def _lt(self, left: object, right: object) -> bool:
        left, right = _exact(_single(left)), _exact(_single(right))
        if isinstance(left, str) and isinstance(right, str):
            return document.utf_16(left) < document.utf_16(right)
        return super()._lt(left, right)


def _single(value: Any) -> Any:
    """Of what a query in a filter found: the one value, or nothing."""
    return value[0] if isinstance(value, list) and hasattr(value, "values_or_singular") and len(value) == 1 else value


def _is_nothing(value: Any) -> bool:
    """Of a query in a filter that found nothing: it equals nothing either."""
    return value is UNDEFINED or (isinstance(value, list) and hasattr(value, "values_or_singular") and not value)


def _exact(value: Any) -> Any:
    return Decimal(repr(value)) if isinstance(value, float) else value


class _Same(FilterFunction):
    """Of the same kind and equal."""

    arg_types: ClassVar = [ExpressionType.VALUE, ExpressionType.VALUE]
    return_type = ExpressionType.LOGICAL

    def __call__(self, left: object, right: object) -> bool:
        return document.same(_exact(left), _exact(right))


class _Json(FilterFunction):
    """A list or an object, of its text."""

    arg_types: ClassVar = [ExpressionType.VALUE]
    return_type = ExpressionType.VALUE

    def __call__(self, text: str) -> Any:
        return document.parse(text)


class _Listed(FilterFunction):
    """All of what a query finds, which has no one value."""

    arg_types: ClassVar = [ExpressionType.NODES]
    return_type = ExpressionType.VALUE

    def __call__(self, nodes: NodeList) -> list[object]:
        return list(nodes.values())


class _End(FilterFunction):
    """first() and last() of an array; where there is none, the path cannot be applied."""

    arg_types: ClassVar = [ExpressionType.VALUE]
    return_type = ExpressionType.VALUE

    def __init__(self, index: int) -> None:
        self._index = index

    def __call__(self, value: object) -> object:
        if value is UNDEFINED:
            return UNDEFINED
        if not isinstance(value, list) or not value:
            raise JSONPathTypeError("there is no element at the end", token=None)
        return value[self._index]


class _OfNumbers(FilterFunction):
    """min(), max(), avg() and sum() of an array; where there are no numbers, the path cannot be applied."""

    arg_types: ClassVar = [ExpressionType.VALUE]
    return_type = ExpressionType.VALUE

    def __init__(self, reckon: Callable[[list[Decimal]], Decimal]) -> None:
        self._reckon = reckon

    def __call__(self, value: object) -> object:
        if value is UNDEFINED:
            return UNDEFINED
        numbers = [Decimal(str(one)) for one in value if document.is_number(one)] if isinstance(value, list) else []
        if not numbers:
            raise JSONPathTypeError("there is no number to reckon with", token=None)
        return self._reckon(numbers)


_LIBRARY = _Environment()
_LIBRARY.function_extensions.update(
    same=_Same(),
    json=_Json(),
    listed=_Listed(),
    first_of=_End(0),
    last_of=_End(-1),
    min_of=_OfNumbers(min),
    max_of=_OfNumbers(max),
    sum_of=_OfNumbers(lambda numbers: sum(numbers, Decimal(0))),
    avg_of=_OfNumbers(lambda numbers: sum(numbers, Decimal(0)) / len(numbers)),
)


def compile(text: str) -> JSONPath:
    """Raises JSONPathError, or ValueError when it is no single path."""
    compiled = _LIBRARY.compile(text)
    if not isinstance(compiled, JSONPath):
        raise ValueError("it is no single path")
    return compiled
