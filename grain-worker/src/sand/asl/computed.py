"""Fields of a state that a path or an expression gives when the state runs; StateError for what they cannot be."""

from __future__ import annotations

from typing import Any

from sand.asl import document, failure, flow, limits, timestamps
from sand.asl.expressions import Expression
from sand.asl.failure import StateError, runtime
from sand.asl.reference_path import Missing
from sand.asl.scopes import Visit


def string(visit: Visit, expression: Expression, field: str) -> str:
    value = flow.evaluated(visit, expression, visit.input, field)
    if not isinstance(value, str):
        if hasattr(expression, "mistyped"):
            raise expression.mistyped("string", value)
        raise runtime(f"The {field} must give a string, it gives {document.write(value)}")
    return value


def seconds(visit: Visit, expression: Expression, data: Any, field: str, least: int) -> int:
    value = _field(visit, expression, data, field)
    digits = None if hasattr(expression, "mistyped") else document.digits(value)
    number = document.whole_number(value) if digits is None else digits
    if number is None or not least <= number <= limits.SECONDS:
        expected = f"an integer from {least} to {limits.SECONDS}"
        if hasattr(expression, "mistyped"):
            wrong = (
                expression.out_of_bounds(expected, value) if document.is_number(value) else expression.mistyped("number", value)
            )
            raise wrong
        if field.endswith("SecondsPath"):
            raise runtime(f"The {field} parameter cannot be parsed as a long value: {expression} == {_plain(value)}")
        if number is not None:
            raise runtime(
                f"{field.removesuffix('Path')} cannot be {'negative' if number < 0 else f'more than {limits.SECONDS}'}."
            )
        raise runtime(f'The {field} field refers to value "{_plain(value)}" which is not a valid integer: {expression}')
    return number


def _plain(value: Any) -> str:
    """As causes show what a path led to: a text without quotation marks."""
    return value if isinstance(value, str) else document.write(value)


def _field(visit: Visit, expression: Expression, data: Any, field: str) -> Any:
    try:
        return expression.evaluate(flow.View(visit, data))
    except Missing as missing:
        if field in ("TimeoutSecondsPath", "HeartbeatSecondsPath"):
            raise runtime(f"Invalid path '{expression}' : {missing}") from None
        raise runtime(f"The {field} parameter does not reference an input value: {expression}") from None


def timestamp(visit: Visit, expression: Expression) -> int:
    value = _field(visit, expression, flow.given(visit), "TimestampPath")
    time = timestamps.parse(value) if isinstance(value, str) else None
    if time is not None:
        return time
    shown = _plain(value)
    form = "ISO-8601 extended offset date-time format string:"
    if not hasattr(expression, "mistyped"):
        raise runtime(f"The TimestampPath parameter does not reference a valid {form} {expression} == {shown}")
    if not isinstance(value, str):
        raise expression.mistyped("string", value)
    raise StateError(failure.QUERY_EVALUATION_ERROR, f"The Timestamp field cannot be parsed as an {form} {shown}")
