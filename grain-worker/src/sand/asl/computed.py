"""Fields of a state that a path or an expression gives when the state runs; StateError for what they cannot be."""

from __future__ import annotations

from typing import Any

from sand.asl import document, failure, flow, limits, timestamps
from sand.asl.expressions import Expression
from sand.asl.failure import StateError, runtime
from sand.asl.path_walk import Missing
from sand.asl.visits import Visit


def string(visit: Visit, expression: Expression, field: str) -> str:
    value = flow.evaluated(visit, expression, visit.input, field)
    if not isinstance(value, str):
        if hasattr(expression, "mistyped"):
            raise expression.mistyped("string", value)
        raise runtime(f"The {field} must give a string, it gives {document.write(value)}")
    return value


def delay(visit: Visit, expression: Expression) -> int:
    """Of a Wait, in seconds. As on AWS an expression may give more of them than may be written down."""
    most = limits.WAIT_SECONDS if hasattr(expression, "mistyped") else limits.SECONDS
    return seconds(visit, expression, flow.given(visit), "SecondsPath", 0, most)


def seconds(visit: Visit, expression: Expression, data: Any, field: str, least: int, most: int = limits.SECONDS) -> int:
    value = _field(visit, expression, data, field)
    digits = None if hasattr(expression, "mistyped") else document.digits(value)
    number = document.whole_number(value) if digits is None else digits
    if number is None or not least <= number <= most:
        if hasattr(expression, "mistyped"):
            if not document.is_number(value):
                raise expression.mistyped("number", value)
            raise _out_of_bounds(field.removesuffix("Path"), number, value, least, most)
        if field == "SecondsPath" and number is not None and number < 0:
            raise runtime(f"The {field} parameter references a negative value: {expression} == {_plain(value)}")
        if field.endswith("SecondsPath"):
            raise runtime(f"The {field} parameter cannot be parsed as a long value: {expression} == {_plain(value)}")
        if number is not None:
            raise runtime(
                f"{field.removesuffix('Path')} cannot be {'negative' if number < 0 else f'more than {limits.SECONDS}'}."
            )
        raise runtime(f'The {field} field refers to value "{_plain(value)}" which is not a valid integer: {expression}')
    return number


def _out_of_bounds(field: str, number: int | None, value: Any, least: int, most: int) -> StateError:
    """As on AWS, which speaks of 0 where 1 is the least. number: None of a fraction."""
    if number is None:
        why = f"The {field} field cannot be parsed as an integer: {document.write(value)}"
    else:
        why = f"{field} must be between {least if number == 0 else 0} and {most} but was: {number}"
    return StateError(failure.QUERY_EVALUATION_ERROR, why)


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
    parse = timestamps.parse_loosely if hasattr(expression, "mistyped") else timestamps.parse
    time = parse(value) if isinstance(value, str) else None
    if time is not None:
        return time
    shown = _plain(value)
    form = "ISO-8601 extended offset date-time format string:"
    if not hasattr(expression, "mistyped"):
        raise runtime(f"The TimestampPath parameter does not reference a valid {form} {expression} == {shown}")
    if not isinstance(value, str):
        raise expression.mistyped("string", value)
    raise StateError(failure.QUERY_EVALUATION_ERROR, f"The Timestamp field cannot be parsed as an {form} {shown}")
