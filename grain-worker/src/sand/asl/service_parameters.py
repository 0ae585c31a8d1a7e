"""The parameters of a task that calls a service, as AWS looks at them when the task begins."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sand.asl import document
from sand.asl.failure import runtime
from sand.asl.known_services import REQUIRED

_AS_TEXT = (str, dict, list)


@dataclass(frozen=True, slots=True)
class Parameters:
    """Of one call of a service. known: what they may be called, None for anything; required: of these, which there must be;
    texts: which are strings; json: strings too, for which an object or an array may stand, which is then written as one."""

    known: frozenset[str] | None
    required: tuple[str, ...]
    texts: tuple[str, ...] = ()
    json: str | None = None

    def takes(self, name: str) -> bool:
        return self.known is None or name in self.known

    def checked(self, given: Any, is_jsonata: bool) -> dict[str, Any]:
        """Those that say something: one that is null is as one that is not there, but for what is sent on, of which the service
        tells.

        Raises StateError: States.Runtime with all that is wrong with them, in AWS's words.
        """
        members = given if isinstance(given, dict) else {}
        faults = [f'The field "{name}" is not supported by Step Functions' for name in members if not self.takes(name)]
        if not is_jsonata:
            faults += [
                f"The value for the field '{name}' must be a valid JSONPath or a valid intrinsic function call"
                for name in _unmade(members)
            ]
        said = {name: value for name, value in members.items() if value is not None}
        faults += [
            f"The field '{name}' is required but was missing"
            for name in self.required
            if name not in (members if self.known is None or name == self.json else said)
        ]
        faults += [
            f"The value for the field '{name}' must be a STRING"
            for name, value in said.items()
            if (name in self.texts and not isinstance(value, str)) or (name == self.json and not isinstance(value, _AS_TEXT))
        ]
        if faults:
            what = f"The {'Arguments' if is_jsonata else 'Parameters'} '{document.shown(given)}'"
            raise runtime(f"{what} could not be used to start the Task: [{', '.join(faults)}]")
        return said


def _unmade(value: Any) -> list[str]:
    """Names that end as those of paths do, in what a template has made, whose values are texts and no paths."""
    found, left = [], [value]
    while left:
        one = left.pop()
        if isinstance(one, dict):
            found += [name for name, member in one.items() if name.endswith(".$") and _is_no_path(member)]
            left += reversed(list(one.values()))
        elif isinstance(one, list):
            left += reversed(one)
    return found


def _is_no_path(value: Any) -> bool:
    return isinstance(value, str) and not value.startswith(("$", "States."))


SEND_MESSAGE = Parameters(
    frozenset(
        [
            "DelaySeconds",
            "MessageAttribute",
            "MessageAttributes",
            "MessageBody",
            "MessageDeduplicationId",
            "MessageGroupId",
            "MessageSystemAttributes",
            "QueueUrl",
        ]
    ),
    REQUIRED["sqs:sendMessage"],
    ("QueueUrl", "MessageGroupId", "MessageDeduplicationId"),
    "MessageBody",
)
START_EXECUTION = Parameters(
    frozenset(("StateMachineArn", "Input", "Name", "TraceHeader")),
    REQUIRED["states:startExecution"],
    ("StateMachineArn", "Name", "TraceHeader"),
    "Input",
)
INVOKE = Parameters(
    frozenset(
        [
            "ClientContext",
            "DurableExecutionName",
            "FunctionName",
            "InvocationType",
            "LogType",
            "Payload",
            "Qualifier",
            "TenantId",
        ],
    ),
    REQUIRED["lambda:invoke"],
    ("FunctionName", "InvocationType", "LogType", "Qualifier"),
    "Payload",
)
