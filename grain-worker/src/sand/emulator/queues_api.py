"""`…/queues` and `…/triggers`: sending, dead letters, arming, as the frontend's QueuesApi and TriggersApi have them."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from sand.emulator import bodies, problems
from sand.emulator.applications import Application, Applications
from sand.emulator.executions import NULL
from sand.emulator.http import Request, Response, answer_json
from sand.emulator.manifest import Manifest
from sand.emulator.problems import Problem
from sand.emulator.queue_run import Message
from sand.emulator.router import Router
from sand.emulator.trigger_events import DeadLetter, group_refusal, shown
from sand.emulator.trigger_specs import MESSAGE_BYTES, QueueSpec, TriggerSpec
from sand.emulator.triggers import QueueFull
from sand.messages import Payload

AT_ONCE = 1000
SHOWN_BYTES = 16 << 10
_KEY = re.compile(r"[A-Za-z0-9._~-]{1,128}")


class QueuesApi:
    def __init__(self, applications: Applications) -> None:
        self._applications = applications

    def add_to(self, router: Router) -> None:
        at = "/api/v1/applications/{app}"
        queue = at + "/queues/{queue}"
        router.add("GET", at + "/queues", self._list).add("POST", queue, self._send)
        router.add("GET", queue + "/messages", self._peek)
        router.add("GET", queue + "/dead-letters", self._letters).add("DELETE", queue + "/dead-letters", self._drop_all)
        router.add("POST", queue + "/dead-letters/replay", self._replay_all)
        router.add("DELETE", queue + "/dead-letters/{message}", self._drop)
        router.add("POST", queue + "/dead-letters/{message}/replay", self._replay)
        router.add("GET", at + "/triggers", self._list_triggers)
        router.add("POST", at + "/triggers/{trigger}/arm", lambda request: self._arm(request, True))
        router.add("POST", at + "/triggers/{trigger}/disarm", lambda request: self._arm(request, False))

    def _live(self, request: Request) -> tuple[Application, Manifest, int]:
        application = self._applications.get(request.parameters["app"])
        version = application.version("live")
        return application, version.manifest, version.number

    def _queue(self, request: Request) -> tuple[Application, Manifest, QueueSpec]:
        application, live, number = self._live(request)
        name = request.parameters["queue"]
        if name not in live.all_queues():
            detail = f"Version {number} of application '{application.name}' has no queue or trigger '{name}'."
            raise Problem(404, "unknown-queue", "Unknown queue", detail)
        return application, live, live.all_queues()[name]

    def _list(self, request: Request) -> Response:
        application, live, _ = self._live(request)
        found = [
            spec.document()
            | {
                "trigger": name in live.triggers,
                **application.triggers.level(name),
                "deadLetters": min(len(application.triggers.letters(name)), AT_ONCE),
            }
            for name, spec in live.all_queues().items()
        ]
        # There is no global bus here, and so no other topic on it.
        return answer_json(200, {"queues": found} | ({"topics": []} if request.flag("topics") else {}))

    def _send(self, request: Request) -> Response:
        application, live, spec = self._queue(request)
        if spec.name in live.triggers:
            detail = f"Queue '{spec.name}' is that of a trigger, which alone sends to it."
            raise Problem(409, "conflict", "Conflict", detail)
        group = request.query("group")
        if refusal := group_refusal(group):
            raise problems.bad_request(refusal[0].upper() + refusal[1:] + ".")
        if len(request.body) > MESSAGE_BYTES:
            raise problems.too_large("The message", MESSAGE_BYTES, len(request.body))
        kind = bodies.kind(request.header("Content-Type"), request.body)
        if fault := bodies.check(kind, request.body):
            raise fault
        key = request.header("Idempotency-Key")
        if key is not None and not _KEY.fullmatch(key):
            raise problems.bad_request(f"An Idempotency-Key of a message is {_KEY.pattern}.")
        payload = Payload(kind, request.body) if request.body else NULL
        id = _unless_full(spec, lambda: application.triggers.send(spec, group, payload, key))
        return answer_json(202, {"id": id, "queue": spec.name, "group": group})

    def _peek(self, request: Request) -> Response:
        application, _, spec = self._queue(request)
        limit = request.number("limit", 20, 1, 100, is_placed=False)
        found = application.triggers.messages(spec.name)
        return answer_json(200, {"messages": [_waiting(*one) for one in found[:limit]], "more": len(found) > limit})

    # --- dead letters

    def _letters(self, request: Request) -> Response:
        application, _, spec = self._queue(request)
        limit, after = request.number("limit", 100, 1, AT_ONCE), request.query("after")
        all_ = application.triggers.letters(spec.name)
        found = [letter for letter in all_ if after is None or letter.message.id > after][:limit]
        more = found[-1].message.id if len(found) == limit else None
        return answer_json(200, {"deadLetters": [_letter(letter) for letter in found], "next": more})

    def _one(self, request: Request) -> tuple[Application, QueueSpec, DeadLetter]:
        application, _, spec = self._queue(request)
        id = request.parameters["message"]
        for letter in application.triggers.letters(spec.name):
            if letter.message.id == id:
                return application, spec, letter
        detail = f"Queue '{spec.name}' has no dead letter {id}, or has it no more."
        raise Problem(404, "unknown-dead-letter", "Unknown dead letter", detail)

    def _drop(self, request: Request) -> Response:
        application, _, letter = self._one(request)
        application.triggers.forget(letter)
        return Response(204)

    def _drop_all(self, request: Request) -> Response:
        application, _, spec = self._queue(request)
        letters = application.triggers.letters(spec.name)[:AT_ONCE]
        return answer_json(200, {"dropped": sum(application.triggers.forget(letter) for letter in letters)})

    def _replay(self, request: Request) -> Response:
        application, spec, letter = self._one(request)
        _unless_full(spec, lambda: application.triggers.replay(spec, letter))
        return answer_json(202, {"replayed": 1})

    def _replay_all(self, request: Request) -> Response:
        application, _, spec = self._queue(request)
        letters = application.triggers.letters(spec.name)[:AT_ONCE]
        for letter in letters:
            _unless_full(spec, lambda letter=letter: application.triggers.replay(spec, letter))
        return answer_json(202, {"replayed": len(letters)})

    # --- triggers

    def _list_triggers(self, request: Request) -> Response:
        application, live, _ = self._live(request)
        return answer_json(200, {"triggers": [_trigger(application, one) for one in live.triggers.values()]})

    def _arm(self, request: Request, armed: bool) -> Response:
        application, live, number = self._live(request)
        trigger = live.triggers.get(request.parameters["trigger"])
        if trigger is None:
            detail = f"Version {number} of application '{application.name}' has no trigger '{request.parameters['trigger']}'."
            raise Problem(404, "unknown-trigger", "Unknown trigger", detail)
        application.triggers.arm(trigger, armed)
        return answer_json(200, _trigger(application, trigger))


def _unless_full(spec: QueueSpec, send: Callable[[], Any]) -> Any:
    try:
        return send()
    except QueueFull as full:
        raise Problem(429, "queue-full", "The queue is full", str(full), "platform", True, limit=spec.depth) from None


def _waiting(message: Message, failed: int) -> dict[str, Any]:
    size = len(message.payload.bytes or b"")
    return {
        "id": message.id, "group": message.group, "enqueuedMs": message.enqueued_ms, "attempts": failed, "bytes": size,
        "contentType": message.payload.content_type, **(shown(message.payload) if size <= SHOWN_BYTES else {}),
    }  # fmt: skip


def _letter(letter: DeadLetter) -> dict[str, Any]:
    message = letter.message
    return {
        "id": message.id, "group": message.group, "enqueuedMs": message.enqueued_ms, "diedMs": letter.died_ms,
        "attempts": letter.attempts, "executionId": letter.execution_id, "contentType": message.payload.content_type,
        "failure": letter.failure.document(), **shown(message.payload),
    }  # fmt: skip


def _trigger(application: Application, trigger: TriggerSpec) -> dict[str, Any]:
    state = application.triggers.armed(trigger)
    found: dict[str, Any] = {"name": trigger.name, "target": trigger.queue.target, "armed": state.armed}
    if trigger.schedule is None:
        operations = [operation.upper() for operation in trigger.operations]
        return found | {"data": {"prefix": trigger.prefix, "operations": operations}}
    found["schedule"] = trigger.schedule.text()
    if state.fired_ms:
        found["firedMs"] = state.fired_ms
    due = trigger.schedule.next(state.since_ms, application.triggers.now_ms()) if state.armed else None
    return found if due is None else found | {"nextMs": due}
