"""`/api/v1/task-tokens`: whoever was given the token of a workflow's task reports on it, as the frontend's TaskTokensApi."""

from __future__ import annotations

from typing import Any

from sand.asl import document as documents
from sand.asl import limits
from sand.asl.tokens import MOST_CHARACTERS, Place
from sand.emulator import bodies, problems
from sand.emulator.applications import Applications
from sand.emulator.executions import Callback
from sand.emulator.http import Request, Response, answer_json
from sand.emulator.problems import Problem
from sand.emulator.router import Router

ROOT = "/api/v1/task-tokens"
CALLBACK_BYTES = 256 << 10


class TaskTokensApi:
    def __init__(self, applications: Applications) -> None:
        self._applications = applications

    def add_to(self, router: Router) -> None:
        router.add("POST", f"{ROOT}/success", self._success)
        router.add("POST", f"{ROOT}/failure", self._failure)
        router.add("POST", f"{ROOT}/heartbeat", self._heartbeat)

    def _success(self, request: Request) -> Response:
        body = _body(request, "token", "output")
        if "output" not in body:
            raise problems.bad_request('"output" is the task\'s result, any JSON value; it is missing.')
        output = body["output"]
        size = len(documents.write(output).encode("utf-8", "replace"))
        if size > CALLBACK_BYTES:
            raise problems.too_large("The output", CALLBACK_BYTES, size)
        return self._report(body, lambda live, step: live.succeed(step, output))

    def _failure(self, request: Request) -> Response:
        body = _body(request, "token", "error", "cause")
        error = _text(body, "error", limits.ERROR_CHARS) if body.get("error") is not None else None
        cause = _text(body, "cause", limits.CAUSE_CHARS) if body.get("cause") is not None else None
        return self._report(body, lambda live, step: live.fail(step, error, cause))

    def _heartbeat(self, request: Request) -> Response:
        return self._report(_body(request, "token"), lambda live, step: live.beat(step))

    def _report(self, body: dict[str, Any], report: Callback) -> Response:
        place = self._applications.tokens.read(_text(body, "token", MOST_CHARACTERS))
        if place is None:
            detail = "This is no token that the platform has made: give $$.Task.Token as the task's input had it."
            raise Problem(400, "unknown-token", "Not a task token", detail)
        if not self._applications.call_back(place, report):
            raise _not_awaited(place)
        return answer_json(200, {"executionId": place.execution_id, "status": "TAKEN"})


def _not_awaited(place: Place) -> Problem:
    detail = (
        f"Execution {place.execution_id} does not wait for this token (any more): the task was reported on before, timed out "
        "or was given up, or the execution has ended."
    )
    return Problem(409, "token-not-awaited", "Nobody waits for this token", detail, executionId=place.execution_id)


def _body(request: Request, *known: str) -> dict[str, Any]:
    expected = 'The body is a JSON object with a "token".'
    body = bodies.json_object(request.body, 2 * CALLBACK_BYTES, expected, pointer=None)
    if body is None:
        raise problems.bad_request(expected)
    for name in body:
        if name not in known:
            fields = ", ".join(f'"{field}"' for field in known)
            raise problems.bad_request(f'"{name}" says nothing here: the report has {fields}.')
    return body


def _text(body: dict[str, Any], field: str, most: int) -> str:
    value = body.get(field)
    if not isinstance(value, str) or len(value) > most:
        raise problems.bad_request(f'"{field}" is a string of at most {most} characters.')
    return value
