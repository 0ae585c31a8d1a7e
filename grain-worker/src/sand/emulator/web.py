"""`/web/{app}/…`: a request as the event that a route's target gets, and its output as the response."""

from __future__ import annotations

import base64
import binascii
import json
from typing import Any
from urllib.parse import parse_qsl, unquote

from sand.emulator import bodies, problems
from sand.emulator.applications import Applications
from sand.emulator.http import Headers, Request, Response
from sand.emulator.invoke import Invoker, as_it_is, settings
from sand.emulator.manifest import Route
from sand.messages import Payload
from sand.values import JSON, to_json

# These belong to the connection or follow from the body; a grain does not set them.
_OURS = {"connection", "content-length", "transfer-encoding", "keep-alive", "upgrade", "trailer", "te", "proxy-connection",
         "server-timing", "sand-execution-id"}  # fmt: skip


class Web:
    def __init__(self, applications: Applications, invoker: Invoker) -> None:
        self._applications = applications
        self._invoker = invoker

    def handle(self, request: Request) -> Response:
        name, slash, rest = request.path.removeprefix("/web/").partition("/")
        segments, text = path_of(slash + rest if slash else "/")
        application = self._applications.get(unquote(name))
        version = application.version(None)
        target, parameters, allow = match(version.manifest.routes, request.method, segments)
        if target is None:
            if allow is None:
                raise problems.not_found(f"No route of application '{application.name}' has the path {text}.")
            raise problems.method_not_allowed(f"{text} answers {allow}, not {request.method}.", allow)
        payload = Payload(JSON, to_json(event_of(request, text, parameters)))
        asked = settings(request, None)
        return self._invoker.start(request, application, version, target, payload, asked, response_of)


def path_of(path: str) -> tuple[list[str], str]:
    """Cut at its slashes first and decoded then, so that a slash that is data (%2F) stays in its segment."""
    segments, shown = [], []
    for segment in path.split("/"):
        decoded = unquote(segment)
        for part in decoded.split("/") if "/" in decoded else ():
            if part in (".", ".."):
                raise problems.bad_request(f"A segment of the path has '{part}' between slashes (%2F).")
        segments.append(decoded)
        shown.append(decoded.replace("/", "%2F"))
    return segments, "/".join(shown)


def match(routes: tuple[Route, ...], method: str, have: list[str]) -> tuple[str | None, dict[str, str], str | None]:
    """Target and parameters of the first route that fits; without one, the methods that the path has, if any."""
    allowed = set()
    for route in routes:
        parameters = _parameters(route.path.split("/"), have)
        if parameters is None:
            continue
        if route.method in ("ANY", method) or (route.method == "GET" and method == "HEAD"):
            return route.target, parameters, None
        allowed.add(route.method)
    return None, {}, ", ".join(sorted(allowed)) or None


def _parameters(want: list[str], have: list[str]) -> dict[str, str] | None:
    found: dict[str, str] = {}
    for i, segment in enumerate(want[1:], 1):
        if i >= len(have):
            return None
        if segment.endswith("+}"):
            rest = "/".join(have[i:])
            return found | {segment[1:-2]: rest} if rest else None
        if segment.startswith("{"):
            if not have[i]:
                return None
            found[segment[1:-1]] = have[i]
        elif segment != have[i]:
            return None
    return found if len(want) == len(have) else None


def event_of(request: Request, path: str, parameters: dict[str, str]) -> dict[str, Any]:
    query: dict[str, str] = {}
    for name, value in parse_qsl(request.raw_query, keep_blank_values=True):
        query[name] = f"{query[name]},{value}" if name in query else value
    headers: dict[str, str] = {}
    for name, value in request.headers:
        lower = name.lower()
        headers[lower] = f"{headers[lower]}, {value}" if lower in headers else value
    event: dict[str, Any] = {
        "method": request.method, "path": path, "parameters": parameters, "query": query, "rawQuery": request.raw_query,
        "headers": headers,
    }  # fmt: skip
    if not request.body:
        return event | {"body": None, "isBase64Encoded": False}
    if bodies.is_text(bodies.bare(request.header("Content-Type") or "")):
        try:
            return event | {"body": request.body.decode("utf-8"), "isBase64Encoded": False}
        except UnicodeDecodeError:
            pass
    return event | {"body": base64.b64encode(request.body).decode(), "isBase64Encoded": True}


def response_of(output: Payload, headers: Headers) -> Response:
    """`{status, headers, body, isBase64Encoded}` says all of it; any other output is the body as it is."""
    body = output.bytes or b""
    result = json.loads(body) if output.content_type.startswith(JSON) and body[:1] == b"{" else None
    status = result.get("status") if isinstance(result, dict) else None
    if not isinstance(status, int) or isinstance(status, bool):
        return as_it_is(output, headers)
    if not 200 <= status <= 599:
        raise _bad(f"status is from 200 to 599, not {status}")
    content = result.get("body")
    kind = JSON if isinstance(content, (dict, list)) else "text/plain; charset=utf-8"
    given = _headers(result.get("headers"))
    if not any(name.lower() == "content-type" for name, _ in given):
        given.insert(0, ("Content-Type", kind))
    return Response(status, _body(content, result.get("isBase64Encoded") is True), None, headers + given)


def _body(content: Any, encoded: bool) -> bytes:
    if content is None:
        return b""
    if not isinstance(content, str):
        return to_json(content)
    if not encoded:
        return content.encode("utf-8", "replace")
    try:
        return base64.b64decode(content, validate=True)
    except binascii.Error as broken:
        raise _bad(f"isBase64Encoded is set, but the body is not base 64: {broken}") from None


def _headers(given: Any) -> Headers:
    if given is None:
        return []
    if not isinstance(given, dict):
        raise _bad("headers is an object of names and values")
    found: Headers = []
    for name, value in given.items():
        if name.lower() in _OURS:
            continue
        if not name or not all(" " < c < "\x7f" and c not in '()<>@,;:\\"/[]?={}' for c in name):
            raise _bad(f"'{name}' is no name of a header")
        for one in value if isinstance(value, list) else [value]:
            text = "" if one is None else one if isinstance(one, str) else json.dumps(one)
            if isinstance(one, (dict, list)) or any((c < " " and c != "\t") or c == "\x7f" for c in text):
                raise _bad(f"the value of header {name} has characters that a header cannot have")
            found.append((name, text))
    return found


def _bad(why: str) -> problems.Problem:
    detail = f"In the grain's result, {why}."
    return problems.Problem(500, "bad-response", "The grain's result is not an HTTP response", detail, "grain")
