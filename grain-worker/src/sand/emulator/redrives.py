"""`…/invocations/{id}/redrive`, as the frontend's Redrives has it."""

from __future__ import annotations

import json
from typing import Any

from sand.emulator import bodies, problems
from sand.emulator.applications import Application, Version
from sand.emulator.executions import Execution
from sand.emulator.http import Request, Response, answer_json
from sand.emulator.invoke import deadline_ms
from sand.emulator.problems import Problem

MOST = 1000
MOST_BYTES = 1024


def answer(request: Request, application: Application, execution: Execution) -> Response:
    body, count = _body(request), execution.redrives
    wanted = body.get("redriveCount")
    timeout_ms = deadline_ms(request.query("timeout"), True)
    if not wanted or wanted != count:
        count += 1
        if wanted and wanted != count:
            raise _refused(execution, f"it was redriven {execution.redrives} times, so redrive {wanted} cannot be next")
        if execution.status in ("RUNNING", "SUCCEEDED"):
            raise _refused(execution, f"its status is {execution.status}")
        version = _version(application, execution, body.get("version"))
        if count > MOST:
            raise _refused(execution, f"it was redriven {MOST} times, which is the limit")
        from_ = body.get("from")
        if from_ is not None:
            _require_entered(execution, from_)
        if not application.redrive(execution, version, timeout_ms, from_):
            raise _refused(execution, f"its status is {execution.status}")
    location = f"/api/v1/applications/{application.name}/invocations/{execution.id}"
    shown = {"executionId": execution.id, "status": execution.status, "redriveCount": count, "location": location}
    return answer_json(202, shown)


def _version(application: Application, execution: Execution, number: int | None) -> Version:
    """The one that is named, else the one it began with, else what has come in its place. :raises Problem: none will do"""
    if execution.target not in execution.manifest.workflows:
        raise _refused(execution, f"'{execution.target}' is no workflow")
    if number is None:
        found = application.versions.get(execution.version) or application.successor(execution)
    else:
        found = application.versions.get(number)
    if found is None:
        raise _refused(execution, f"version {number or execution.version} is kept no more")
    workflow = found.manifest.workflows.get(execution.target)
    if workflow is None or workflow.definition != execution.manifest.workflows[execution.target].definition:
        raise _refused(execution, f"the definition of '{execution.target}' is another one in version {found.number}")
    return found


def _require_entered(execution: Execution, state: str) -> None:
    engine = execution.engine
    if engine is None or engine.place(state) is None:
        definition = json.loads(execution.manifest.workflows[execution.target].definition)
        why = f"it has not entered the state '{state}'"
        if state not in definition["States"]:
            where = "outside the branches of a Parallel and the iterations of a Map, which are run again as a whole"
            why = f"the workflow has no state '{state}', or not {where}"
        raise _refused(execution, why, entered=[] if engine is None else engine.entered())


def _body(request: Request) -> dict[str, Any]:
    expected = (
        'The body is a JSON object with a "redriveCount" or a "version", numbers from 1 on, or with a "from", the name of a'
        " state, or there is none."
    )
    body = bodies.json_object(request.body, MOST_BYTES, expected) or {}
    numbers = [value for name, value in body.items() if name != "from"]
    is_named = isinstance(body.get("from", "any"), str) and body.get("from", "any")
    is_known = body.keys() <= {"redriveCount", "version", "from"}
    if not is_known or not is_named or any(type(number) is not int or number < 1 for number in numbers):
        raise problems.bad_request(expected)
    return body


def _refused(execution: Execution, why: str, **shown: Any) -> Problem:
    more = {"executionId": execution.id, "invocationStatus": execution.status, "redriveCount": execution.redrives}
    detail = f"Execution {execution.id} cannot be redriven: {why}."
    return Problem(409, "not-redrivable", "The invocation cannot be redriven", detail, **more, **shown)
