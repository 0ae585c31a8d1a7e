"""`…/invocations/{id}/redrive`, as the frontend's Redrives has it."""

from __future__ import annotations

import json
from typing import Any

from sand.asl.diagnostics import child
from sand.emulator import bodies, problems
from sand.emulator.applications import Application, Version
from sand.emulator.executions import Execution
from sand.emulator.http import Request, Response, answer_json
from sand.emulator.invoke import deadline_ms
from sand.emulator.problems import Problem

MOST = 1000
MOST_BYTES = 1024


def answer(request: Request, body: dict[str, Any], application: Application, execution: Execution) -> Response:
    """:param body: what is asked for, see `asked`"""
    count = execution.redrives
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
    if found is None and number in (None, execution.version):
        raise _refused(execution, f"version {execution.version} is kept no more")
    workflow = None if found is None else found.manifest.workflows.get(execution.target)
    if workflow is None or workflow.definition != execution.manifest.workflows[execution.target].definition:
        version = number if found is None else found.number
        raise _refused(execution, f"version {version} does not have the same definition of '{execution.target}'")
    assert found is not None
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


def asked(request: Request) -> dict[str, Any]:
    """:raises Problem: 400"""
    expected = (
        'The body is a JSON object with a "redriveCount" or a "version", numbers from 1 on, or with a "from", the name of a'
        " state, or there is none."
    )
    body = bodies.json_object(request.body, MOST_BYTES, expected) or {}
    for name, value in body.items():
        is_state = name == "from" and isinstance(value, str) and value
        is_number = name in ("redriveCount", "version") and type(value) is int and value >= 1
        if not is_state and not is_number:
            raise problems.bad_request(expected, pointer=child("/body", name))
    return body


def _refused(execution: Execution, why: str, **shown: Any) -> Problem:
    more = {"executionId": execution.id, "invocationStatus": execution.status, "redriveCount": execution.redrives}
    detail = f"Execution {execution.id} cannot be redriven: {why}."
    return Problem(409, "not-redrivable", "The invocation cannot be redriven", detail, **more, **shown)
