"""`…/grains/{grain}/events`: what a grain is tested with, as the frontend's SavedEventsApi has it; kept in memory."""

from __future__ import annotations

import re
from pathlib import Path

from sand.emulator import bodies, problems
from sand.emulator.applications import Application, Applications, Version
from sand.emulator.http import Request, Response, answer_json
from sand.emulator.problems import Problem
from sand.emulator.router import Router
from sand.errors import Conflict
from sand.values import JSON

MOST, BYTES = 1000, 256 << 10
GRAIN = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,62}")
NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}")
_TAG = re.compile(r'"([0-9]{1,19})"')


def path_of(grain: str, name: str) -> str:
    """Of the file that an event is in an application's folder."""
    return f"tests/events/{grain}/{name}.json"


def names_in(folder: Path, grain: str) -> list[str]:
    """Of the events that are files in an application's folder."""
    found = [file.stem for file in folder.joinpath("tests", "events", grain).glob("*.json") if file.is_file()]
    return sorted(name for name in found if NAME.fullmatch(name))


class SavedEventsApi:
    def __init__(self, applications: Applications) -> None:
        self._applications = applications

    def add_to(self, router: Router) -> None:
        at = "/api/v1/applications/{app}/grains/{grain}/events"
        one = at + "/{event}"
        router.add("GET", at, self._list).add("GET", one, self._get)
        router.add("PUT", one, self._save).add("DELETE", one, self._delete)

    def _list(self, request: Request) -> Response:
        application, version, grain = self._grain(request)
        prefix = f"{grain}/"
        kept = [key.removeprefix(prefix) for key in application.events.keys(prefix)]
        filed = names_in(version.manifest.folder, grain)
        if not kept and not filed and grain not in version.manifest.grains:
            raise _unknown_grain(application, version, grain)
        events = [
            {"name": name, "saved": name in kept, "file": path_of(grain, name) if name in filed else None}
            for name in sorted({*kept, *filed})
        ]
        return answer_json(200, {"version": version.number, "events": events})

    def _get(self, request: Request) -> Response:
        application, version, grain = self._grain(request)
        name = _name(request)
        if found := application.events.get(f"{grain}/{name}"):
            return Response(200, found.value, JSON, [("ETag", f'"{found.version}"')])
        if name not in names_in(version.manifest.folder, grain):
            raise _unknown(application, grain, name)
        file = version.manifest.folder / path_of(grain, name)
        if file.stat().st_size > BYTES:
            what = f"File {path_of(grain, name)} of version {version.number}"
            raise problems.too_large(what, BYTES, file.stat().st_size)
        return Response(200, file.read_bytes(), JSON)

    def _save(self, request: Request) -> Response:
        application, version, grain = self._grain(request)
        key, expected = f"{grain}/{_name(request)}", _expected(request)
        if len(request.body) > BYTES:
            raise problems.too_large("An event", BYTES, len(request.body))
        if fault := bodies.fault(request.body):
            raise fault
        if grain not in version.manifest.grains:
            raise _unknown_grain(application, version, grain)
        with application.lock:
            if not application.events.get(key) and len(application.events.keys()) >= MOST:
                detail = (
                    f"Application '{application.name}' has {MOST} saved events, and may have no more: delete some, or have"
                    " them as files in tests/events."
                )
                raise Problem(409, "too-many-events", "Too many saved events", detail, limit=MOST, actual=MOST + 1)
            try:
                made = application.events.put(key, request.body, expected)
            except Conflict:
                raise _overtaken(application, key) from None
        return answer_json(200, {"version": made}, [("ETag", f'"{made}"')])

    def _delete(self, request: Request) -> Response:
        application, version, grain = self._grain(request)
        name = _name(request)
        key, expected = f"{grain}/{name}", _expected(request)
        with application.lock:
            try:
                if application.events.delete(key, expected):
                    return Response(204)
            except Conflict:
                raise _overtaken(application, key) from None
        if name in names_in(version.manifest.folder, grain):
            where = f"the file {path_of(grain, name)} of version {version.number}"
            detail = f"Event '{name}' is {where}: deploy the application without it."
            raise Problem(409, "event-is-a-file", "It is a file of the application", detail)
        raise _unknown(application, grain, name)

    def _grain(self, request: Request) -> tuple[Application, Version, str]:
        application, grain = self._applications.get(request.parameters["app"]), request.parameters["grain"]
        if not GRAIN.fullmatch(grain):
            raise problems.bad_request(f"A grain's name is {GRAIN.pattern}.")
        return application, application.version(request.query("version")), grain


def _name(request: Request) -> str:
    name = request.parameters["event"]
    if not NAME.fullmatch(name):
        raise problems.bad_request(f"An event's name is {NAME.pattern}.")
    return name


def _expected(request: Request) -> int | None:
    match, none = request.header("If-Match"), request.header("If-None-Match")
    if match is None and none is None:
        return None
    if match is None and none is not None and none.strip() == "*":
        return 0
    tag = _TAG.fullmatch((match or "").strip())
    if none is not None or tag is None:
        raise problems.bad_request('If-Match takes the ETag of the value, as in "7"; If-None-Match takes *.')
    return int(tag.group(1))


def _overtaken(application: Application, key: str) -> Problem:
    actual = application.events.version(key)
    detail = (
        f"The event was saved by somebody else: it has version {actual} by now."
        if actual
        else "There is no saved event of this name."
    )
    return Problem(412, "version-conflict", "Somebody else was first", detail, actual=actual)


def _unknown_grain(application: Application, version: Version, grain: str) -> Problem:
    detail = f"Version {version.number} of application '{application.name}' has no grain '{grain}'."
    return Problem(404, "unknown-target", "Unknown grain", detail)


def _unknown(application: Application, grain: str, name: str) -> Problem:
    detail = f"Grain '{grain}' of application '{application.name}' has no event '{name}', neither saved nor as a file."
    return Problem(404, "unknown-event", "Unknown event", detail)
