"""The parts together: applications behind one HTTP server."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from sand.emulator import door, interface, state_trials_api
from sand.emulator.applications import Applications, Make
from sand.emulator.control import Control
from sand.emulator.data_api import DataApi
from sand.emulator.data_plane import DataPlane
from sand.emulator.forked import ForkedGrains
from sand.emulator.http import Request, Response, Server
from sand.emulator.invoke import Invoker
from sand.emulator.logs_api import LogsApi
from sand.emulator.process_looks_api import ProcessLooksApi
from sand.emulator.processes_api import ProcessesApi
from sand.emulator.queues_api import QueuesApi
from sand.emulator.records import Records
from sand.emulator.router import Router
from sand.emulator.saved_events import SavedEventsApi
from sand.emulator.task_tokens import TaskTokensApi
from sand.emulator.versions_api import VersionsApi
from sand.emulator.web import Web

HOST = "127.0.0.1"
# The second is the same as the first, where a session's cookie is sent to.
_INVOCATION = re.compile(r"/invoke/|/api/v1/app(?:lication)?s/[^/]+/invoke/")


class Emulator:
    """Serves from its making to `close`.

    :param port: 0: any that is free
    :param make: makes who runs the grains: ForkedGrains, or InlineGrains for a debugger
    :param show: is given each line that a grain writes
    """

    def __init__(self, port: int = 0, make: Make = ForkedGrains, show: Callable[[dict[str, Any]], None] | None = None) -> None:
        self.applications = Applications(make, show)
        self._invoker = Invoker(self.applications)
        self._web = Web(self.applications, self._invoker)
        self._router = Router()
        Control(self.applications).add_to(self._router)
        Records(self.applications).add_to(self._router)
        LogsApi(self.applications).add_to(self._router)
        QueuesApi(self.applications).add_to(self._router)
        SavedEventsApi(self.applications).add_to(self._router)
        TaskTokensApi(self.applications).add_to(self._router)
        self._plane = DataPlane(HOST, self.applications)
        ProcessesApi(self.applications, self._invoker, self._plane).add_to(self._router)
        ProcessLooksApi(self.applications).add_to(self._router)
        DataApi(self.applications).add_to(self._router)
        VersionsApi(self.applications).add_to(self._router)
        state_trials_api.add_to(self._router)
        self._router.add("GET", "/openapi.yaml", self._openapi)
        try:
            self._server = Server(HOST, port, self._handle).start()
        except OSError:
            self._plane.close()
            raise
        self.url = self._server.url

    def _handle(self, request: Request) -> Response:
        refused = door.strange(request.path) or door.refusal(request)
        if refused is not None:
            raise refused
        if _INVOCATION.match(request.path):
            return self._invoker.invoke(request)
        if request.path.startswith("/web/"):
            return self._web.handle(request)
        return self._router.handle(request)

    def _openapi(self, _: Request) -> Response:
        def is_served(method: str, template: str) -> bool:
            return _INVOCATION.match(template) is not None or template.startswith("/web/") or self._router.has(method, template)

        return Response(200, interface.document(is_served).encode(), "application/yaml")

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._plane.close()
        self.applications.close()

    def __enter__(self) -> Emulator:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
