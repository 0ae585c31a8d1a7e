"""What the targets of queues and triggers get, as the host agent's Deliveries make it; and dead letters."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass
from typing import Any

from sand.asl import timestamps
from sand.emulator.problems import Failure
from sand.emulator.queue_run import Batch, Message
from sand.emulator.trigger_specs import GROUP_CHARS, TriggerSpec
from sand.messages import Payload
from sand.values import JSON, to_json


@dataclass(frozen=True)
class DeadLetter:
    message: Message
    queue: str
    died_ms: int
    attempts: int
    failure: Failure
    execution_id: str | None


def group_refusal(group: str | None) -> str | None:
    """Why a group cannot have that name; None: it can."""
    if group is None or 1 <= len(group) <= GROUP_CHARS:
        return None
    return f"a group's name has 1 to {GROUP_CHARS} characters, not {len(group)}"


def batch_event(batch: Batch) -> Payload:
    """The event of a queue with batches."""
    parts = []
    for message in batch.messages:
        head = {"id": message.id, "group": message.group, "enqueuedMs": message.enqueued_ms}
        parts.append(_with_payload(head, message.payload))
    return Payload(JSON, b"[" + b",".join(parts) + b"]")


def _with_payload(head: dict[str, Any], payload: Payload) -> bytes:
    """An object with a payload behind its other members: JSON as it was written, with every digit of its numbers."""
    if payload.content_type.startswith(JSON):
        return to_json(head)[:-1] + b',"payload":' + (payload.bytes or b"null") + b"}"
    return to_json({**head, **shown(payload)})


def shown(payload: Payload) -> dict[str, Any]:
    """As the list of dead letters has it."""
    if payload.content_type.startswith(JSON):
        return {"payload": json.loads(payload.bytes or b"null")}
    content = base64.b64encode(payload.bytes or b"").decode()
    return {"contentType": payload.content_type, "payload": content, "isBase64Encoded": True}


def letter_event(letter: DeadLetter) -> Payload:
    """What the handler of a dead letter gets."""
    message, failure = letter.message, letter.failure
    told = {
        "queue": letter.queue, "id": message.id, "group": message.group, "enqueuedMs": message.enqueued_ms,
        "attempts": letter.attempts, "executionId": letter.execution_id,
        "failure": {"error": failure.error, "cause": failure.cause, "source": failure.source},
    }  # fmt: skip
    return Payload(JSON, _with_payload(told, message.payload))


def fire_event(trigger: TriggerSpec, time_ms: int) -> Payload:
    """Of a schedule, for a time."""
    event: dict[str, Any] = {"trigger": trigger.name, "scheduled": timestamps.text(time_ms).replace(".000Z", "Z")}
    if trigger.input:
        event["input"] = trigger.input[0]
    return Payload(JSON, to_json(event))


def change_event(key: str, operation: str, version: int) -> Payload:
    """Of a change of shared data. :param version: 0: none that would be told"""
    return Payload(JSON, to_json({"key": key, "operation": operation} | ({"version": version} if version else {})))
