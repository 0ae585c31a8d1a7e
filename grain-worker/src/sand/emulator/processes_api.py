"""`/api/v1/applications/{app}/processes…`: cloud processes over HTTP (PraaS, Listing 2), as the frontend has them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, TypeVar

from sand.asl import document as documents
from sand.asl.diagnostics import child
from sand.emulator import bodies, problems
from sand.emulator.applications import Application, Applications
from sand.emulator.data_plane import HOST, DataPlane
from sand.emulator.executions import Execution
from sand.emulator.grants import INVOKE
from sand.emulator.http import Request, Response, answer_json
from sand.emulator.invoke import Invoker, answer, as_it_is, payload_of, settings
from sand.emulator.problems import Failure, Problem
from sand.emulator.processes_bounds import bounds_of
from sand.emulator.processes_life import ACTIVE, IDLE, SWAPPED, CloudProcess, IllegalStep
from sand.emulator.processes_specs import ID, Dedicated, Wrong, dedicated, memory_of
from sand.emulator.router import Router
from sand.errors import NotFound, Overloaded

BODY_BYTES = 64 << 10
_GRANT_BYTES = 16 << 10
_ID = "[A-Za-z0-9._~-]{1,128}"
_STATUSES = (ACTIVE, IDLE, SWAPPED)
_MOST_AT_ONCE = 1000
_MOST_FUNCTIONS = 50
_MOST_TTL_S = 3600
Found = TypeVar("Found")


class ProcessesApi:
    def __init__(self, applications: Applications, invoker: Invoker, plane: DataPlane) -> None:
        self._applications = applications
        self._invoker = invoker
        self._plane = plane

    def add_to(self, router: Router) -> None:
        at = "/api/v1/applications/{app}/processes"
        one = at + "/{id}"
        router.add("POST", at, self._create).add("GET", at, self._list)
        router.add("POST", at + "/invoke", self._invoke)
        router.add("GET", one, self._describe).add("DELETE", one, self._kill)
        router.add("POST", one + "/connect", self._connect)
        for step, do in (("swap-out", "swap_out"), ("swap-in", "swap_in"), ("checkpoint", "checkpoint")):
            router.add("POST", f"{one}/{step}", self._step(do))
        router.add("POST", one + "/migrate", self._migrate).add("GET", one + "/metrics", self._metrics)

    def _application(self, request: Request) -> Application:
        return self._applications.get(request.parameters["app"])

    def _create(self, request: Request) -> Response:
        application = self._application(request)
        asked = (
            bodies.json_object(request.body, BODY_BYTES, "The body is an object with id, concurrency, memory and dedicated.")
            or {}
        )
        for name in asked.keys() - {"id", "concurrency", "memory", "dedicated"}:
            detail = f"A process has no '{name}': it has id, concurrency, memory and dedicated."
            raise problems.bad_request(detail, pointer=child("/body", name))
        id, concurrency = asked.get("id"), asked.get("concurrency")
        if id is not None and not isinstance(id, str):
            raise problems.bad_request(f"'id' is a text, not {documents.write(id)}.", pointer="/body/id")
        if id is not None and not ID.fullmatch(id):
            raise _no_id(id, "/body/id")
        if concurrency is not None and (type(concurrency) is not int or not 1 <= concurrency <= _MOST_AT_ONCE):
            detail = f"'concurrency' is a number from 1 to {_MOST_AT_ONCE}."
            raise problems.bad_request(detail, pointer="/body/concurrency")
        memory, own = _size(asked.get("memory")), _dedicated(asked.get("dedicated"))
        process, restored = known(lambda: application.processes.create(id, concurrency, memory, own))
        where = f"/api/v1/apps/{application.name}/processes/{process.id}"
        return answer_json(200 if restored else 201, _shown(application, process), [("Location", where)])

    def _list(self, request: Request) -> Response:
        application, status, after = self._application(request), request.query("status"), request.query("after")
        if status is not None and status not in _STATUSES:
            detail = f"'{status}' is no status of a process: these are {', '.join(_STATUSES)}."
            raise problems.bad_request(detail, pointer="/query/status")
        limit = request.number("limit", 50, 1, 1000)
        found = [
            process
            for process in application.processes.all()
            if status in (None, process.status) and (after is None or process.id > after)
        ]
        more = found[limit - 1].id if len(found) > limit else None
        return answer_json(200, {"processes": [_shown(application, one) for one in found[:limit]], "next": more})

    def _find(self, request: Request) -> tuple[Application, CloudProcess]:
        application = self._application(request)
        return application, known(lambda: application.processes.find(id_of(request)))

    def _describe(self, request: Request) -> Response:
        return answer_json(200, _shown(*self._find(request)))

    def _metrics(self, request: Request) -> Response:
        application, process = self._find(request)
        memory = application.processes.memory(process)
        use = self._plane.use(application.name, process.id)
        return answer_json(200, process.metrics() | {"dataPlane": use.shown(memory)})

    def _kill(self, request: Request) -> Response:
        application, id = self._application(request), id_of(request)
        known(lambda: application.processes.kill(id))
        self._plane.on_killed(application.name, id)
        application.lines.delete_process(application.name, id)
        return Response(204)

    def _connect(self, request: Request) -> Response:
        asked = (
            bodies.json_object(request.body, _GRANT_BYTES, "The body is an object with rights, functions and ttl.", None) or {}
        )
        for name in asked.keys() - {"rights", "functions", "ttl"}:
            raise problems.bad_request(f"A grant has no '{name}': it has rights, functions and ttl.")
        if asked.get("rights") is not None and _names(asked["rights"], "rights") != [INVOKE]:
            detail = f"'rights' is [\"{INVOKE}\"]: there are no others, and without any a grant opens nothing."
            raise problems.bad_request(detail)
        functions, ttl = _names(asked.get("functions"), "functions"), asked.get("ttl")
        if asked.get("functions") == []:
            raise problems.bad_request("'functions' is empty: a grant is for one at least; without it, for all.")
        if ttl is not None and (type(ttl) is not int or not 1 <= ttl <= _MOST_TTL_S):
            raise problems.bad_request(f"'ttl' is a number of seconds from 1 to {_MOST_TTL_S}.")
        id = id_of(request)
        application = self._application(request)
        version = application.version(None)
        for function in functions:
            if function not in version.manifest.grains:
                raise problems.unknown_target(application.name, version.number, function)
        if request.flag("create"):  # or its first invocation makes it, when it is not there
            known(lambda: application.processes.address(id, create=True))
        grant, expires_ms = self._plane.grant(application.name, version.number, id, functions, 60 if ttl is None else ttl)
        expires = datetime.fromtimestamp(expires_ms / 1000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        place = {
            "process": id, "host": HOST, "address": self._plane.address, "tls": False,
            "websocket": f"ws://{self._plane.address}/data", "grant": grant, "expires": expires,
        }  # fmt: skip
        return answer_json(200, place, [("Cache-Control", "no-store")])

    def _step(self, name: str) -> Callable[[Request], Response]:
        def do(request: Request) -> Response:
            application = self._application(request)
            bodies.ignored(request.body, BODY_BYTES)
            process = known(lambda: getattr(application.processes, name)(id_of(request)))
            return answer_json(200, _shown(application, process))

        return do

    def _migrate(self, request: Request) -> Response:
        asked = bodies.json_object(request.body, BODY_BYTES, "The body is an object with host.") or {}
        for name in asked.keys() - {"host"}:
            detail = f"A migration has no '{name}': it has host."
            raise problems.bad_request(detail, pointer=child("/body", name))
        if not isinstance(asked.get("host"), str | None):
            raise problems.bad_request("'host' is a host's id.", pointer="/body/host")
        _, process = self._find(request)
        detail = f"Process {process.id} is {process.status}: it cannot be migrated, for there is no other host than {HOST}."
        raise Problem(409, "conflict", "Conflict", detail, error="Sand.Conflict", state=process.status)

    def _invoke(self, request: Request) -> Response:
        application, function = self._application(request), request.query("function")
        if not function:
            raise problems.bad_request("?function= names the grain to be run; it is missing.")
        version = application.version(None)
        if function not in version.manifest.grains:
            raise problems.unknown_target(application.name, version.number, function)
        header, query = request.header("Sand-Process"), request.query("process")
        if header is not None and query is not None and header != query:
            raise problems.bad_request(f"The header Sand-Process says '{header}', and the query '{query}'.")
        wanted = header if header is not None else query
        if wanted is not None:
            check_id(wanted)
        asked, payload = settings(request, request.query("timeout")), payload_of(request)
        processes = application.processes

        def begin() -> Execution:
            with processes.changed:
                process = processes.create()[0] if wanted is None else processes.address(wanted, create=True)
                return processes.invoke(process, function, payload, asked.timeout_ms, asked.traceparent)

        place, more = (application.name, f"processes/{function}"), (wanted or "").encode() + b"\0"
        execution, headers = known(lambda: self._invoker.once(place, asked.key, payload, more, begin))
        assert execution.residence is not None
        headers.append(("Sand-Process", execution.residence.process.id))
        return answer(request, execution, asked, headers, as_it_is)


def id_of(request: Request) -> str:
    """Of the process that the path names. :raises Problem: none can have it"""
    check_id(request.parameters["id"])
    return request.parameters["id"]


def check_id(id: str) -> None:
    if not ID.fullmatch(id):
        raise _no_id(id)


def _no_id(id: str, pointer: str | None = None) -> Problem:
    return problems.bad_request(f"A process's id is {_ID}, neither '.' nor '..', not '{id}'.", pointer=pointer)


def _names(asked: Any, what: str) -> list[str]:
    names = [] if asked is None else asked
    if not isinstance(names, list) or len(names) > _MOST_FUNCTIONS or not all(isinstance(name, str) for name in names):
        raise problems.bad_request(f"'{what}' is a list of at most {_MOST_FUNCTIONS} names.")
    return sorted(set(names))


def _size(text: Any) -> int | None:
    if text is None:
        return None
    try:
        if isinstance(text, bool) or not isinstance(text, (int, str)):
            raise ValueError("it is a size like 256MiB")
        return memory_of(text)
    except ValueError as bad:
        raise problems.bad_request(f"'memory': {bad}.", pointer="/body/memory") from None


def _dedicated(said: Any) -> Dedicated | None:
    try:
        return dedicated(said)
    except Wrong as bad:
        below = "/body/dedicated" if bad.field is None else child("/body/dedicated", bad.field)
        raise problems.bad_request(f"'dedicated': {bad}.", pointer=below) from None


def known(ask: Callable[[], Found]) -> Found:
    """What is asked for, or the problem that it is."""
    try:
        return ask()
    except NotFound as missing:
        raise Problem(404, "unknown-process", "Unknown process", _sentence(str(missing))) from None
    except IllegalStep as illegal:
        raise Problem(409, "conflict", "Conflict", str(illegal), error="Sand.Conflict", state=illegal.status) from None
    except Overloaded as full:
        raise problems.of(Failure(full.error, str(full), "platform", True, details=bounds_of(full)), None) from None


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + "."


def _shown(application: Application, process: CloudProcess) -> dict[str, Any]:
    with application.processes.changed:
        spec = application.processes.spec()
        own = process.dedicated or spec.dedicated
        manifest = application.version(None).manifest
        limits = manifest.document.get("sandbox") or {}
        more = {} if own is None else {"dedicated": own.shown(limits, manifest.sandbox_memory_bytes)}
        return {
            "application": application.name, "process": process.id, "status": process.status, "host": HOST,
            "createdMs": process.created_ms, "concurrency": process.concurrency or spec.concurrency,
            "memoryBytes": application.processes.memory(process), "stateKeys": process.keys,
            "stateBytes": process.state_bytes, **process.residence(),
            "unread": process.mailbox.messages, "mailboxBytes": process.mailbox.bytes,
            "running": len(process.inside), "waiting": len(process.waiting), **more,
        }  # fmt: skip
