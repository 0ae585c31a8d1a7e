"""The data plane of the emulator's processes: grants, and the listener where they are shown (docs/DATA-PLANE.md).

A thread a connection, and one an invocation that is under way, as the HTTP server does it.
"""

from __future__ import annotations

import hashlib
import secrets
import socket
import struct
import threading
import time
from typing import Any

from sand.client import frames
from sand.emulator import grants, ids
from sand.emulator.applications import Application, Applications
from sand.emulator.data_plane_figures import Use
from sand.emulator.data_plane_wire import HungUp, Wire, accepted
from sand.emulator.executions import NULL, Execution
from sand.emulator.problems import Failure, Problem
from sand.errors import Overloaded, SandError
from sand.messages import Payload

HOST = "emulator"
EPOCH = 1
CONNECTIONS = 1000
IN_FLIGHT = 2048
VALUE_BYTES = 256 << 20
PART_BYTES = 256 << 10
TIMEOUT_MS = 60_000
OLDEST_MS, AHEAD_MS = 3_600_000, 60_000
_HELLO_SECONDS, _IDLE_SECONDS = 5, 60
_STRANGERS_FRAME_BYTES = 8 << 10


def now_ms() -> int:
    return time.time_ns() // 1_000_000


class DataPlane:
    """Listens from its making to `close`."""

    def __init__(self, host: str, applications: Applications) -> None:
        self.applications = applications
        applications.on_deleted = self.on_deleted
        self.key = secrets.token_bytes(32)
        self._killed: dict[tuple[str, str], int] = {}
        self._uses: dict[tuple[str, str], Use] = {}
        self._open: set[_Connection] = set()
        self._lock = threading.Lock()
        self.once = threading.Lock()
        self._socket = socket.create_server((host, 0), backlog=128)
        self.address = f"{host}:{self._socket.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True, name="data-plane").start()

    def grant(self, application: str, version: int, process: str, functions: list[str], seconds: int) -> tuple[str, int]:
        """And when it expires."""
        now = now_ms()
        rights, until = frozenset({grants.INVOKE}), now + seconds * 1000
        granted = grants.Grant(application, process, HOST, EPOCH, rights, frozenset(functions), now, until, version)
        return grants.sign(granted, self.key), granted.expires_ms

    def is_killed(self, grant: grants.Grant) -> bool:
        return grant.issued_ms < self._killed.get((grant.application, grant.process), 0)

    def is_of_deleted(self, grant: grants.Grant) -> bool:
        """Where there is none now, the first invocation tells."""
        try:
            return grant.is_of_deleted(self.applications.get(grant.application).deleted_up_to)
        except Problem:
            return False

    def admit(self, connection: _Connection, grant: grants.Grant) -> bool:
        """It is one of its application's from now on, unless that has as many as it may."""
        with self._lock:
            if sum(one.is_for(grant.application, None) for one in self._open) >= CONNECTIONS:
                return False
            connection._grant = grant
            return True

    def use(self, application: str, process: str) -> Use:
        with self._lock:
            return self._uses.setdefault((application, process), Use())

    def on_killed(self, application: str, process: str) -> None:
        """Nobody is connected to it any more, whatever grant he has."""
        self._killed[(application, process)] = now_ms()
        with self._lock:
            self._uses.pop((application, process), None)
            found = [one for one in self._open if one.is_for(application, process)]
        for connection in found:
            connection.go_away("Sand.NotFound", f"process {process} was killed")

    def on_deleted(self, application: str) -> None:
        """The same of all its processes."""
        with self._lock:
            for place in [one for one in self._uses if one[0] == application]:
                del self._uses[place]
            found = [one for one in self._open if one.is_for(application, None)]
        for connection in found:
            connection.go_away_deleted()

    def _accept(self) -> None:
        while True:
            try:
                raw, _ = self._socket.accept()
            except OSError:
                return  # closed
            threading.Thread(target=self._serve, args=(raw,), daemon=True, name="data-plane-client").start()

    def _serve(self, raw: socket.socket) -> None:
        raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, struct.pack("ll", _HELLO_SECONDS, 0))
        try:
            connection = _Connection(self, accepted(raw))
            with self._lock:
                self._open.add(connection)
            try:
                connection.serve()
            finally:
                with self._lock:
                    self._open.discard(connection)
                connection.end()
        except (OSError, EOFError, HungUp, frames.BadFrame):
            pass  # it was no client, or is none any more
        finally:
            raw.close()

    def close(self) -> None:
        # Closing alone does not wake who accepts.
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        with self._lock:
            found = list(self._open)
        for connection in found:
            connection.go_away("Sand.Unavailable", f"host {HOST} is stopping")


class _Coming:
    """An invocation whose input is on its way, and then its execution."""

    def __init__(self, invoke: frames.Invoke) -> None:
        self.asked = invoke
        self.memory = bytearray(invoke.size if invoke.size > frames.INLINE_BYTES else 0)
        self.filled = 0
        self.began_ns = self.part_ns = time.monotonic_ns()
        self.execution: Execution | None = None

    def place(self, count: int) -> memoryview:
        if count > len(self.memory) - self.filled:
            raise frames.BadFrame(f"more of a value than its {self.asked.size} bytes")
        at = self.filled
        self.filled += count
        self.part_ns = time.monotonic_ns()
        return memoryview(self.memory)[at : at + count]

    def input(self) -> Payload:
        kind = self.asked.content_type
        data = bytes(self.memory) if self.memory else self.asked.first
        return NULL if not data and kind.startswith("application/json") else Payload(kind, data)


class _Connection:
    def __init__(self, plane: DataPlane, wire: Wire) -> None:
        self._plane = plane
        self._wire = wire
        self._write = threading.Lock()
        self._calls: dict[int, _Coming] = {}
        self._grant: grants.Grant | None = None
        self._use = Use()
        self._reader = frames.Reader(wire.recv_into, self._place)

    def is_for(self, application: str, process: str | None) -> bool:
        """:param process: None: any"""
        grant = self._grant
        return grant is not None and grant.application == application and process in (None, grant.process)

    def _send(self, frame: Any, rest: memoryview | None = None) -> None:
        data = frame if isinstance(frame, bytes) else frames.encode(frame)
        with self._write:
            self._wire.send_all(data, rest)

    def go_away(self, error: str, cause: str) -> None:
        try:
            self._send(frames.GoAway(error, cause))
        except OSError:
            pass
        self.end()

    def go_away_deleted(self) -> None:
        assert self._grant is not None
        self.go_away("Sand.NotFound", f"there is no application {self._grant.application} any more")

    def end(self) -> None:
        # Not in the middle of a frame: who is in one may wait for a client that never reads.
        if self._write.acquire(blocking=False):
            try:
                self._wire.farewell()
            finally:
                self._write.release()
        self._wire.close()

    def _place(self, request: int, count: int) -> memoryview | None:
        coming = self._calls.get(request)
        return coming.place(count) if coming and coming.execution is None else None

    def serve(self) -> None:
        try:
            self._serve()
        except frames.BadFrame as bad:
            self.go_away("Sand.BadRequest", str(bad))
            raise

    def _serve(self) -> None:
        preface = bytearray(4)
        self._wire.recv_all(memoryview(preface))
        if preface != frames.PREFACE:
            raise frames.BadFrame("it does not begin as a data plane's stream does")
        hello = self._reader.next(_STRANGERS_FRAME_BYTES)
        if not isinstance(hello, frames.Hello):
            raise frames.BadFrame("an invocation without a grant")
        if not self._greet(hello):
            return
        self._wire.patience(_IDLE_SECONDS)
        self._use.connected(1)
        try:
            while True:
                self._on_frame(self._next())
                self._expire()
        finally:
            self._use.connected(-1)

    def _next(self) -> Any:
        try:
            return self._reader.next()
        except BlockingIOError:
            self.go_away("Sand.Timeout", f"nothing was heard for {_IDLE_SECONDS * 1000} ms")
            raise

    def _expire(self) -> None:
        """Inputs whose time is over, or that have stopped coming, are given up."""
        now_ns = time.monotonic_ns()
        for coming in [one for one in list(self._calls.values()) if one.execution is None]:
            stopped = now_ns - coming.part_ns > _IDLE_SECONDS * 1_000_000_000
            if stopped or now_ns - coming.began_ns > (coming.asked.deadline_ms or TIMEOUT_MS) * 1_000_000:
                late = "its input had not come when its time was over"
                cause = f"of its input nothing came for {_IDLE_SECONDS * 1000} ms" if stopped else late
                self._fail(coming.asked, Failure("Sand.Timeout", cause, "platform", True))

    def _greet(self, hello: frames.Hello) -> bool:
        try:
            if hello.version != frames.VERSION:
                raise grants.Refused("", f"this host speaks version {frames.VERSION} of the protocol, not {hello.version}")
            grant = grants.read(hello.grant, self._plane.key, now_ms())
        except grants.Refused as refused:
            error = "Sand.Denied" if refused.fault else "Sand.BadRequest"
            self._send(frames.Refused(error, str(refused), refused.fault == "EXPIRED"))
            return False
        if self._plane.is_killed(grant):
            cause = f"process {grant.process} was killed after this grant was issued"
            self._send(frames.Refused("Sand.NotFound", cause, True))
            return False
        if self._plane.is_of_deleted(grant):
            cause = f"application {grant.application} was deleted after this grant was issued"
            self._send(frames.Refused("Sand.NotFound", cause, True))
            return False
        if not self._plane.admit(self, grant):
            cause = f"this host takes at most {CONNECTIONS} connections that are {grant.application}'s"
            self._send(frames.Refused("Sand.Overloaded", cause, True))
            return False
        self._use = self._plane.use(grant.application, grant.process)
        limits = (self._in_flight(grant), VALUE_BYTES, PART_BYTES, _IDLE_SECONDS * 1000)
        self._send(frames.Welcome(frames.VERSION, HOST, grant.process, grant.epoch, now_ms(), *limits))
        return True

    def _in_flight(self, grant: grants.Grant) -> int:
        """What its process runs and lets wait: a client that keeps to it waits itself, and is not refused."""
        try:
            return min(IN_FLIGHT, self._plane.applications.get(grant.application).processes.room(grant.process))
        except Problem:
            return IN_FLIGHT  # the first invocation tells of it

    def _on_frame(self, frame: Any) -> None:
        match frame:
            case frames.Invoke():
                self._on_invoke(frame)
            case frames.Part():
                coming = self._calls.get(frame.request)
                if coming and coming.execution is None and coming.filled == len(coming.memory):
                    self._begin(coming)
            case frames.Cancel():
                coming = self._calls.get(frame.request)
                if coming and coming.execution:
                    coming.execution.cancel("the client of its process cancelled it")
                elif coming:
                    cause = "the client cancelled it before it began"
                    self._fail(coming.asked, Failure("Sand.Cancelled", cause, "platform"), status="CANCELLED")
            case frames.Ping():
                self._send(frames.Pong(frame.number))
            case frames.Pong() | frames.Got():
                pass
            case _:
                raise frames.BadFrame(f"a {type(frame).__name__} is not for a client to send")

    def _on_invoke(self, invoke: frames.Invoke) -> None:
        if invoke.request in self._calls:
            raise frames.BadFrame(f"a second invocation with the number {invoke.request}")
        refusal = self._refusal(invoke)
        if refusal is not None:
            self._fail(invoke, refusal)
            return
        coming = self._calls[invoke.request] = _Coming(invoke)
        if not coming.memory:
            self._begin(coming)

    def _refusal(self, invoke: frames.Invoke) -> Failure | None:
        assert self._grant is not None
        over = "this host takes at most {} {}, and this one would make it {}"
        if len(self._calls) >= IN_FLIGHT:
            cause = over.format(IN_FLIGHT, "invocations of one connection at once", len(self._calls) + 1)
            return Failure("Sand.Overloaded", cause, "platform", True)
        if invoke.size > VALUE_BYTES:
            return Failure("Sand.TooLarge", over.format(VALUE_BYTES, "bytes of an input", invoke.size), "caller")
        if not self._grant.allows(invoke.function):
            return Failure("Sand.Denied", f"the grant does not allow to invoke {invoke.function}", "caller")
        if not ids.VALID.fullmatch(invoke.id):
            cause = f"an invocation's id has 26 characters of base 32, not '{invoke.id}'"
            return Failure("Sand.BadRequest", cause, "caller")
        age = now_ms() - ids.epoch_ms(invoke.id)
        if not -AHEAD_MS <= age <= OLDEST_MS:
            clock = f"the invocation's id tells a time {age} ms ago by this host's clock, which the welcome told"
            cause = f"{clock}; the limit is {OLDEST_MS} ms"
            return Failure("Sand.BadRequest", cause, "caller")
        return None

    def _begin(self, coming: _Coming) -> None:
        assert self._grant is not None
        try:
            application = self._plane.applications.get(self._grant.application)
            if self._grant.is_of_deleted(application.deleted_up_to):
                self.go_away_deleted()
                return
            coming.execution = self._execution(application, coming)
        except Problem:
            self.go_away_deleted()
            return
        except _UnknownGrain as unknown:
            self._fail(coming.asked, Failure(unknown.error, str(unknown), "caller"))
            return
        except SandError as refused:
            self._fail(coming.asked, Failure(refused.error, str(refused), "platform", isinstance(refused, Overloaded)))
            return
        threading.Thread(target=self._answer, args=(coming,), daemon=True, name="data-plane-answer").start()

    def _execution(self, application: Application, coming: _Coming) -> Execution:
        """Begun, or as it was under the same id."""
        assert self._grant is not None
        process_id, asked = self._grant.process, coming.asked
        drawn = hashlib.sha256(f"{application.name}\0{process_id}\0{asked.id}".encode()).digest()
        id = ids.derived(asked.id, drawn)
        version = application.version(None)
        with self._plane.once:
            known = application.executions.get(id)
            if known is not None:
                return known
            if asked.function not in version.manifest.grains:
                raise _UnknownGrain(
                    f"application {application.name} has no grain {asked.function} in its live version {version.number}"
                )
            with application.processes.changed:
                process = application.processes.address(process_id, create=True)
                timeout_ms = asked.deadline_ms or TIMEOUT_MS
                return application.processes.invoke(process, asked.function, coming.input(), timeout_ms, id=id)

    def _answer(self, coming: _Coming) -> None:
        execution, asked = coming.execution, coming.asked
        assert execution is not None
        execution.ended.wait()
        output = execution.output
        sent = len(output.bytes or b"") if output is not None else 0
        self._use.answered(output is None, coming.began_ns, asked.size, sent)
        try:
            if output is None:
                assert execution.failure is not None
                self._fail(asked, execution.failure, execution.id, execution.status)
                return
            data = output.bytes or b""
            small = len(data) <= frames.INLINE_BYTES
            head = frames.Result(asked.request, execution.id, output.content_type, len(data), data if small else b"")
            self._send(head)
            for at in range(0, 0 if small else len(data), PART_BYTES):
                part = memoryview(data)[at : at + PART_BYTES]
                self._send(frames.PART_HEAD.pack(9 + len(part), frames.PART, asked.request), part)
            self._calls.pop(asked.request, None)  # not before: what is not read counts among those that are under way
        except OSError:
            self.end()  # it reads nothing, or has gone

    def _fail(self, asked: frames.Invoke, failure: Failure, execution: str = "", status: str = "FAILED") -> None:
        known = status if status in frames.STATUSES else "FAILED"
        words = (failure.error, failure.cause or "", failure.stack_trace or "")
        self._send(frames.Failed(asked.request, known, failure.source.upper(), failure.retryable, execution, *words))
        self._calls.pop(asked.request, None)


class _UnknownGrain(SandError):
    error = "Sand.UnknownGrain"
