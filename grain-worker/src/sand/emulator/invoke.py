"""`POST /invoke/{app}/{target}` and the headers that go with it: from a request to an execution, from its end to an answer."""

from __future__ import annotations

import hashlib
import re
import threading
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from urllib.parse import unquote

from sand.emulator import bodies, problems, quantities
from sand.emulator.applications import Application, Applications, Version
from sand.emulator.executions import EMPTY_OBJECT, NULL, Execution
from sand.emulator.http import Headers, Request, Response, answer_json, answer_problem
from sand.messages import Payload

MOST_TIMEOUT_MS = 366 * 86_400_000
SYNC_TIMEOUT_MS, ASYNC_TIMEOUT_MS = 60_000, 900_000
KEY_CHARS = 255
_TRACEPARENT = re.compile(r"[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(-.*)?")
Output = Callable[[Payload, Headers], Response]


@dataclass(frozen=True)
class Settings:
    """What a request's headers ask for.

    :param wait_ms: answer within this time, else 202; None: not asked for
    """

    asynchronous: bool
    wait_ms: int | None
    timeout_ms: int
    key: str | None
    traceparent: str | None


def settings(request: Request, timeout: str | None) -> Settings:
    """:param timeout: of the query, or None; the header wins"""
    asynchronous, wait_ms = False, None
    for name, value in request.headers:
        if name.lower() != "prefer":
            continue
        for preference in (part.strip() for part in value.split(",")):
            if preference.lower() == "respond-async":
                asynchronous = True
            elif preference.lower().startswith("wait="):
                wait_ms = _wait_ms(preference[5:].strip())
    key, traceparent = request.header("Idempotency-Key"), request.header("traceparent")
    if key is not None:
        key = key[1:-1] if len(key) >= 2 and key[0] == key[-1] == '"' else key
        if not 1 <= len(key) <= KEY_CHARS:
            detail = f"An Idempotency-Key has 1 to {KEY_CHARS} characters, not {len(key)}."
            raise problems.bad_request(detail, limit=KEY_CHARS, actual=len(key))
    if traceparent is not None and not _TRACEPARENT.fullmatch(traceparent):
        traceparent = None
    later = asynchronous or wait_ms is not None
    header = request.header("Sand-Timeout")
    timeout_ms = deadline_ms(timeout if header is None else header, later)
    # respond-async with wait=N: RFC 7240 reads both as "asynchronous, unless it is done within N seconds".
    return Settings(asynchronous and wait_ms is None, wait_ms, timeout_ms, key, traceparent)


def _wait_ms(text: str) -> int:
    try:
        value = Decimal(text.replace('"', ""))
        if value >= 0:
            return min(int(value * 1000), MOST_TIMEOUT_MS)
    except (InvalidOperation, ValueError, OverflowError):
        pass
    raise problems.bad_request(f"Prefer: wait is a number of seconds, not '{text}'.")


def deadline_ms(text: str | None, later: bool) -> int:
    if text is None:
        return ASYNC_TIMEOUT_MS if later else SYNC_TIMEOUT_MS
    try:
        value = quantities.millis(text)
    except ValueError as bad:
        raise problems.bad_request(f"Sand-Timeout: {bad}.") from None
    if not 1 <= value <= MOST_TIMEOUT_MS:
        detail = f"Sand-Timeout is from 1ms to {MOST_TIMEOUT_MS}ms, not '{text}'."
        raise problems.bad_request(detail, limit=MOST_TIMEOUT_MS, actual=value)
    return value


class Invoker:
    """Starts executions and answers with their ends."""

    def __init__(self, applications: Applications) -> None:
        self._applications = applications
        self._keys: dict[tuple[str, str, str], tuple[str, Execution]] = {}
        self._lock = threading.Lock()

    def invoke(self, request: Request) -> Response:
        parts = [unquote(part) for part in _short(request.path).split("/")[2:]]
        if len(parts) != 2 or not all(parts):
            raise problems.not_found(f"There is nothing at {request.path}; an invocation is POST /invoke/{{app}}/{{target}}.")
        if request.method != "POST":
            raise problems.method_not_allowed(f"An invocation is a POST, not a {request.method}.", "POST")
        target, _, qualifier = parts[1].partition("@")
        application = self._applications.get(parts[0])
        version = application.version(qualifier or None)
        if not version.manifest.has_target(target):
            raise problems.unknown_target(application.name, version.number, target)
        asked = settings(request, request.query("timeout"))
        payload = payload_of(request, EMPTY_OBJECT if target in version.manifest.workflows else NULL)
        return self.start(request, application, version, target, payload, asked, as_it_is)

    def start(
        self,
        request: Request,
        application: Application,
        version: Version,
        target: str,
        payload: Payload,
        asked: Settings,
        output: Output,
    ) -> Response:
        def begin() -> Execution:
            return application.start(version, target, payload, asked.timeout_ms, asked.traceparent)

        execution, headers = self.once((application.name, target), asked.key, payload, b"", begin)
        return answer(request, execution, asked, headers, output)

    def once(
        self, place: tuple[str, str], key: str | None, payload: Payload, more: bytes, begin: Callable[[], Execution]
    ) -> tuple[Execution, Headers]:
        """The execution that an Idempotency-Key stands for, which is begun if there is none.

        :param more: what a repetition has to have in common besides the payload
        """
        if key is None:
            return begin(), []
        content = payload.content_type.encode() + b"\0" + more + (payload.bytes or b"")
        digest = hashlib.sha256(content).hexdigest()
        with self._lock:
            known = self._keys.get((*place, key))
            # A request that failed and may work later frees its key.
            if known and not (known[1].failure and known[1].failure.retryable):
                before, execution = known
                if before != digest:
                    raise _other_body(execution)
                return execution, [("Idempotent-Replayed", "true")]
            execution = begin()
            self._keys[(*place, key)] = (digest, execution)
            return execution, []


def _short(path: str) -> str:
    """`/api/v1/applications/{app}/invoke/{target}` is `/invoke/{app}/{target}`."""
    _, first, *rest = path.split("/")
    return path if first == "invoke" else "/".join(["", "invoke", rest[2], *rest[4:]])


def payload_of(request: Request, nothing: Payload = NULL) -> Payload:
    """The body as an input, `nothing` when it is empty. :raises Problem: it is none"""
    encoding = request.header("Content-Encoding")
    if encoding and encoding.lower() != "identity":
        raise _encoded(encoding)
    kind = bodies.kind(request.header("Content-Type"), request.body)
    if fault := bodies.check(kind, request.body):
        raise fault
    return Payload(kind, request.body) if request.body else nothing


def answer(request: Request, execution: Execution, asked: Settings, headers: Headers, output: Output) -> Response:
    """When it has ended, or as long as that may take."""
    if asked.asynchronous or not execution.ended.wait(_patience(asked)):
        return accepted(execution, asked, headers)
    return ended(request, execution, asked, headers, output)


def _patience(asked: Settings) -> float | None:
    """A workflow may end a moment after its deadline; nothing waits for ever."""
    return asked.wait_ms / 1000 if asked.wait_ms is not None else None


def _encoded(encoding: str) -> problems.Problem:
    detail = (
        f"The body is taken as it is sent, and is not decoded: send it without Content-Encoding: {encoding}, or under a "
        "Content-Type of its own."
    )
    problem = problems.Problem(415, "encoded-body", "The body is encoded", detail)
    problem.headers["Accept-Encoding"] = "identity"
    return problem


def _other_body(execution: Execution) -> problems.Problem:
    detail = (
        "This Idempotency-Key was used with another body, or for another process, for the same target, by execution "
        f"{execution.id}; use a new key for a new request."
    )
    title = "The key stands for another request"
    return problems.Problem(422, "idempotency-key-reused", title, detail, executionId=execution.id)


def location(execution: Execution) -> str:
    return f"/api/v1/applications/{execution.manifest.name}/invocations/{execution.id}"


def accepted(execution: Execution, asked: Settings, headers: Headers) -> Response:
    waited = f"wait={(Decimal(asked.wait_ms or 0) / 1000).normalize():f}"
    document = {
        "executionId": execution.id, "application": execution.manifest.name, "version": execution.version,
        "target": execution.target, "status": "RUNNING", "location": location(execution),
    }  # fmt: skip
    more = [
        ("Sand-Execution-Id", execution.id),
        ("Location", location(execution)),
        ("Preference-Applied", "respond-async" if asked.asynchronous else waited),
    ]
    return answer_json(202, document, headers + more)


def ended(request: Request, execution: Execution, asked: Settings, headers: Headers, output: Output) -> Response:
    headers = [*headers, ("Sand-Execution-Id", execution.id), ("Server-Timing", server_timing(execution))]
    if asked.wait_ms is not None:
        headers.append(("Content-Location", location(execution)))
    if execution.output is not None:
        try:
            return output(execution.output, headers)
        except problems.Problem as problem:
            return answer_problem(problem, request.path, headers)
    assert execution.failure is not None
    return answer_problem(problems.of(execution.failure, execution.id, execution.status), request.path, headers)


def as_it_is(output: Payload, headers: Headers) -> Response:
    return Response(200, output.bytes or b"", output.content_type, headers)


def server_timing(execution: Execution) -> str:
    """Milliseconds in each part, summed over the attempts."""
    names, sums = ("queue", "dispatch", "run", "bus"), [0, 0, 0, 0]
    for attempt in execution.attempts:
        marks = (attempt.queued_ns, attempt.handed_ns, attempt.started_ns, attempt.ended_ns, attempt.returned_ns)
        for i in range(4):
            sums[i] += max(0, marks[i + 1] - marks[i]) if marks[i] and marks[i + 1] else 0
    return ", ".join(f"{name};dur={ns / 1e6:.3f}" for name, ns in zip(names, sums, strict=True))
