"""`…/grains/{grain}/events` and `…/workflows/{workflow}/events`: what these are tested with, as the frontend's SavedEventsApi
has it; kept in memory."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from sand.emulator import bodies, entity_tags, problems
from sand.emulator.applications import Application, Applications, Version
from sand.emulator.http import Request, Response, answer_json
from sand.emulator.problems import Problem
from sand.emulator.router import Router
from sand.errors import Conflict
from sand.values import JSON

MOST, BYTES = 1000, 256 << 10
GRAIN = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,62}")
NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}")


def path_of(grain: str, name: str) -> str:
    """Of the file that an event is in an application's folder."""
    return f"tests/events/{grain}/{name}.json"


def names_in(folder: Path, grain: str) -> list[str]:
    """Of the events that are files in an application's folder."""
    found = [file.stem for file in folder.joinpath("tests", "events", grain).glob("*.json") if file.is_file()]
    return sorted(name for name in found if NAME.fullmatch(name))


@dataclass(frozen=True)
class Target:
    """kind: grain or workflow. No two of one application have the same name."""

    kind: str
    name: str

    def is_in(self, version: Version) -> bool:
        return self.name in (version.manifest.grains if self.kind == "grain" else version.manifest.workflows)


class SavedEventsApi:
    def __init__(self, applications: Applications) -> None:
        self._applications = applications

    def add_to(self, router: Router) -> None:
        for kind in ("grain", "workflow"):
            at = f"/api/v1/applications/{{app}}/{kind}s/{{{kind}}}/events"
            one = at + "/{event}"
            router.add("GET", at, self._list).add("GET", one, self._get)
            router.add("PUT", one, self._save).add("DELETE", one, self._delete)

    def _list(self, request: Request) -> Response:
        application, version, target = self._target(request)
        prefix = f"{target.name}/"
        kept = [key.removeprefix(prefix) for key in application.events.keys(prefix)]
        filed = names_in(version.manifest.folder, target.name)
        if not kept and not filed and not target.is_in(version):
            raise _unknown_target(application, version, target)
        events = [
            {"name": name, "saved": name in kept, "file": path_of(target.name, name) if name in filed else None}
            for name in sorted({*kept, *filed})
        ]
        return answer_json(200, {"version": version.number, "events": events})

    def _get(self, request: Request) -> Response:
        application, version, target = self._target(request)
        name = _name(request)
        if found := application.events.get(f"{target.name}/{name}"):
            return Response(200, found.value, JSON, [("ETag", f'"{found.version}"')])
        if name not in names_in(version.manifest.folder, target.name):
            raise _unknown(application, target, name)
        file = version.manifest.folder / path_of(target.name, name)
        if file.stat().st_size > BYTES:
            what = f"File {path_of(target.name, name)} of version {version.number}"
            raise problems.too_large(what, BYTES, file.stat().st_size)
        return Response(200, file.read_bytes(), JSON)

    def _save(self, request: Request) -> Response:
        application, version, target = self._target(request)
        key, expected = f"{target.name}/{_name(request)}", entity_tags.expected(request)
        if len(request.body) > BYTES:
            raise problems.too_large("An event", BYTES, len(request.body))
        if fault := bodies.fault(request.body):
            raise fault
        if not target.is_in(version):
            raise _unknown_target(application, version, target)
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
        application, version, target = self._target(request)
        name = _name(request)
        key, expected = f"{target.name}/{name}", entity_tags.expected(request)
        with application.lock:
            try:
                if application.events.delete(key, expected):
                    return Response(204)
            except Conflict:
                raise _overtaken(application, key) from None
        if name in names_in(version.manifest.folder, target.name):
            where = f"the file {path_of(target.name, name)} of version {version.number}"
            detail = f"Event '{name}' is {where}: deploy the application without it."
            raise Problem(409, "event-is-a-file", "It is a file of the application", detail)
        raise _unknown(application, target, name)

    def _target(self, request: Request) -> tuple[Application, Version, Target]:
        kind = "grain" if "grain" in request.parameters else "workflow"
        application, name = self._applications.get(request.parameters["app"]), request.parameters[kind]
        if not GRAIN.fullmatch(name):
            raise problems.bad_request(f"A {kind}'s name is {GRAIN.pattern}.")
        return application, application.version(request.query("version")), Target(kind, name)


def _name(request: Request) -> str:
    name = request.parameters["event"]
    if not NAME.fullmatch(name):
        raise problems.bad_request(f"An event's name is {NAME.pattern}.")
    return name


def _overtaken(application: Application, key: str) -> Problem:
    actual = application.events.version(key)
    detail = (
        f"The event was saved by somebody else: it has version {actual} by now."
        if actual
        else "There is no saved event of this name."
    )
    return Problem(412, "version-conflict", "Somebody else was first", detail, actual=actual)


def _unknown_target(application: Application, version: Version, target: Target) -> Problem:
    detail = f"Version {version.number} of application '{application.name}' has no {target.kind} '{target.name}'."
    return Problem(404, "unknown-target", f"Unknown {target.kind}", detail)


def _unknown(application: Application, target: Target, name: str) -> Problem:
    whose = f"{target.kind.capitalize()} '{target.name}' of application '{application.name}'"
    detail = f"{whose} has no event '{name}', neither saved nor as a file."
    return Problem(404, "unknown-event", "Unknown event", detail)
