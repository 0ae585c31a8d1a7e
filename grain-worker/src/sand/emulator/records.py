"""`…/invocations`: what happened to executions, while they run and after."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sand.emulator import histories, ids, problems, redrives, stop
from sand.emulator.applications import Application, Applications
from sand.emulator.executions import Execution
from sand.emulator.http import Request, Response, answer_events, answer_json, answer_problem
from sand.emulator.problems import Problem
from sand.emulator.processes_api import check_id
from sand.emulator.router import Router
from sand.emulator.saved_events import GRAIN
from sand.emulator.views import invocation, timed, timeline
from sand.values import INLINE_BYTES

STATUSES = ("RUNNING", "SUCCEEDED", "FAILED", "TIMED_OUT", "CANCELLED")
ALIVE_SECONDS = 5.0


class Records:
    def __init__(self, applications: Applications) -> None:
        self._applications = applications

    def add_to(self, router: Router) -> None:
        at = "/api/v1/applications/{app}"
        one = at + "/invocations/{id}"
        router.add("GET", at + "/invocations", self._list).add("GET", one, self._describe)
        router.add("GET", one + "/timeline", lambda request: answer_json(200, timeline(self._find(request))))
        router.add("GET", one + "/input", self._input).add("GET", one + "/output", self._output)
        router.add("POST", one + "/cancel", self._cancel)
        router.add("POST", one + "/redrive", self._redrive).add("GET", one + "/history", self._history)
        router.add("GET", one + "/events", lambda request: answer_events(request, _events(request, self._find(request))))

    def _application(self, request: Request) -> Application:
        return self._applications.get(request.parameters["app"])

    def _find(self, request: Request) -> Execution:
        return self._application(request).execution(request.parameters["id"])

    def _list(self, request: Request) -> Response:
        application = self._application(request)
        status, target, before = request.query("status"), request.query("target"), request.query("before")
        if status is not None and status not in STATUSES:
            raise problems.bad_request(f"'{status}' is no status of an invocation.", pointer="/query/status")
        if target is not None and not GRAIN.fullmatch(target):
            detail = f"Query parameter 'target' is a name, {GRAIN.pattern}, not '{target}'."
            raise problems.bad_request(detail, pointer="/query/target")
        if before is not None and not ids.VALID.fullmatch(before):
            detail = f"'{before}' is no execution's id: 'before' takes the 'next' of an earlier answer."
            raise problems.bad_request(detail, pointer="/query/before")
        process = request.query("process")
        if process is not None:
            check_id(process)
        limit = request.number("limit", 50, 1, 1000)
        with application.lock:
            newest = sorted(application.executions.values(), key=lambda execution: execution.id, reverse=True)
        found = [
            execution
            for execution in newest
            if status in (None, execution.status)
            and target in (None, execution.target)
            and process in (None, execution.residence and execution.residence.process.id)
            and (not before or execution.id < before)
        ]
        more = found[limit - 1].id if len(found) > limit else None
        return answer_json(200, {"invocations": [invocation(execution) for execution in found[:limit]], "next": more})

    def _describe(self, request: Request) -> Response:
        execution = self._find(request)
        return answer_json(200, invocation(execution) | {"hops": execution.hops()})

    def _input(self, request: Request) -> Response:
        execution = self._find(request)
        input = execution.input
        content = input.bytes or b""
        if len(content) > INLINE_BYTES:
            detail = (
                f"The input of execution {execution.id}, of {len(content)} bytes, is not kept: records have inputs of up to"
                f" {INLINE_BYTES} bytes."
            )
            raise Problem(410, "input-gone", "The input is not kept", detail, source="platform", executionId=execution.id)
        return Response(200, content, input.content_type, [("Sand-Execution-Id", execution.id)])

    def _output(self, request: Request) -> Response:
        execution = self._find(request)
        headers = [("Sand-Execution-Id", execution.id)]
        if execution.output is not None:
            return Response(200, execution.output.bytes or b"", execution.output.content_type, headers)
        if execution.failure is not None:
            return answer_problem(problems.of(execution.failure, execution.id, execution.status), request.path, headers)
        running = {"executionId": execution.id, "status": "RUNNING"}
        return answer_json(202, running, [*headers, ("Retry-After", "1")])

    def _cancel(self, request: Request) -> Response:
        error, cause = stop.asked(request, request.parameters["id"])
        execution = self._find(request)
        if not execution.cancel(cause, error):
            detail = f"Execution {execution.id} does not run: its status is {execution.status}."
            more = {"executionId": execution.id, "invocationStatus": execution.status}
            raise Problem(409, "not-running", "The invocation does not run", detail, **more)
        return answer_json(200, {"executionId": execution.id, "status": "CANCELLED"})

    def _redrive(self, request: Request) -> Response:
        asked = redrives.asked(request)
        return redrives.answer(request, asked, self._application(request), self._find(request))

    def _history(self, request: Request) -> Response:
        return histories.answer(request, self._find(request))


def _events(request: Request, execution: Execution) -> Iterator[tuple[str, str | None, Any]]:
    """`hop` for each attempt, and `end`. Goes on behind Last-Event-ID."""
    last = request.header("Last-Event-ID")
    yield "", None, None
    sent = 0
    names = [f"{attempt.event_id}@{attempt.number}" for attempt in execution.attempts]
    if last in names:
        sent = names.index(last) + 1
    while True:
        with execution.changed:
            if len(execution.attempts) == sent and not execution.ended.is_set():
                execution.changed.wait(ALIVE_SECONDS)
            ended, new = execution.ended.is_set(), execution.attempts[sent:]
        for attempt in new:
            sent += 1
            yield "hop", f"{attempt.event_id}@{attempt.number}", timed(attempt)
        if ended and not new:
            yield "end", "end", invocation(execution)
            return
        if not new:
            yield "", None, None
