"""`…/invocations/{id}/redrive`, as the frontend's Redrives has it."""

from __future__ import annotations

from sand.emulator import bodies, problems
from sand.emulator.applications import Application
from sand.emulator.executions import Execution
from sand.emulator.http import Request, Response, answer_json
from sand.emulator.invoke import deadline_ms
from sand.emulator.problems import Problem

MOST = 1000
MOST_BYTES = 1024


def answer(request: Request, application: Application, execution: Execution) -> Response:
    body, count = _body(request), execution.redrives
    wanted, version = body.get("redriveCount"), body.get("version", execution.version)
    timeout_ms = deadline_ms(request.query("timeout"), True)
    if not wanted or wanted != count:
        count += 1
        if wanted and wanted != count:
            raise _refused(execution, f"it was redriven {execution.redrives} times, so redrive {wanted} cannot be next")
        if execution.status in ("RUNNING", "SUCCEEDED"):
            raise _refused(execution, f"its status is {execution.status}")
        if execution.target not in execution.manifest.workflows or execution.version not in application.versions:
            raise _refused(execution, f"'{execution.target}' is no workflow, or its version is kept no more")
        if version != execution.version:
            raise _refused(execution, f"the emulator redrives with version {execution.version} alone, not {version}")
        if count > MOST:
            raise _refused(execution, f"it was redriven {MOST} times, which is the limit")
        if not application.redrive(execution, timeout_ms):
            raise _refused(execution, f"its status is {execution.status}")
    location = f"/api/v1/applications/{application.name}/invocations/{execution.id}"
    shown = {"executionId": execution.id, "status": execution.status, "redriveCount": count, "location": location}
    return answer_json(202, shown)


def _body(request: Request) -> dict[str, int]:
    expected = 'The body is a JSON object with a "redriveCount" or a "version", numbers from 1 on, or there is none.'
    body = bodies.json_object(request.body, MOST_BYTES, expected) or {}
    if not body.keys() <= {"redriveCount", "version"} or any(type(number) is not int or number < 1 for number in body.values()):
        raise problems.bad_request(expected)
    return body


def _refused(execution: Execution, why: str) -> Problem:
    more = {"executionId": execution.id, "invocationStatus": execution.status, "redriveCount": execution.redrives}
    detail = f"Execution {execution.id} cannot be redriven: {why}."
    return Problem(409, "not-redrivable", "The invocation cannot be redriven", detail, **more)
