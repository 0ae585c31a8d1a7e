"""Which operation answers a method and a path of the control plane."""

from __future__ import annotations

from urllib.parse import unquote

from sand.emulator import problems
from sand.emulator.http import Operation, Request, Response

_SHORT, _FULL = "/api/v1/apps/", "/api/v1/applications/"


class Router:
    """Method and template to operation; `{name}` in a template is one segment."""

    def __init__(self) -> None:
        self._routes: list[tuple[str, list[str], Operation]] = []

    def add(self, method: str, template: str, operation: Operation) -> Router:
        self._routes.append((method, template.strip("/").split("/"), operation))
        return self

    def has(self, method: str, template: str) -> bool:
        """Whatever the names of the template's parameters are."""
        wanted = [_unnamed(segment) for segment in template.strip("/").split("/")]
        return any(method == known and wanted == [_unnamed(segment) for segment in route] for known, route, _ in self._routes)

    def handle(self, request: Request) -> Response:
        segments, allowed = in_full(request.path)[1:].split("/"), set()
        wanted = "GET" if request.method == "HEAD" else request.method
        for method, template, operation in self._routes:
            found = _fits(template, segments)
            if found is None:
                continue
            if method == wanted:
                request.parameters = found
                return operation(request)
            allowed.add(method)
        if not allowed:
            raise problems.not_found(f"There is nothing at {request.path}; /openapi.yaml lists what is.")
        allow = ", ".join(sorted(allowed))
        raise problems.method_not_allowed(f"{request.path} answers {allow}, not {request.method}.", allow)


def _unnamed(segment: str) -> str:
    return "{}" if segment.startswith("{") else segment


def in_full(path: str) -> str:
    """`apps` is short for `applications`."""
    return _FULL + path[len(_SHORT) :] if path.startswith(_SHORT) else path


def _fits(template: list[str], path: list[str]) -> dict[str, str] | None:
    if len(template) != len(path):
        return None
    parameters = {}
    for want, have in zip(template, path, strict=True):
        if want.startswith("{"):
            if not have:
                return None
            parameters[want[1:-1]] = unquote(have)
        elif want != have:
            return None
    return parameters
