"""The platform's HTTP interface as calls: the one place that knows its paths. Every error becomes a `Failure`."""

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from urllib.parse import quote

import click
import httpx

from sand.command.failure import ExitCode, Failure, of_problem
from sand.command.key import DIRECT, key_of
from sand.command.session import headers_of

DEFAULT_SERVER = "http://127.0.0.1:7263"


class Platform:
    """A platform at an address. A context manager; one connection is kept between calls.

    key: shown with each call; None: what the surroundings have for this server, or the session that there is.
    """

    def __init__(self, server: str, transport: httpx.BaseTransport | None = None, key: str | None = None) -> None:
        self.server = server.rstrip("/")
        key = key or key_of(self.server)
        headers = {"Authorization": f"Bearer {key}"} if key else headers_of(self.server)
        if os.environ.get(DIRECT):
            headers["Sand-Direct"] = "true"
        # No time limit on reading: how long an answer may take is the request's deadline, which the platform keeps.
        timeout = httpx.Timeout(5.0, read=None, write=None)
        # Without TLS there is nothing to verify, and reading the certificates takes longer than most calls.
        verify = not self.server.startswith("http:")
        with _as_failures(self.server):
            self._http = httpx.Client(
                base_url=self.server, headers=headers, timeout=timeout, transport=transport, trust_env=False, verify=verify
            )

    def __enter__(self) -> "Platform":
        return self

    def __exit__(self, *_: object) -> None:
        self._http.close()

    def call(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> httpx.Response:
        """One request; answers below 400 only, everything else is raised."""
        with _as_failures(self.server):
            response = self._http.request(method, path, params=_present(query), content=body, headers=headers)
        _raise_problem(response)
        return response

    def get(self, path: str, **query: Any) -> Any:
        """The JSON that a GET answers."""
        return self.call("GET", path, query=query).json()

    def send(self, method: str, path: str, value: Any = None) -> Any:
        """A call with a JSON body, and the JSON that it answers (None when there is no body)."""
        response = self.request(method, path, value)
        return response.json() if response.content else None

    def request(self, method: str, path: str, value: Any = None) -> httpx.Response:
        """A call with a JSON body."""
        body = None if value is None else json.dumps(value).encode()
        return self.call(method, path, body=body, headers={"Content-Type": "application/json"} if body else None)

    @contextmanager
    def stream(self, method: str, path: str, **options: Any) -> Iterator[httpx.Response]:
        with _as_failures(self.server), self._http.stream(method, path, **options) as response:
            if response.status_code >= 400:
                response.read()
            _raise_problem(response)
            yield response

    def events(self, path: str, query: Mapping[str, Any] | None = None) -> Iterator[tuple[str, str]]:
        """Server-sent events as (event, data), until the server ends them."""
        headers = {"Accept": "text/event-stream"}
        with self.stream("GET", path, params=_present(query), headers=headers) as response:
            yield from parse_events(response.iter_lines())


def application_path(application: str, *rest: str) -> str:
    return path_to("/api/v1/applications", application, *rest)


def path_to(root: str, *segments: str) -> str:
    """
    A path below `root`: whatever somebody has named is one segment of it, and leads nowhere else.

    :raise click.UsageError: one cannot be the name of anything
    """
    for segment in segments:
        check_name(segment)
    return "/".join([root, *(quote(segment, safe="@") for segment in segments)])


def check_name(part: str) -> None:
    """What cannot be one segment of a path names nothing, whatever it was meant to name."""
    if not part or part in (".", "..") or any(c in "/\\?#" or c.isspace() for c in part):
        raise click.UsageError(f"'{part}' is not the name of anything here")


def parse_events(lines: Iterator[str]) -> Iterator[tuple[str, str]]:
    """The text/event-stream format, as far as the platform uses it: event and data; comments keep the line alive."""
    event, data = "message", []
    for line in lines:
        if not line:
            if data:
                yield event, "\n".join(data)
            event, data = "message", []
        elif line.startswith("event:"):
            event = line[6:].strip()
        elif line.startswith("data:"):
            data.append(line[5:].removeprefix(" "))


def _present(query: Mapping[str, Any] | None) -> dict[str, Any]:
    return {name: value for name, value in (query or {}).items() if value is not None}


def _raise_problem(response: httpx.Response) -> None:
    if response.status_code < 400:
        return
    try:
        problem = response.json()
    except ValueError:
        problem = {"detail": response.text[:500]}
    raise of_problem(response.status_code, problem if isinstance(problem, dict) else {"detail": str(problem)})


@contextmanager
def _as_failures(server: str) -> Iterator[None]:
    try:
        yield
    except httpx.ConnectError as e:
        raise Failure(
            ExitCode.PLATFORM_FAILED,
            f"no platform answers at {server}",
            ("Start one with `sand up`, or name another with --server or SAND_SERVER.",),
        ) from e
    except (httpx.UnsupportedProtocol, httpx.InvalidURL) as e:
        raise Failure(ExitCode.USAGE, f"not an address: {server}", ("It looks like http://127.0.0.1:7263.",)) from e
    except httpx.TransportError as e:
        raise Failure(ExitCode.PLATFORM_FAILED, f"the connection to {server} broke: {e or type(e).__name__}") from e
