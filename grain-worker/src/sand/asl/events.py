"""What happened in an execution, in the events that AWS's GetExecutionHistory has.

They are counted in every execution, since causes name their numbers, and kept where somebody will read them: in the emulator.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sand.asl import document, resources, timestamps
from sand.asl.definition import Task
from sand.asl.failure import HEARTBEAT_TIMEOUT, TIMEOUT, StateError

VALUE_BYTES = 256 << 10
"""Of a larger value its event says that it is truncated."""
MOST_BYTES = 32 << 20
"""Of all values; of an execution with more there is no history."""
_SDK = "aws-sdk:"
Details = Callable[[], dict[str, Any]]


class Events:
    """How many events a history has so far; the first one is the start. run: the iteration of a distributed Map that it is of;
    empty: the execution's own. most: how many it may have before that of its end."""

    def __init__(self, run: str, most: int | None) -> None:
        """most: that of its end included; None: any number."""
        self.run = run
        self.count = 1
        self.most: float = math.inf if most is None else most - 1


class EventLog:
    """The events themselves, each as it is shown."""

    def __init__(self) -> None:
        self._runs: dict[str, list[dict[str, Any]]] = {}
        self._bytes = 0

    @property
    def is_over(self) -> bool:
        """More happened than is kept."""
        return self._bytes > MOST_BYTES

    def add(self, run: str, id: int, previous: int, at_ms: int, kind: str, details: dict[str, Any] | None) -> None:
        if details is not None:
            self._bytes += sum(len(said) for said in details.values() if isinstance(said, str))
        if self.is_over:
            self._runs.clear()
        else:
            self._runs.setdefault(run, []).append(shown(id, previous, at_ms, kind, details))

    def of(self, run: str) -> list[dict[str, Any]]:
        """In the order of their ids; none: there is no such run."""
        return list(self._runs.get(run, ()))


def shown(id: int, previous: int, at_ms: int, kind: str, details: dict[str, Any] | None) -> dict[str, Any]:
    event: dict[str, Any] = {"id": id, "previousEventId": previous, "timestamp": timestamps.text(at_ms), "type": kind}
    return event if details is None else event | {_details_name(kind): details}


def _details_name(kind: str) -> str:
    """The member that an event's details stand under."""
    for ending, name in (("StateEntered", "stateEntered"), ("StateExited", "stateExited")):
        if kind.endswith(ending):
            return name + "EventDetails"
    return kind[0].lower() + kind[1:] + "EventDetails"


# --- details


def value(member: str, given: Any, **before: Any) -> dict[str, Any]:
    """A value as JSON text. member: input, output or parameters; before: the details that stand before it."""
    try:
        text = document.write(given)
    except (StateError, TypeError, ValueError):
        text = None  # no JSON
    if text is not None and len(text.encode("utf-8", "replace")) > VALUE_BYTES:
        text = None
    shown = before | ({} if text is None else {member: text})
    return shown if member == "parameters" else shown | {member + "Details": {"truncated": text is None}}


def failed(error: str | None, cause: str | None) -> dict[str, Any]:
    return {name: said for name, said in (("error", error), ("cause", cause)) if said is not None}


def evaluation(error: str | None, cause: str) -> dict[str, Any]:
    """With the field that the cause names."""
    named = re.search(r" specified for the field '([^']*)'", cause)
    return failed(error, cause) | ({"location": named[1]} if named else {})


def assigned(values: dict[str, Any]) -> dict[str, Any]:
    """The variables that a visit has given values."""
    texts = {name: document.write(given) for name, given in values.items()}
    return {"assignedVariables": texts, "assignedVariablesDetails": {"truncated": False}}


# --- of a Task's attempts: those of a Lambda function for a grain, those of a service otherwise


def service_of(task: Task) -> dict[str, Any] | None:
    """How AWS names what a task calls: resourceType and resource; None for a function."""
    resource = resources.shown(task.resource)
    is_service = ":states:::" in resource or resource.startswith(("sand:workflow:", "sand:queue:", "sand:object:"))
    if not is_service and not task.awaits_token:
        return None
    if ":::" in resource:
        service = resource.partition(":::")[2]
        sdk = _SDK if service.startswith(_SDK) else ""  # of an SDK integration, the service's name is part of the type
        parts = service.removeprefix(sdk).split(":", 1)
        parts[0] = sdk + parts[0]
    else:
        parts = resource[5:].split(":", 1) if resource.startswith("sand:") else ["lambda", resource]
    return {"resourceType": parts[0], "resource": parts[-1]}


@dataclass(frozen=True, slots=True)
class Limits:
    """What an attempt is held to. …_s: 0 for none; role: that its Credentials name."""

    timeout_s: int
    heartbeat_s: int
    role: str | None


def scheduled(task: Task, given: Any, held_to: Limits) -> tuple[str, Details]:
    service = service_of(task)

    def details() -> dict[str, Any]:
        shown = value("input", given, resource=task.resource) if service is None else value("parameters", given, **service)
        limits = {"timeoutInSeconds": held_to.timeout_s, "heartbeatInSeconds": held_to.heartbeat_s}
        shown |= {name: seconds for name, seconds in limits.items() if seconds > 0}
        return shown if held_to.role is None else shown | {"taskCredentials": {"roleArn": held_to.role}}

    return ("LambdaFunctionScheduled" if service is None else "TaskScheduled"), details


def started(task: Task) -> tuple[str, Details | None]:
    service = service_of(task)
    return ("LambdaFunctionStarted", None) if service is None else ("TaskStarted", lambda: service)


def submitted(task: Task) -> tuple[str, Details]:
    return "TaskSubmitted", lambda: service_of(task) or {}


def succeeded(task: Task, result: Any) -> tuple[str, Details]:
    service = service_of(task)
    kind = "LambdaFunctionSucceeded" if service is None else "TaskSucceeded"
    return kind, lambda: value("output", result, **(service or {}))


def task_failed(task: Task, error: str | None, cause: str | None) -> tuple[str, Details]:
    service = service_of(task)
    ending = "TimedOut" if error in (TIMEOUT, HEARTBEAT_TIMEOUT) else "Failed"
    return ("LambdaFunction" if service is None else "Task") + ending, lambda: failed(error, cause) | (service or {})
