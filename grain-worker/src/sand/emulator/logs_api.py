"""`…/logs`: what was written, in an application, an execution or a cloud process."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from typing import Any

from sand.emulator import ids, problems
from sand.emulator.applications import Application, Applications
from sand.emulator.http import Request, Response, answer_events, answer_json
from sand.emulator.lines import LEVELS, STREAMS, Which
from sand.emulator.processes_api import id_of, known
from sand.emulator.router import Router

MOST_LINES = 10_000
MOST_TEXT = 256
ALIVE_SECONDS = 5.0
# Lines come in behind the end of their invocation.
LATE_SECONDS = 0.5
_NUMBER = re.compile(r"[+-]?[0-9]{1,18}")


class LogsApi:
    def __init__(self, applications: Applications) -> None:
        self._applications = applications

    def add_to(self, router: Router) -> None:
        at = "/api/v1/applications/{app}"
        router.add("GET", at + "/logs", self._of_application).add("GET", at + "/invocations/{id}/logs", self._of_one)
        router.add("GET", at + "/processes/{id}/logs", self._of_process)

    def _application(self, request: Request) -> Application:
        return self._applications.get(request.parameters["app"])

    def _of_application(self, request: Request) -> Response:
        return _answer(request, self._application(request), _which(request), lambda: False)

    def _of_one(self, request: Request) -> Response:
        application = self._application(request)
        execution = application.execution(request.parameters["id"])
        return _answer(request, application, _which(request)._replace(execution_id=execution.id), execution.ended.is_set)

    def _of_process(self, request: Request) -> Response:
        application = self._application(request)
        process = known(lambda: application.processes.find(id_of(request)))
        return _answer(request, application, _which(request)._replace(process=process.id), lambda: False)


def _which(request: Request) -> Which:
    execution_id, text, level = request.query("invocation"), request.query("text"), request.query("level")
    if execution_id is not None and not ids.VALID.fullmatch(execution_id):
        raise problems.bad_request(f"'{execution_id}' is no execution's id.")
    if text is not None and not 1 <= len(text) <= MOST_TEXT:
        raise problems.bad_request(f"Query parameter 'text' has 1 to {MOST_TEXT} characters.")
    if level not in (None, *LEVELS):
        raise problems.bad_request(f"Query parameter 'level' is one of {', '.join(LEVELS)}, not '{level}'.")
    streams = request.query("stream")
    if streams is not None and not set(streams.split(",")) <= set(STREAMS):
        detail = f"'stream' is stdout, stderr and platform, or some of these with commas between, not '{streams}'."
        raise problems.bad_request(f"Query parameter {detail}")
    only = frozenset(streams.split(",")) if streams is not None else None
    return Which(execution_id, request.query("grain"), None, text, level, only)


def _sequence(text: str | None) -> int | None:
    if text is not None and not _NUMBER.fullmatch(text):
        raise problems.bad_request(f"'{text}' is no number of a line.")
    return None if text is None else int(text)


def _answer(request: Request, application: Application, which: Which, over: Callable[[], bool]) -> Response:
    limit = request.number("limit", 1000, 1, MOST_LINES)
    after = _sequence(request.header("Last-Event-ID") or request.query("after"))
    before = _sequence(request.query("before"))
    follows = request.flag("follow", is_placed=False)
    if before is not None and (after is not None or follows):
        raise problems.bad_request("Lines are asked for before one, or after one and followed; not both.")
    next: int | None
    if after is not None:
        lines, _ = application.lines.after(application.name, which, after, limit)
        next = lines[-1]["sequence"] if lines else None
        previous = after + 1 if after > 0 else None
    else:
        newest, _ = application.lines.before(application.name, Which(), before, 1)
        lines, more = application.lines.before(application.name, which, before, limit)
        next = max((line["sequence"] for line in [*newest, *lines]), default=None)
        previous = lines[0]["sequence"] if more else None
    if not follows:
        return answer_json(200, {"lines": lines, "next": next, "previous": previous})
    return answer_events(request, _follow(application, which, lines, next or after or 0, over))


def _follow(
    application: Application, which: Which, lines: list[Any], after: int, over: Callable[[], bool]
) -> Iterator[tuple[str, str | None, Any]]:
    quiet_since = time.monotonic()
    yield "", None, None
    while True:
        for line in lines:
            after = max(after, line["sequence"])
            yield "line", str(line["sequence"]), line
        quiet = time.monotonic() - quiet_since
        if lines:
            quiet_since = time.monotonic()
        elif quiet > LATE_SECONDS and over():
            return
        elif quiet > ALIVE_SECONDS:
            quiet_since = time.monotonic()
            yield "", None, None
        with application.lines.changed:
            application.lines.changed.wait(0.1)
        lines, _ = application.lines.after(application.name, which, after, MOST_LINES)
