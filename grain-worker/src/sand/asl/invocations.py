"""What a task asks that invokes a function, and what it gets, as AWS's `lambda:invoke` has both."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Any

from sand.asl import document, json_faults
from sand.asl.failure import Declined, runtime
from sand.asl.resources import function_of
from sand.asl.service_parameters import INVOKE


class Kind(enum.Enum):
    """Of an invocation, by its InvocationType."""

    REQUEST_RESPONSE = "RequestResponse"
    EVENT = "Event"
    """What the function gives, and whether it fails, is not the state's concern."""
    DRY_RUN = "DryRun"
    """It is not called."""


_STATUS = {Kind.REQUEST_RESPONSE: 200, Kind.EVENT: 202, Kind.DRY_RUN: 204}


@dataclass(frozen=True, slots=True)
class Invocation:
    grain: str
    payload: Any
    kind: Kind


def asked(given: Any, is_jsonata: bool) -> Invocation:
    """given: the task's arguments. Raises StateError: States.Runtime for arguments that make no call; Declined."""
    parameters = INVOKE.checked(given, is_jsonata)
    name = parameters["FunctionName"]
    grain = function_of(name)
    if grain is None:
        raise runtime(f"The field FunctionName must name a function, it is {document.write(name)}")
    return Invocation(grain, _payload(parameters.get("Payload", {})), _kind(parameters.get("InvocationType")))


def _payload(given: Any) -> Any:
    """A string is the payload's JSON text, as the service's own interface takes it; an empty one is none."""
    if not isinstance(given, str):
        return given
    if not given:
        return {}
    try:
        return document.parse(given)
    except document.NoJson as e:
        why = f"Could not parse request body into json: Could not parse payload into json: {json_faults.why(e, given)}"
        raise Declined("Lambda.InvalidRequestContentException", why) from None


def _kind(type_: str | None) -> Kind:
    try:
        return Kind.REQUEST_RESPONSE if type_ is None else Kind(type_)
    except ValueError:
        why = (
            f"1 validation error detected: Value '{type_}' at 'invocationType' failed to satisfy constraint: "
            "Member must satisfy enum value set: [Event, RequestResponse, DryRun]"
        )
        raise Declined("Lambda.AWSLambdaException", why) from None


def result(kind: Kind, output: Any) -> dict[str, Any]:
    """output: what the function gave."""
    if kind is Kind.REQUEST_RESPONSE:
        return {"ExecutedVersion": "$LATEST", "Payload": output, "StatusCode": _STATUS[kind]}
    return {"Payload": {}, "StatusCode": _STATUS[kind]}
