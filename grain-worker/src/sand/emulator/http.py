"""The HTTP server, on the standard library's: a thread a connection, answers and problems as the frontend writes them."""

from __future__ import annotations

import contextlib
import json
import re
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from sand.emulator import problems
from sand.emulator.problems import Problem

# Of an invocation, and of a deployment.
BODY_BYTES, ARCHIVE_BYTES = 6 << 20, 256 << 20
SSE, NDJSON = "text/event-stream", "application/x-ndjson"
Headers = list[tuple[str, str]]
# Of any more digits Python makes no number.
_NUMBER = re.compile(r"[+-]?[0-9]{1,19}")
_LENGTH = re.compile(r"[0-9]{1,19}")
# Of a request that cannot be read, by the status.
_UNREADABLE = {414: "uri-too-long", 431: "headers-too-large", 505: "http-version"}
_CHUNK_LENGTH = re.compile(rb"[0-9a-fA-F]{1,15}")


class Request:
    """One request. `path` is as it came, without the query; `parameters` are those of the route that it fits."""

    def __init__(self, method: str, target: str, headers: Headers, body: bytes) -> None:
        parts = urlsplit(target)
        self.method = method
        self.path = parts.path
        self.raw_query = parts.query
        self.headers = headers
        self.body = body
        self.parameters: dict[str, str] = {}

    def header(self, name: str) -> str | None:
        return next((value for known, value in self.headers if known.lower() == name.lower()), None)

    def query(self, name: str) -> str | None:
        try:
            pairs = parse_qsl(self.raw_query, keep_blank_values=True, errors="strict")
        except UnicodeDecodeError as broken:
            raise problems.bad_request(f"The query string is not well-formed: {broken}") from None
        return next((value for known, value in pairs if known == name), None)

    def number(self, name: str, otherwise: int, least: int, most: int, is_placed: bool = True) -> int:
        """:param is_placed: whether a problem says with a pointer where it is, as those of most operations do"""
        text = self.query(name)
        if text is None:
            return otherwise
        if _NUMBER.fullmatch(text) and least <= int(text) <= most:
            return int(text)
        detail = f"Query parameter '{name}' is a number from {least} to {most}, not '{text}'."
        raise problems.bad_request(detail, pointer=f"/query/{name}" if is_placed else None)

    def flag(self, name: str, is_placed: bool = True) -> bool:
        """:param is_placed: as of `number`"""
        text = self.query(name)
        if text in (None, "false"):
            return False
        if text in ("", "true"):
            return True
        detail = f"Query parameter '{name}' is true or false, not '{text}'."
        raise problems.bad_request(detail, pointer=f"/query/{name}" if is_placed else None)

    def accepts(self, kind: str) -> bool:
        return kind in (self.header("Accept") or "")


class Response:
    """:param events: written one by one as they come, instead of a body: event, id and data"""

    def __init__(
        self,
        status: int,
        body: bytes = b"",
        content_type: str | None = None,
        headers: Headers | None = None,
        events: Iterator[tuple[str, str | None, Any]] | None = None,
    ) -> None:
        self.status = status
        self.body = body
        self.headers = [*([("Content-Type", content_type)] if content_type else []), *(headers or [])]
        self.events = events


def answer_json(status: int, document: Any, headers: Headers | None = None) -> Response:
    body = json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
    return Response(status, body, "application/json", headers)


def answer_problem(problem: Problem, path: str | None, headers: Headers | None = None) -> Response:
    more = [*(headers or []), *problem.headers.items()]
    if problem.waiting_helps:
        more.append(("Retry-After", "1"))
    return Response(problem.status, problem.to_json(path), problems.CONTENT_TYPE, more)


Operation = Callable[[Request], Response]
# What grains and callers wrote comes back under the type that it has, and in a browser as nothing that runs in this origin.
_NOSNIFF = ("X-Content-Type-Options", "nosniff")
_INERT = ("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'; sandbox")


def _guards(path: str) -> Headers:
    """Headers of every answer; pages of routes are the application's own."""
    return [_NOSNIFF] if path.startswith("/web/") else [_NOSNIFF, _INERT]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Server

    def log_message(self, format: str, *args: Any) -> None:
        """What is called is in the records; the terminal is for what grains write."""

    def _serve(self) -> None:
        request = Request(self.command, self.path, [*self.headers.items()], b"")
        try:
            request.body = self._body()
            response = self.server.application(request)
        except Problem as problem:
            response = answer_problem(problem, request.path)
        except ConnectionError:
            self.close_connection = True
            return
        except Exception as unforeseen:
            traceback.print_exc(file=sys.stderr)
            detail = f"An error that the emulator did not expect: {type(unforeseen).__name__}: {unforeseen}"
            response = answer_problem(Problem(500, "internal", "The platform failed", detail, "platform"), request.path)
        with contextlib.suppress(ConnectionError):
            self._write(response)

    def __getattr__(self, name: str) -> Any:
        """Whatever the method is: which ones there are is each path's to say."""
        if name.startswith("do_"):
            return self._serve
        raise AttributeError(name)

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """What the library finds before there is a request, in the form of all other errors."""
        self.close_connection = True
        name = _UNREADABLE.get(code, "bad-request")
        status = code if name in _UNREADABLE.values() else 400
        title = HTTPStatus(status).phrase
        problem = Problem(status, name, title, message or title)
        self.command, self.path = getattr(self, "command", None) or "", getattr(self, "path", "")
        self.request_version = self.protocol_version  # until that is read it is one without headers
        with contextlib.suppress(ConnectionError):
            self._write(answer_problem(problem, None, [("Connection", "close")]))

    def _body(self) -> bytes:
        below = self.path.partition("?")[0].split("/")[5:]
        is_call = self.path.startswith(("/invoke/", "/web/")) or below[:1] == ["invoke"] or below == ["processes", "invoke"]
        limit = BODY_BYTES if is_call else ARCHIVE_BYTES
        if "chunked" in (self.headers.get("Transfer-Encoding") or "").lower():
            return self._chunks(limit)
        text = self.headers.get("Content-Length") or "0"
        if not _LENGTH.fullmatch(text):
            self.close_connection = True
            raise problems.bad_request("Content-Length is not a number.")
        if int(text) > limit:
            self._discard(int(text))
            raise problems.too_large("The body", limit, int(text))
        return self.rfile.read(int(text))

    def _discard(self, left: int) -> None:
        """A client that still writes would not read the answer."""
        while left > 0 and (part := self.rfile.read(min(left, 1 << 20))):
            left -= len(part)

    def _chunks(self, limit: int) -> bytes:
        parts, size = [], 0
        while True:
            text = self.rfile.readline().split(b";")[0].strip()
            if not _CHUNK_LENGTH.fullmatch(text):
                self.close_connection = True
                raise problems.bad_request("The body's chunks are not well-formed.")
            length = int(text, 16)
            if not length:
                break
            size += length
            if size <= limit:
                parts.append(self.rfile.read(length))
            else:
                parts.clear()
                self._discard(length)
            self.rfile.readline()
        while self.rfile.readline().strip():
            pass
        if size > limit:
            raise problems.too_large("The body", limit, size)
        return b"".join(parts)

    def _write(self, response: Response) -> None:
        self.send_response_only(response.status)
        self.send_header("Date", self.date_time_string())
        given = {name.lower() for name, _ in response.headers}
        guards = [(name, value) for name, value in _guards(self.path) if name.lower() not in given]
        for name, value in (*guards, *response.headers):
            self.send_header(name, value)
        if response.events is None:
            if response.status not in (204, 304):
                self.send_header("Content-Length", str(len(response.body)))
            self.end_headers()
            if self.command != "HEAD" and response.status not in (204, 304):
                self.wfile.write(response.body)
            return
        self.close_connection = True
        self.send_header("Connection", "close")
        self.end_headers()
        lines = ("Content-Type", NDJSON) in response.headers
        for event, number, data in response.events:
            text = json.dumps(data, ensure_ascii=False)
            if lines:
                self.wfile.write((json.dumps({"event": event, "data": data}, ensure_ascii=False) + "\n").encode())
            elif event:
                head = f"id: {number}\n" if number else ""
                self.wfile.write(f"{head}event: {event}\ndata: {text}\n\n".encode())
            else:
                self.wfile.write(b": alive\n\n")
            self.wfile.flush()


def answer_events(request: Request, events: Iterator[tuple[str, str | None, Any]]) -> Response:
    """Server-sent events, or lines of JSON for who asks for these."""
    kind = NDJSON if request.accepts(NDJSON) and not request.accepts(SSE) else SSE
    return Response(200, b"", kind, [("Cache-Control", "no-store"), ("X-Accel-Buffering", "no")], events)


# How often the server's loop looks whether it is to end: what stopping an emulator may take.
POLL_SECONDS = 0.02


class Server(ThreadingHTTPServer):
    """:param application: gives the response to a request, or raises a Problem"""

    daemon_threads = True
    request_queue_size = 512

    def __init__(self, host: str, port: int, application: Operation) -> None:
        self.application = application
        super().__init__((host, port), _Handler)

    @property
    def url(self) -> str:
        return f"http://{self.server_address[0]}:{self.server_address[1]}"

    def start(self) -> Server:
        threading.Thread(target=self.serve_forever, args=(POLL_SECONDS,), daemon=True, name="http").start()
        return self

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up is no error of ours."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)
