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
    wanted, count = _wanted(request), execution.redrives
    timeout_ms = deadline_ms(request.query("timeout"), True)
    if not wanted or wanted != count:
        count += 1
        if wanted and wanted != count:
            raise _refused(execution, f"it was redriven {execution.redrives} times, so redrive {wanted} cannot be next")
        if execution.status in ("RUNNING", "SUCCEEDED"):
            raise _refused(execution, f"its status is {execution.status}")
        if execution.target not in execution.manifest.workflows or execution.version not in application.versions:
            raise _refused(execution, f"'{execution.target}' is no workflow, or its version is kept no more")
        if count > MOST:
            raise _refused(execution, f"it was redriven {MOST} times, which is the limit")
        if not application.redrive(execution, timeout_ms):
            raise _refused(execution, f"its status is {execution.status}")
    location = f"/api/v1/applications/{application.name}/invocations/{execution.id}"
    shown = {"executionId": execution.id, "status": execution.status, "redriveCount": count, "location": location}
    return answer_json(202, shown)


def _wanted(request: Request) -> int:
    """Which redrive it is to be; 0: that is not said."""
    expected = 'The body is a JSON object with a "redriveCount", a number from 1 on, or there is none.'
    body = bodies.json_object(request.body, MOST_BYTES, expected)
    if body is None:
        return 0
    count = body.get("redriveCount", 0) if body.keys() <= {"redriveCount"} else None
    if type(count) is not int or count < ("redriveCount" in body):
        raise problems.bad_request(expected)
    return count


def _refused(execution: Execution, why: str) -> Problem:
    more = {"executionId": execution.id, "invocationStatus": execution.status, "redriveCount": execution.redrives}
    detail = f"Execution {execution.id} cannot be redriven: {why}."
    return Problem(409, "not-redrivable", "The invocation cannot be redriven", detail, **more)
