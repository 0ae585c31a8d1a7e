"""A grain instance: the child that a worker forks ahead of need. It rehearses, waits in take, runs the handler, ends.

    forked ─▶ set up ─▶ rehearsed ─▶ waiting (take) ─▶ running ─▶ finish or fail ─▶ ended
                                        ▲                             │
                                        └──── isolation: worker ──────┘

Everything before the wait is ahead of need; what follows it is the path of an event and touches as little as it can.
What runs once is imported by name: looking an attribute up touches the name, the module and its dictionary besides.
"""

from __future__ import annotations

import os
import sys
import time
from _signal import SIGINT, default_int_handler
from _signal import signal as set_handler
from collections.abc import Callable
from os import _exit, getpid, setsid
from sys import modules
from typing import TYPE_CHECKING, Any, NoReturn

from sand import failure, hotpath, kernel, loading, logs, values
from sand.connection import Connection, ConnectionClosed, connect
from sand.context import Context
from sand.errors import BadRequest
from sand.hotpath import encode_take
from sand.kernel import become_subreaper, die_with_parent
from sand.logs import attach
from sand.messages import SCHEMA_VERSION, EventMessage, FailRequest, GrainConfiguration, SecretsCommand
from sand.notes import Notes
from sand.protocol import FAIL, encode_call
from sand.wire import ProtocolError

if TYPE_CHECKING:
    from sand.rehearsal import Stage

# Exit codes of instances that end without having served: sysexits.h's EX_SOFTWARE, EX_UNAVAILABLE and EX_CONFIG.
BROKEN, DISCONNECTED, NOT_LOADED = 70, 69, 78

# Between an answer and the end of the process that gave it, in seconds.
LINGER_S = 0.003

_now = time.monotonic_ns
_sleep = time.sleep


class LazySegments:
    """The connection to data.sock, made when a value is large."""

    __slots__ = ("_directory", "_segments", "instance")

    def __init__(self, directory: str) -> None:
        self._directory = directory
        self.instance: str | None = None
        self._segments: Any = None

    def _connected(self) -> Any:
        if self._segments is None:
            from sand.segments import Segments

            self._segments = Segments(self._directory, self.instance)
        return self._segments

    def store(self, event_id: str, parts: tuple[Any, ...], size: int) -> str:
        return self._connected().store(event_id, parts, size)

    def load(self, name: str) -> memoryview:
        return self._connected().load(name)

    def view(self, name: str) -> memoryview:
        return self._connected().view(name)

    def read(self, name: str) -> bytes:
        return self._connected().read(name)

    def read_into(self, name: str, make: Callable[[int], Any]) -> Any:
        return self._connected().read_into(name, make)

    def rest(self) -> None:
        if self._segments is not None:
            self._segments.rest()

    def is_of(self, name: str, execution_id: str) -> bool:
        return self._segments is not None and self._segments.is_of(name, execution_id)


class Instance:
    """One process's serving of events."""

    def __init__(self, configuration: GrainConfiguration, directory: str) -> None:
        self._configuration = configuration
        self._segments = LazySegments(directory)

    def renew(self, told: SecretsCommand) -> None:
        """In the worker: what is forked from now on has these."""
        self._configuration = self._configuration._replace(secrets=told.secrets, unopened=told.unopened)

    def begin(self, name: str, connection: Connection) -> None:
        """This process is the instance of that name."""
        self.connection = connection
        self._segments.instance = name
        self._pid = getpid()
        self._take = encode_take(name, self._pid)

    def _answer(self, frame: Any, handler: loading.Handler, marks: tuple[int, ...], behind: bytes) -> bytes | None:
        """From the reply to take to the finish or fail that answers it; None when there was no event.

        :param marks: descriptors on which the attempt's beginning is marked; :param behind: what goes out with it
        """
        event = hotpath.decode_take_reply(frame)
        if event is None:
            return None
        if marks:
            mark = f"\x1e{event.execution_id} {event.event_id} {event.attempt}\n".encode()
            for fd in marks:
                logs.mark_attempt(fd, mark)
        started = _now()
        context = Context(self._configuration, self.connection, self._segments, event, started)
        try:
            if event.schema > SCHEMA_VERSION:
                raise BadRequest(f"event schema {event.schema} is newer than this runtime understands ({SCHEMA_VERSION})")
            argument = values.decode(event.payload, self._segments)
            is_view = type(argument) is memoryview
            if event.traceparent is not None and "opentelemetry" in modules:
                handler = _traced(handler, event.traceparent)
            started = _now()
            result = handler(argument, context)
            ended = _now()
            if os.getpid() != self._pid:
                self._leave_copy(0)
            came = event.payload.reference
            if is_view and result is argument and self._segments.is_of(came.object, event.execution_id):
                output = values.Payload(values.OCTETS, None, came)  # what came in goes out: it is there already
            else:
                output = values.encode(result, event.event_id, "the handler's result", self._segments)
            published, writes = context._published, context._writes
            return hotpath.encode_finish(event.event_id, event.attempt, output, published, started, ended, writes, behind)
        except SystemExit as exiting:
            logs.flush()
            os._exit(_exit_code(exiting))
        except BaseException as raised:
            return self._failed(event, raised, started) + behind

    def _failed(self, event: EventMessage, raised: BaseException, started: int) -> bytes:
        if os.getpid() != self._pid:
            sys.excepthook(type(raised), raised, raised.__traceback__)
            self._leave_copy(1)
        said = self._described(raised)
        # Behind the description, which takes longer than many a function: no time of the bus.
        return encode_call(
            FAIL, FailRequest(event.event_id, event.attempt, said.error, said.cause, said.stack_trace, started, _now())
        )

    def _described(self, raised: BaseException) -> failure.Failure:
        if not isinstance(raised, MemoryError):
            return failure.describe(raised)
        kernel.release_reserve()
        said = failure.describe(raised)
        limit = self._configuration.instance_memory_bytes >> 20
        if not limit:
            return said
        whose = "by default, of the sandbox's memory" if self._configuration.memory_by_default else "by memory: in sand.yaml"
        cause = f"{said.cause} (an instance of grain {self._configuration.grain} may hold {limit} MiB of data, {whose})"
        return said._replace(cause=cause)

    def _leave_copy(self, code: int) -> NoReturn:
        """The handler forked, and the copy came back from it: only the instance itself answers."""
        logs.flush()
        os._exit(code)

    def step(self, handler: loading.Handler, marks: tuple[int, ...], last: bool) -> bool:
        """Waits for one event and answers it; false when there was none.

        :param last: this instance takes no other
        """
        connection = self.connection
        answer = self._answer(connection.receive(), handler, marks, b"" if last else self._take)
        if answer is None:
            return False
        logs.flush()
        connection.send(answer)
        if not last:
            self._segments.rest()
        return True

    def serve(self, handler: loading.Handler) -> None:
        """Returns when there is nothing more to do."""
        # Never 1 when there is no limit: it starts at 0 and goes down.
        left = self._configuration.max_requests if self._configuration.isolation == "worker" else 1
        self.connection.send(self._take)
        # A process with one event needs no marks: all it writes is that attempt's, and two writes wake the collector.
        marks = (1, 2) if self._configuration.isolation == "worker" else ()
        while self.step(handler, marks, left == 1) and left != 1:
            left -= 1


def _traced(handler: loading.Handler, traceparent: str) -> loading.Handler:
    """The handler within OpenTelemetry's context: its spans are children of the platform's."""
    from sand import telemetry

    def traced(event: Any, context: Any) -> Any:
        token = telemetry.attach(traceparent)
        try:
            return handler(event, context)
        finally:
            if token is not None:
                telemetry.detach(token)

    return traced


def _exit_code(exiting: SystemExit) -> int:
    """As Python's own: a number is the code, nothing is 0, anything else is printed and 1."""
    code = exiting.code
    if code is None:
        return 0
    if isinstance(code, int):
        return code & 0xFF
    logs.mark(2, f"{code}\n".encode("utf-8", "replace"))
    return 1


def run(
    name: str,
    configuration: GrainConfiguration,
    directory: str,
    worker: int,
    data_limit: int,
    handler: loading.Handler | None,
    reseed: list[Callable[[], None]],
    notes: Notes | None,
    serving: Instance,
    stage: Stage,
) -> NoReturn:
    """The whole life of the forked child.

    :param worker: pid of the worker, with which this process dies
    :param data_limit: RLIMIT_DATA; 0: none, or what is left of the default once the code is here
    :param handler: None: import the grain's code here
    :param notes: where to tell the worker that the import failed; there when the handler is not
    """
    die_with_parent(worker)
    setsid()
    set_handler(SIGINT, default_int_handler)
    become_subreaper()
    try:
        attach(directory, name)
        connection = Connection(connect(f"{directory}/bus.sock"))
        if data_limit:
            kernel.limit_memory(data_limit)
        if handler is None:
            handler = _load(name, configuration, notes)
            if configuration.memory_by_default:
                kernel.limit_memory(kernel.data_limit(configuration.instance_memory_bytes, True))
        for renew in reseed:
            renew()
        serving.begin(name, connection)
        stage.play(serving)
        stage.leave()
        serving.serve(handler)
        # Ending takes the kernel longer than the whole hand-over: whoever waits for the answer goes first.
        _sleep(LINGER_S)
    except (ConnectionClosed, ProtocolError):
        _exit(DISCONNECTED)
    _exit(0)


def _load(name: str, configuration: GrainConfiguration, notes: Notes | None) -> loading.Handler:
    assert notes is not None
    try:
        handler = loading.load(configuration)
    except BaseException as raised:
        said = failure.describe(raised)
        logs.mark(2, (said.stack_trace or said.cause).encode("utf-8", "replace"))
        notes.leave(name, f"its code did not import: {said.error}: {said.cause}")
        os._exit(NOT_LOADED)
    notes.close()
    return handler
