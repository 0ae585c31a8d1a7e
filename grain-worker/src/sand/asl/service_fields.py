"""Checks a task that asks something of the platform itself: that the arguments are there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sand.asl import rules
from sand.asl.diagnostics import child
from sand.asl.fields import Fields
from sand.asl.platform_services import Send, Start, queue_of, workflow_of
from sand.asl.resources import function_of
from sand.asl.service_parameters import INVOKE, SEND_MESSAGE, START_EXECUTION

_OF_START = ("StateMachineArn", "Input", "Name", "TraceHeader")
_OF_SEND = ("QueueUrl", "MessageBody", "MessageGroupId", "MessageDeduplicationId")


def check(fields: Fields, service: Start | Send, is_jsonata: bool, awaits_token: bool) -> None:
    """fields: of the task."""
    if isinstance(service, Start) and awaits_token and service.mode.awaits_end:
        message = "A task waits for its token or for the end of what it started, not for both."
        fields.report("Resource", "NOT_SUPPORTED", message)
    if is_named(service):
        return
    _arguments_of(fields, is_jsonata, (START_EXECUTION if isinstance(service, Start) else SEND_MESSAGE).required)


def check_function(fields: Fields, is_jsonata: bool) -> None:
    """Of a task that invokes a function. A FunctionName that is not written out is known when it runs."""
    parameters = _arguments_of(fields, is_jsonata, INVOKE.required)
    name = None if parameters is None else parameters.raw("FunctionName")
    if parameters and isinstance(name, str) and not (is_jsonata and rules.is_query(name)) and not function_of(name):
        parameters.report("FunctionName", "NOT_SUPPORTED", f"The function {name} has no name that a grain can have.")


def check_required(fields: Fields, is_jsonata: bool, required: tuple[str, ...]) -> None:
    """Of a task that calls a service of which no more is known."""
    _arguments_of(fields, is_jsonata, required)


def _arguments_of(fields: Fields, is_jsonata: bool, required: tuple[str, ...]) -> Fields | None:
    """None: they are not there, or one expression gives all of them."""
    given = "Arguments" if is_jsonata else "Parameters"
    if given not in fields:
        message = f"The field {given} is missing: the resource needs {' and '.join(required)}."
        fields.report(None, "MISSING_FIELD", message)
        return None
    arguments = fields.object(given) if isinstance(fields.raw(given), dict) else None
    for field in required if arguments is not None else ():
        if arguments is not None and field not in arguments and f"{field}.$" not in arguments:
            arguments.report(None, "MISSING_FIELD", f"The field {field} is missing.")
    return arguments


def is_named(service: Start | Send) -> bool:
    """Whether the resource itself says which workflow or queue it is."""
    return (service.workflow if isinstance(service, Start) else service.queue) is not None


def target(state: dict[str, Any], service: Start | Send, at: str) -> tuple[str, str] | None:
    """The name of the workflow or queue that a valid task writes out, and the pointer to it; None when it is computed."""
    if is_named(service):
        name = service.workflow if isinstance(service, Start) else service.queue
        return name or "", child(at, "Resource")
    field, name_of = ("StateMachineArn", workflow_of) if isinstance(service, Start) else ("QueueUrl", queue_of)
    given, arguments = _arguments(state)
    text = arguments.get(field)
    if not isinstance(text, str) or (given == "Arguments" and rules.is_query(text)):
        return None
    return name_of(text), child(child(at, given), field)


def foreign(state: dict[str, Any], service: Start | Send, at: str) -> Iterator[tuple[str, str]]:
    """Arguments that AWS takes and the platform does not: the pointer and the name of each."""
    if is_named(service):
        return
    given, arguments = _arguments(state)
    for field in arguments:
        plain = field.removesuffix(".$")
        if plain not in (_OF_START if isinstance(service, Start) else _OF_SEND):
            yield child(child(at, given), field), plain


def foreign_to_functions(state: dict[str, Any], at: str) -> Iterator[tuple[str, str]]:
    """As `foreign`, of a task that invokes a function."""
    given, arguments = _arguments(state)
    for field in arguments:
        plain = field.removesuffix(".$")
        if not INVOKE.takes(plain):
            yield child(child(at, given), field), plain


def _arguments(state: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    given = "Arguments" if "Arguments" in state else "Parameters"
    arguments = state.get(given)
    return given, arguments if isinstance(arguments, dict) else {}
