"""`…/processes/{id}/state` and `/mailbox`: what is in a cloud process, as the frontend tells it. A swapped one stays so."""

from __future__ import annotations

import re
from typing import Any

from sand.emulator import problems
from sand.emulator.applications import Applications
from sand.emulator.http import Request, Response, answer_json
from sand.emulator.problems import Problem
from sand.emulator.processes_api import id_of, known
from sand.emulator.processes_life import CloudProcess, Contents
from sand.emulator.router import Router
from sand.messages import Payload

VALUE_BYTES = 256 << 10
NAMES_BYTES = 256 << 10
KEY_BYTES = 1024
_ENTRY_BYTES = 100
_NUMBER = re.compile(r"[0-9]{1,18}")


class ProcessLooksApi:
    def __init__(self, applications: Applications) -> None:
        self._applications = applications

    def add_to(self, router: Router) -> None:
        one = "/api/v1/applications/{app}/processes/{id}"
        router.add("GET", one + "/state", self._state).add("GET", one + "/state/value", self._value)
        router.add("GET", one + "/mailbox", self._mailbox).add("GET", one + "/mailbox/{number}", self._message)

    def _look(self, request: Request) -> tuple[CloudProcess, Contents]:
        processes = self._applications.get(request.parameters["app"]).processes
        with processes.changed:
            process = known(lambda: processes.find(id_of(request)))
            return process, process.contents()

    def _state(self, request: Request) -> Response:
        process, there = self._look(request)
        after = None if request.query("after") is None else _key(request, "after").encode()
        entries = [
            {"key": key, "contentType": value.content_type, "bytes": len(value.bytes or b""), "inMemory": process.is_here}
            for key, value in sorted(there.state.items(), key=lambda one: one[0].encode())
            if after is None or key.encode() > after
        ]
        return _page(request, process, "state", entries, "key")

    def _mailbox(self, request: Request) -> Response:
        process, there = self._look(request)
        after = 0 if request.query("after") is None else _number(request.query("after") or "")
        entries = [
            {
                "number": one.order, "source": one.source, "key": one.key, "contentType": one.payload.content_type,
                "bytes": one.size, "received": received,
            }
            for one, received in there.messages
            if one.order > after
        ]  # fmt: skip
        return _page(request, process, "messages", entries, "number")

    def _value(self, request: Request) -> Response:
        key = _key(request, "key")
        process, there = self._look(request)
        if key not in there.state:
            raise _missing("unknown-key", process, "has no state under that key")
        return _whole(there.state[key])

    def _message(self, request: Request) -> Response:
        number = _number(request.parameters["number"])
        process, there = self._look(request)
        for message, _ in there.messages:
            if message.order == number:
                return _whole(message.payload)
        raise _missing("unknown-message", process, "has no unread message of that number (any more)")


def _page(request: Request, process: CloudProcess, name: str, entries: list[dict[str, Any]], by: str) -> Response:
    """As many as were asked for, but for long names, and one at least."""
    count = size = 0
    for entry in entries[: request.number("limit", 100, 1, 1000, is_placed=False)]:
        size += _ENTRY_BYTES + len((str(entry["key"]) + str(entry.get("source", ""))).encode())
        if count and size > NAMES_BYTES:
            break
        count += 1
    more = str(entries[count - 1][by]) if count < len(entries) else None
    return answer_json(200, {"process": process.id, "status": process.status, name: entries[:count], "next": more})


def _whole(payload: Payload) -> Response:
    content = payload.bytes or b""
    if len(content) > VALUE_BYTES:
        detail = f"The value has {len(content)} bytes, and {VALUE_BYTES} are the limit here; functions read it."
        raise Problem(413, "value-too-large", "Too large a value", detail, limit=VALUE_BYTES, actual=len(content))
    return Response(200, content, payload.content_type)


def _missing(type: str, process: CloudProcess, what: str) -> Problem:
    return Problem(404, type, "Nothing there", f"Process '{process.id}' {what}.")


def _key(request: Request, name: str) -> str:
    key = request.query(name) or ""
    if not 1 <= len(key.encode("utf-8", "replace")) <= KEY_BYTES:
        raise problems.bad_request(f"Query parameter '{name}' has 1 to {KEY_BYTES} bytes in UTF-8.")
    return key


def _number(text: str) -> int:
    if not _NUMBER.fullmatch(text):
        raise problems.bad_request(f"A message is named by its number, not by '{text}'.")
    return int(text)
