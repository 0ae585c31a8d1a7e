"""Reads Retry and Catch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sand.asl import document, failure, limits
from sand.asl.definition import Catcher, Retrier
from sand.asl.fields import Fields
from sand.asl.templates import ALL, ERROR, Reader
from sand.asl.variable_names import VariableNames

Lead = Callable[[Fields, str, str | None], None]


def read(state: Reader, variables: VariableNames, lead: Lead) -> dict[str, Any]:
    """The state's `retriers` and `catchers`. lead: told of each catcher's Next."""
    retry, catch = state.fields.objects("Retry"), state.fields.objects("Catch")
    catchers = []
    for at, fields in enumerate(catch):
        reader = Reader(fields, state.is_jsonata, f"Catch[{at}]/")
        catchers.append(_catcher(reader, at == len(catch) - 1, variables, lead))
    return {
        "retriers": tuple(_retrier(fields, at == len(retry) - 1) for at, fields in enumerate(retry)),
        "catchers": tuple(catchers),
    }


def _retrier(fields: Fields, is_last: bool) -> Retrier:
    fields.comment()
    errors = _errors(fields, is_last)
    interval = fields.integer("IntervalSeconds", 0, limits.SECONDS, 1)
    attempts = fields.integer("MaxAttempts", 0, limits.SECONDS, 3)
    backoff = fields.number("BackoffRate", 1.0, 2.0)
    most = fields.integer("MaxDelaySeconds", 1, limits.MAX_DELAY_SECONDS, 0)
    jitter = fields.string("JitterStrategy")
    if jitter not in (None, "FULL", "NONE"):
        fields.wrong("JitterStrategy", "The field JitterStrategy must be FULL or NONE.")
    fields.report_unknown("a retrier")
    return Retrier(errors, interval * 1000, attempts, backoff, most * 1000, jitter == "FULL")


def _catcher(reader: Reader, is_last: bool, variables: VariableNames, lead: Lead) -> Catcher:
    fields = reader.fields
    fields.comment()
    reader.refuse_foreign()
    errors = _errors(fields, is_last)
    next_ = fields.required_string("Next")
    lead(fields, "Next", next_)
    result_path = ALL if reader.is_jsonata else reader.result_path()
    output = reader.template("Output", ERROR) if reader.is_jsonata else None
    assign = reader.assign(ERROR, variables)
    fields.report_unknown("a catcher")
    return Catcher(errors, result_path, output, assign, next_ or "")


def _errors(fields: Fields, is_last: bool) -> tuple[str, ...]:
    if not fields.require("ErrorEquals"):
        return ()
    names = fields.raw("ErrorEquals")
    if not isinstance(names, list) or not names:
        fields.report("ErrorEquals", "WRONG_TYPE", "The field ErrorEquals must be a non-empty array of error names.")
        return ()
    for name in names:
        if not isinstance(name, str):
            fields.report(
                "ErrorEquals", "WRONG_TYPE", f"The field ErrorEquals must hold error names, here is {document.write(name)}."
            )
    errors = tuple(name for name in names if isinstance(name, str))
    if failure.ALL in errors:
        if len(errors) > 1:
            fields.wrong("ErrorEquals", "States.ALL must stand alone in ErrorEquals.")
        if not is_last:
            fields.wrong("ErrorEquals", "States.ALL may only stand in the last of them.")
    return errors
