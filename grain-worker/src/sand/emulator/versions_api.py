"""What a version consists of: its workflows and its files, as the frontend's ApplicationsApi and FilesApi have them."""

from __future__ import annotations

from sand.emulator import folder_files, problems
from sand.emulator.applications import Applications, Version
from sand.emulator.http import Request, Response, answer_json
from sand.emulator.problems import Problem
from sand.emulator.router import Router
from sand.emulator.saved_events import GRAIN

MOST_BYTES = 8 << 20


class VersionsApi:
    def __init__(self, applications: Applications) -> None:
        self._applications = applications

    def add_to(self, router: Router) -> None:
        at = "/api/v1/applications/{app}"
        version = at + "/versions/{version}"
        router.add("GET", at + "/workflows", self._workflows).add("GET", at + "/workflows/{workflow}", self._workflow)
        router.add("GET", version + "/files", self._files).add("GET", version + "/file", self._file)

    def _version(self, request: Request) -> tuple[str, Version]:
        """That of the path; without one the one that `live` names."""
        application = self._applications.get(request.parameters["app"])
        return application.name, application.version(request.parameters.get("version"))

    def _workflows(self, request: Request) -> Response:
        application, version = self._version(request)
        found = [{"name": one.name, "timeoutMs": one.timeout_ms} for _, one in sorted(version.manifest.workflows.items())]
        return answer_json(200, {"application": application, "version": version.number, "workflows": found})

    def _workflow(self, request: Request) -> Response:
        name = request.parameters["workflow"]
        if not GRAIN.fullmatch(name):
            raise problems.bad_request(f"A workflow's name is {GRAIN.pattern}.", pointer="/parameters/workflow")
        application, version = self._version(request)
        found = version.manifest.workflows.get(name)
        if found is None:
            detail = f"Version {version.number} of application '{application}' has no workflow '{name}'."
            raise Problem(404, "unknown-workflow", "Unknown workflow", detail)
        shown = {"name": name, "version": version.number, "definition": found.definition, "timeoutMs": found.timeout_ms}
        return answer_json(200, shown)

    def _files(self, request: Request) -> Response:
        application, version = self._version(request)
        found = [
            {"path": file.name, "size": file.size, "executable": file.is_executable}
            for file in folder_files.of(version.manifest.folder)
        ]
        return answer_json(200, {"application": application, "version": version.number, "files": found})

    def _file(self, request: Request) -> Response:
        wanted = request.query("path")
        if not wanted:
            raise problems.bad_request("The query parameter 'path' is missing.")
        application, version = self._version(request)
        file = next((file for file in folder_files.of(version.manifest.folder) if file.name == wanted), None)
        if file is None:
            detail = f"Version {version.number} of application '{application}' has no file '{wanted}'."
            raise Problem(404, "unknown-file", "Unknown file", detail)
        if file.size > MOST_BYTES:
            detail = f"File '{wanted}' has {file.size} bytes, and at most {MOST_BYTES} are handed out."
            raise Problem(413, "too-large", "Too large", detail, limit=MOST_BYTES, actual=file.size)
        return Response(200, file.path.read_bytes(), "application/octet-stream", [("Content-Disposition", "attachment")])
