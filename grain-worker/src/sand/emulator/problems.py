"""Failures and the RFC 9457 problems that tell of them, as the frontend's `Problem` and `Problems` have them."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field, replace
from typing import Any

TYPE_PREFIX = "https://sand.dev/problems/"
CONTENT_TYPE = "application/problem+json"

# Which error has which status, name and title.
_KINDS = {
    "Sand.Timeout": (504, "timeout", "The deadline passed"),
    "Sand.Crashed": (500, "crashed", "The grain's process ended without a result"),
    "Sand.OutOfMemory": (500, "out-of-memory", "The grain went over its memory limit"),
    "Sand.Unserializable": (500, "unserializable", "The grain's result cannot be encoded"),
    "Sand.TooLarge": (413, "too-large", "Over a size limit"),
    "Sand.Overloaded": (429, "overloaded", "A bounded queue is full"),
    "Sand.ImportFailed": (500, "import-failed", "The grain's code cannot be loaded"),
    "Sand.SandboxFailed": (503, "sandbox-failed", "No sandbox could be started"),
    "Sand.Cancelled": (409, "cancelled", "The execution was cancelled"),
    "Sand.Unavailable": (503, "unavailable", "Not available now"),
    "Sand.NotFound": (404, "not-found", "Not found"),
    "Sand.BadRequest": (400, "bad-request", "The request is not well-formed"),
    "Sand.Conflict": (409, "conflict", "Conflict"),
    "Sand.Denied": (403, "denied", "Not allowed"),
    "Sand.UnknownGrain": (500, "unknown-grain", "Published to a grain that is not there"),
}
_GRAIN_REFUSED = (429, "overloaded", "The grain was refused what it asked for")
_GRAIN_FAILED = (500, "grain-failed", "The grain failed")


_FRAME = re.compile(r'File "([^"]+)", line (\d+)')
_SHOWN_CHARS = 300


@dataclass(frozen=True)
class Failure:
    """Why something did not work: what a workflow matches and an HTTP client reads.

    :param source: "platform", "grain" or "caller": who failed
    """

    error: str
    cause: str
    source: str = "grain"
    retryable: bool = False
    stack_trace: str | None = None
    details: dict[str, Any] = field(default_factory=dict)

    def line(self) -> str:
        """In one line, with where it was raised."""
        frames = _FRAME.findall(self.stack_trace or "")
        place = f" ({frames[-1][0].rpartition('/')[2]}:{frames[-1][1]})" if frames else ""
        return f"{self.error}: {' '.join(self.cause.split())[:_SHOWN_CHARS]}{place}"

    def document(self) -> dict[str, Any]:
        """As an invocation's record has it."""
        shown = {
            "error": self.error,
            "cause": self.cause,
            "source": self.source.upper(),
            "retryable": self.retryable,
            **({} if self.stack_trace is None else {"stackTrace": self.stack_trace}),
        }
        return shown | {"details": self.details}


def platform(error: str, cause: str, retryable: bool) -> Failure:
    return Failure(error, cause, "platform", retryable)


class Problem(Exception):
    """An error answer. Raised anywhere below the HTTP server, written by it."""

    def __init__(
        self, status: int, name: str, title: str, detail: str, source: str = "caller", retryable: bool = False, **more: Any
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.name = name
        self.title = title
        self.detail = detail
        self.source = source
        self.retryable = retryable
        self.more = more
        self.headers: dict[str, str] = {}

    @property
    def waiting_helps(self) -> bool:
        return (self.status == 429 and self.retryable) or self.status in (503, 507)

    def document(self, instance: str | None = None) -> dict[str, Any]:
        shown: dict[str, Any] = {
            "type": TYPE_PREFIX + self.name,
            "title": self.title,
            "status": self.status,
            "detail": self.detail,
        }
        if instance is not None:
            shown["instance"] = instance
        shown |= {"source": self.source, "retryable": self.retryable}
        return shown | {name: value for name, value in self.more.items() if value is not None and name not in shown}

    def to_json(self, instance: str | None = None) -> bytes:
        return json.dumps(self.document(instance), ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def of(failure: Failure, execution_id: str | None, ended: str | None = None) -> Problem:
    """:param ended: the status of an execution that ended with it"""
    status, name, title = _KINDS["Sand.Cancelled"] if ended == "CANCELLED" else _KINDS.get(failure.error, _GRAIN_FAILED)
    # A grain that goes over a limit did not receive a bad request: that is its failure, not the caller's. And one that let an
    # error of what it called go through has run, and ended so: asking for it again later changes nothing, under its
    # Idempotency-Key. That is so of what was full as well, though another request may find room.
    its_own = failure.source == "grain" and failure.error != "Sand.Cancelled"
    if its_own and failure.error == "Sand.Overloaded":
        status, name, title = _GRAIN_REFUSED
        its_own = False
    if its_own and (status < 500 or (status == 503 and not failure.retryable)):
        status = 500
    more = {"error": failure.error, "executionId": execution_id, "stackTrace": failure.stack_trace, **failure.details}
    return Problem(status, name, title, failure.cause or title, failure.source, failure.retryable, **more)


def bad_request(detail: str, **more: Any) -> Problem:
    return Problem(400, "bad-request", "The request is not well-formed", detail, **more)


def not_found(detail: str) -> Problem:
    return Problem(404, "not-found", "Not found", detail)


def method_not_allowed(detail: str, allow: str) -> Problem:
    problem = Problem(405, "method-not-allowed", "Method not allowed", detail)
    problem.headers["Allow"] = allow
    return problem


def unknown_application(name: str) -> Problem:
    detail = f"There is no application '{name}' here; deploy it first."
    return Problem(404, "unknown-application", "Unknown application", detail)


def unknown_version(application: str, qualifier: str) -> Problem:
    detail = f"Application '{application}' has no version or alias '{qualifier}'."
    return Problem(404, "unknown-version", "Unknown version or alias", detail)


def unknown_target(application: str, version: int, target: str) -> Problem:
    detail = f"Version {version} of application '{application}' has no grain or workflow '{target}'."
    return Problem(404, "unknown-target", "Unknown grain or workflow", detail)


def too_large(what: str, limit: int, actual: int) -> Problem:
    detail = f"{what} has {actual} bytes, the limit is {limit}."
    return Problem(413, "body-too-large", "The body is over the limit", detail, limit=limit, actual=actual)


def invalid_application(findings: list[dict[str, str]]) -> Problem:
    """All that is wrong with a folder: each finding has file, pointer and detail."""
    first = findings[0]
    place = first["file"] + (f"#{first['pointer']}" if first["pointer"] else "")
    more = f" (and {len(findings) - 1} more)" if len(findings) > 1 else ""
    detail = f"{place}: {first['detail']}{more}"
    return Problem(422, "invalid-application", "The application folder is not valid", detail, errors=findings)


def as_workflows(failure: Failure) -> Failure:
    """A task's time-out that no state caught fails its workflow under the language's own name."""
    return replace(failure, error="States.Timeout") if failure.error == "Sand.Timeout" else failure
