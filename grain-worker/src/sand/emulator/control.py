"""`/api/v1/applications…`: versions and aliases, as the frontend's control plane has them."""

from __future__ import annotations

import re
from typing import Any

from sand.asl import document as documents
from sand.emulator import bodies, problems
from sand.emulator.applications import Application, Applications, Version
from sand.emulator.http import Request, Response, answer_events, answer_json
from sand.emulator.problems import Problem
from sand.emulator.router import Router
from sand.emulator.uploads import unpacked
from sand.emulator.views import summary, version_of

ROOT = "/api/v1/applications"
BODY_BYTES = 1 << 20
_ALIAS = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,62}")


class Control:
    def __init__(self, applications: Applications) -> None:
        self._applications = applications

    def add_to(self, router: Router) -> None:
        at = ROOT + "/{app}"
        router.add("GET", ROOT, self._list).add("POST", ROOT, self._deploy)
        router.add("GET", at, self._describe).add("PUT", at, self._deploy).add("DELETE", at, self._delete)
        router.add("GET", at + "/versions", self._versions).add("GET", at + "/versions/{version}", self._version)
        router.add("GET", at + "/aliases", lambda request: answer_json(200, {"aliases": self.application(request).aliases}))
        router.add("PUT", at + "/aliases/{alias}", self._move).add("DELETE", at + "/aliases/{alias}", self._drop)
        router.add("POST", at + "/rollback", self._rollback)
        router.add("GET", at + "/secrets", self._secrets)
        router.add("PUT", at + "/secrets/{secret}", self._secrets).add("DELETE", at + "/secrets/{secret}", self._secrets)
        router.add("GET", "/api/v1/status", self._status)
        for path in ("/livez", "/readyz"):
            router.add("GET", path, lambda _: answer_json(200, {"status": "ok"}))

    def application(self, request: Request) -> Application:
        return self._applications.get(request.parameters["app"])

    def _secrets(self, request: Request) -> Response:
        self.application(request)
        detail = "The emulator keeps no secrets: one is the variable of that name in the environment that it was started with."
        raise Problem(409, "no-secrets-key", "No key for secrets", detail)

    def _list(self, _: Request) -> Response:
        found = []
        for application in self._applications.all():
            latest = application.version(None)
            shown: dict[str, Any] = {"name": application.name, "versions": len(application.versions)}
            if "live" in application.aliases:
                shown["live"] = application.aliases["live"]
            shown |= {
                "createdMs": latest.created_ms,
                "grains": list(latest.manifest.grains),
                "workflows": list(latest.manifest.workflows),
            }
            found.append(shown)
        return answer_json(200, {"applications": found})

    def _deploy(self, request: Request) -> Response:
        alias = request.query("alias") or "live"
        if not _ALIAS.fullmatch(alias):
            raise problems.bad_request(f"'{alias}' is no name of an alias.")
        name = request.parameters.get("app")

        def deploy() -> tuple[Application, Version]:
            with unpacked(request) as folder:
                return self._applications.load(folder, alias, name)

        if request.accepts("text/event-stream") or request.accepts("application/x-ndjson"):
            return answer_events(request, _progress(deploy, alias, request.path))
        application, version = deploy()
        where = f"{ROOT}/{application.name}/versions/{version.number}"
        return answer_json(201, summary(application, version, alias), [("Location", where)])

    def _describe(self, request: Request) -> Response:
        application = self.application(request)
        return answer_json(200, version_of(application, application.version(None)))

    def _delete(self, request: Request) -> Response:
        self._applications.delete(request.parameters["app"])
        return Response(204)

    def _versions(self, request: Request) -> Response:
        application = self.application(request)
        versions = [
            {"version": version.number, "createdMs": version.created_ms, "bundle": version.bundle}
            for version in sorted(application.versions.values(), key=lambda version: -version.number)
        ]
        return answer_json(200, {"versions": versions, "aliases": application.aliases})

    def _version(self, request: Request) -> Response:
        application = self.application(request)
        return answer_json(200, version_of(application, application.version(request.parameters["version"])))

    def _move(self, request: Request) -> Response:
        application, alias = self.application(request), _alias(request.parameters["alias"], "/parameters/alias")
        return _moved(application, alias, application.version(str(_number(_document(request)))).number)

    def _drop(self, request: Request) -> Response:
        application, alias = self.application(request), request.parameters["alias"]
        if alias == "live":
            raise Problem(409, "conflict", "Conflict", "The alias live stays.")
        if application.aliases.pop(alias, None) is None:
            raise problems.unknown_version(application.name, alias)
        return Response(204)

    def _rollback(self, request: Request) -> Response:
        application, document = self.application(request), _document(request)
        alias = "live" if document.get("alias") is None else document["alias"]
        if not isinstance(alias, str):
            detail = f'"alias" is the name of an alias, not {documents.write(alias)}.'
            raise problems.bad_request(detail, pointer="/body/alias")
        now = application.aliases.get(_alias(alias, "/body/alias"))
        if now is None:
            raise problems.unknown_version(application.name, alias)
        before = max((number for number in application.versions if number < now), default=None)
        wanted = before if document.get("version") is None else _number(document)
        if wanted is None:
            detail = f"Alias '{alias}' of '{application.name}' is version {now}, and there is none before it."
            raise Problem(409, "conflict", "Conflict", detail)
        return _moved(application, alias, application.version(str(wanted)).number)

    def _status(self, _: Request) -> Response:
        running = [
            {"application": application.name, "version": version.number, "id": f"{application.name}-{version.number}",
             "state": "READY", "startedMs": version.created_ms,
             "executions": sum(not execution.ended.is_set() for execution in list(application.executions.values())),
             "grains": []}
            for application in self._applications.all() for version in [application.version(None)]
        ]  # fmt: skip
        host = {"host": "emulator", "sandboxKind": "process", "draining": False, "sandboxes": running}
        frontend = {"draining": False, "inFlight": sum(one["executions"] for one in running), "inFlightLimit": 10_000}
        return answer_json(200, {"frontend": frontend, "hosts": [host]})


def _progress(deploy: Any, alias: str, path: str) -> Any:
    yield "progress", None, {"message": "checking the application folder"}
    try:
        application, version = deploy()
    except Problem as problem:
        yield "problem", None, problem.document(path)
        return
    yield "progress", None, {"message": f"version {version.number} is {alias}"}
    yield "deployed", None, summary(application, version, alias)


def _moved(application: Application, alias: str, number: int) -> Response:
    with application.lock:
        application.aliases[alias] = number
    application.triggers.deployed()
    application.processes.deployed()
    return answer_json(200, {"application": application.name, "alias": alias, "version": number})


def _document(request: Request) -> dict[str, Any]:
    return bodies.json_object(request.body, BODY_BYTES, "The body is a JSON object that says which version.") or {}


def _number(document: dict[str, Any]) -> int:
    """Of a version."""
    wanted = document.get("version")
    if type(wanted) is not int or not 0 < wanted < 1 << 31:
        given = documents.write(wanted) if "version" in document else "missing"
        raise problems.bad_request(f'"version" is the number of a version, not {given}.', pointer="/body/version")
    return wanted


def _alias(name: str, pointer: str) -> str:
    if not _ALIAS.fullmatch(name):
        raise problems.bad_request(f"An alias is {_ALIAS.pattern}, not '{name}'.", pointer=pointer)
    return name
