"""What a Task's Resource asks of the platform itself, and of no grain: to start another workflow, or to send to a queue.

From the arguments of such a task to what is asked, and from what came of it to the task's result, both as AWS's service
integrations `states:startExecution` and `sqs:sendMessage` have them.
"""

from __future__ import annotations

import enum
import hashlib
import re
from dataclasses import dataclass
from typing import Any

from sand.asl import document, json_faults, limits
from sand.asl.failure import Declined, runtime
from sand.asl.service_parameters import SEND_MESSAGE, START_EXECUTION

_START_EXECUTION = re.compile(r"arn:[^:]*:states:::states:(startExecution(?:|\.sync|\.sync:2))")
_SEND_MESSAGE = re.compile(r"arn:[^:]*:states:::sqs:sendMessage")
_WORKFLOW, _QUEUE = "sand:workflow:", "sand:queue:"
NOT_REDRIVABLE = "Execution is SUCCEEDED and cannot be redriven"
_NO_BODY = (
    "The request must contain the parameter MessageBody. (Service: AmazonSQS; Status Code: 400; Error Code: MissingParameter)"
)
_GROUP = re.compile(r"[!-~]{1,128}", re.ASCII)
"""Alphanumeric and punctuation characters, as the service has them."""


class Mode(enum.Enum):
    """How another workflow is started, by the name of the service's call, and what the task's result is."""

    START = "startExecution"
    """Not waited for: ExecutionArn and StartDate."""
    SYNC = "startExecution.sync"
    """Waited for: the execution's description, Input and Output as text."""
    SYNC_JSON = "startExecution.sync:2"
    """Waited for: the same with Input and Output as JSON."""
    WORKFLOW = "sand:workflow"
    """Waited for: its output alone, and its error as it is."""

    @property
    def awaits_end(self) -> bool:
        return self is not Mode.START


@dataclass(frozen=True, slots=True)
class Start:
    """workflow: None when the task's StateMachineArn names it."""

    mode: Mode
    workflow: str | None


@dataclass(frozen=True, slots=True)
class Send:
    """queue: None when the task's QueueUrl names it."""

    queue: str | None


@dataclass(frozen=True, slots=True)
class StartWorkflow:
    """name: that the execution is to have, and no other of that workflow; None: its id."""

    mode: Mode
    name: str | None


@dataclass(frozen=True, slots=True)
class SendMessage:
    """group: whose messages are worked on in order; None: in no order. message: what its id follows from, the same in each
    attempt, so that one which is sent again by the task's Retry is there once; with a token each attempt has its own."""

    group: str | None
    message: str


def service_of(resource: str) -> Start | Send | None:
    """Of a resource without what says that a token is waited for; None when it is neither."""
    start = _START_EXECUTION.fullmatch(resource)
    if start:
        return Start(Mode(start[1]), None)
    if _SEND_MESSAGE.fullmatch(resource):
        return Send(None)
    if resource.startswith(_WORKFLOW):
        return Start(Mode.WORKFLOW, resource.removeprefix(_WORKFLOW))
    return Send(resource.removeprefix(_QUEUE)) if resource.startswith(_QUEUE) else None


def workflow_of(state_machine_arn: str) -> str:
    """Its last part but for a version or alias; or a bare name."""
    before, mark, name = state_machine_arn.partition(":stateMachine:")
    return name.partition(":")[0] if mark else before.rpartition("/")[2]


def queue_of(queue_url: str) -> str:
    """The last part of a URL or an ARN, without the ending of a queue that keeps order."""
    return re.split("[/:]", queue_url)[-1].removesuffix(".fifo")


# --- what is asked


def asked(service: Start | Send, given: Any, message: str, is_jsonata: bool) -> tuple[str, Any, StartWorkflow | SendMessage]:
    """The workflow and its input, or the queue and the message. given: the task's arguments; message: see SendMessage.

    Raises StateError: States.Runtime for arguments that make no call; Declined.
    """
    if isinstance(service, Send):
        if service.queue is not None:
            return service.queue, given, SendMessage(None, message)
        members = SEND_MESSAGE.checked(given, is_jsonata)
        queue = queue_of(_text(members, "QueueUrl") or "")
        if members.get("MessageBody", "") == "":
            raise Declined("SQS.AmazonSQSException", _NO_BODY)
        return queue, members["MessageBody"], SendMessage(_group(members), message)
    if service.workflow is not None:
        return service.workflow, given, StartWorkflow(service.mode, None)
    members = START_EXECUTION.checked(given, is_jsonata)
    workflow = workflow_of(_text(members, "StateMachineArn") or "")
    name = _text(members, "Name")
    return workflow, _input(members.get("Input", {})), StartWorkflow(service.mode, name)


def _group(members: dict[str, Any]) -> str | None:
    group = _text(members, "MessageGroupId")
    if group is not None and not _GROUP.fullmatch(group):
        why = "MessageGroupId can only include alphanumeric and punctuation characters. 1 to 128 in length."
        where = "(Service: AmazonSQS; Status Code: 400; Error Code: InvalidParameterValue)"
        cause = f"Value {group} for parameter MessageGroupId is invalid. Reason: {why} {where}"
        raise Declined("SQS.AmazonSQSException", cause)
    return group


def _input(given: Any) -> Any:
    """A string is the input's JSON text, as the service's own interface takes it."""
    if not isinstance(given, str):
        return given
    try:
        return document.parse(given)
    except document.NoJson as e:
        why = json_faults.why(e, given)
        raise Declined("StepFunctions.InvalidExecutionInputException", f"Invalid execution input: {why}") from None


def _text(given: dict[str, Any], field: str) -> str | None:
    value = given.get(field)
    if value == "":
        raise runtime(f'The field {field} must be a string with at least one character, it is ""')
    return value


# --- what came of it


@dataclass(frozen=True, slots=True)
class Child:
    """An execution that was started. id: what ExecutionArn shows; name: None for the id; start_ms: wall clock."""

    id: str
    application: str
    workflow: str
    name: str | None
    input: Any
    start_ms: int


def started(child: Child) -> dict[str, Any]:
    """Of one that is not waited for."""
    return {"ExecutionArn": child.id, "StartDate": child.start_ms}


def succeeded(mode: Mode, child: Child, output: Any, stop_ms: int) -> Any:
    """What a task results in that waited for it."""
    if mode is Mode.WORKFLOW:
        return output
    more = {
        "Output": _value(mode, output),
        "OutputDetails": {"Included": True},
        "RedriveStatus": "NOT_REDRIVABLE",
        "RedriveStatusReason": NOT_REDRIVABLE,
    }
    return _description(mode, child, "SUCCEEDED", stop_ms, more)


def failed(mode: Mode, child: Child, status: str, error: str | None, cause: str | None, stop_ms: int) -> str:
    """The cause of the States.TaskFailed of a task that waited for it. status: as AWS names it; a time-out alone says why."""
    # Each level of nesting escapes the cause of the one below, so that it may double.
    clipped = None if cause is None else cause[: limits.CAUSE_CHARS]
    told = {} if status == "TIMED_OUT" else {"Cause": clipped, "Error": error}
    more = {name: value for name, value in told.items() if value is not None} | {"RedriveStatus": "REDRIVABLE"}
    return document.write(_description(mode, child, status, stop_ms, more))


def _description(mode: Mode, child: Child, status: str, stop_ms: int, more: dict[str, Any]) -> dict[str, Any]:
    described = more | {
        "ExecutionArn": child.id,
        "Input": _value(mode, child.input),
        "InputDetails": {"Included": True},
        "Name": child.id if child.name is None else child.name,
        "RedriveCount": 0,
        "StartDate": child.start_ms,
        "StateMachineArn": f"{child.application}/{child.workflow}",
        "Status": status,
        "StopDate": stop_ms,
    }
    return dict(sorted(described.items()))


def _value(mode: Mode, value: Any) -> Any:
    return value if mode is Mode.SYNC_JSON else document.write(value)


def sent(message_id: str, body: Any) -> dict[str, Any]:
    """Of a message. The digest of a body that is a string is that of its characters. body: bytes where it is no JSON."""
    if not isinstance(body, bytes):
        body = (body if isinstance(body, str) else document.write(body)).encode("utf-8", "replace")
    digest = hashlib.md5(body, usedforsecurity=False).hexdigest()
    return {"MD5OfMessageBody": digest, "MessageId": message_id}
