"""A grain instance: the child that a worker forks ahead of need. It rehearses, waits in take, runs the handler, ends.

    forked ─▶ set up ─▶ rehearsed ─▶ waiting (take) ─▶ running ─▶ finish or fail ─▶ ended
                                        ▲                             │
                                        └──── isolation: worker ──────┘

Everything before the wait is ahead of need; what follows it is the path of an event and touches as little as it can.
"""

from __future__ import annotations

import _signal
import os
import sys
import time
from collections.abc import Callable
from typing import Any, NoReturn

from sand import failure, hotpath, kernel, loading, logs, values
from sand.connection import Connection, ConnectionClosed, connect
from sand.context import Context
from sand.errors import BadRequest
from sand.notes import Notes
from sand.protocol import (
    FAIL,
    SCHEMA_VERSION,
    TAKE,
    EventMessage,
    FailRequest,
    GrainConfiguration,
    Payload,
    TakeReply,
    encode_call,
)
from sand.wire import REPLY, ProtocolError, message

# Exit codes of instances that end without having served: sysexits.h's EX_SOFTWARE, EX_UNAVAILABLE and EX_CONFIG.
BROKEN, DISCONNECTED, NOT_LOADED = 70, 69, 78

_now = time.monotonic_ns


class LazySegments:
    """The connection to data.sock, made when a value is large."""

    __slots__ = ("_directory", "_segments")

    def __init__(self, directory: str) -> None:
        self._directory = directory
        self._segments: Any = None

    def _connected(self) -> Any:
        if self._segments is None:
            from sand.segments import Segments

            self._segments = Segments(self._directory)
        return self._segments

    def store(self, event_id: str, parts: tuple[Any, ...], size: int) -> str:
        return self._connected().store(event_id, parts, size)

    def load(self, name: str) -> memoryview:
        return self._connected().load(name)


class Instance:
    """One process's serving of events."""

    def __init__(self, configuration: GrainConfiguration, connection: Connection, directory: str) -> None:
        self._configuration = configuration
        self._connection = connection
        self._segments = LazySegments(directory)
        self._pid = os.getpid()

    def answer(self, frame: Any, handler: loading.Handler, marks: tuple[int, ...]) -> bytes | None:
        """From the reply to take to the finish or fail that answers it; None when there was no event.

        :param marks: descriptors on which the attempt's beginning is marked
        """
        event = hotpath.decode_take_reply(frame)
        if event is None:
            return None
        mark = f"\x1e{event.execution_id} {event.event_id} {event.attempt}\n".encode()
        for fd in marks:
            logs.mark(fd, mark)
        started = _now()
        context = Context(self._configuration, self._connection, self._segments, event, started)
        try:
            if event.schema > SCHEMA_VERSION:
                raise BadRequest(f"event schema {event.schema} is newer than this runtime understands ({SCHEMA_VERSION})")
            argument = values.decode(event.payload, self._segments)
            started = _now()
            result = handler(argument, context)
            ended = _now()
            if os.getpid() != self._pid:
                self._leave_copy(0)
            output = values.encode(result, event.event_id, "the handler's result", self._segments)
            return hotpath.encode_finish(event.event_id, event.attempt, output, context._published, started, ended)
        except SystemExit as exiting:
            logs.flush()
            os._exit(_exit_code(exiting))
        except BaseException as raised:
            return self._failed(event, raised, started, _now())

    def _failed(self, event: EventMessage, raised: BaseException, started: int, ended: int) -> bytes:
        if os.getpid() != self._pid:
            sys.excepthook(type(raised), raised, raised.__traceback__)
            self._leave_copy(1)
        if isinstance(raised, MemoryError):
            kernel.release_reserve()
        said = failure.describe(raised)
        return encode_call(
            FAIL, FailRequest(event.event_id, event.attempt, said.error, said.cause, said.stack_trace, started, ended)
        )

    def _leave_copy(self, code: int) -> NoReturn:
        """The handler forked, and the copy came back from it: only the instance itself answers."""
        logs.flush()
        os._exit(code)

    def rehearse(self) -> None:
        """Runs the path once with a dummy event and handler, so that its memory is this process's own before the wait."""
        self.answer(_DUMMY_FRAME, _dummy_handler, (0, 0))
        logs.flush()

    def serve(self, instance: str, handler: loading.Handler) -> None:
        """Returns when there is nothing more to do."""
        connection = self._connection
        take = hotpath.encode_take(instance, self._pid)
        once = self._configuration.isolation != "worker"
        left = self._configuration.max_requests or -1
        connection.send(take)
        while True:
            answer = self.answer(connection.receive(), handler, (1, 2))
            if answer is None:
                return
            logs.flush()
            left -= 1
            if once or left == 0:
                connection.send(answer)
                return
            connection.send(answer + take)


def _exit_code(exiting: SystemExit) -> int:
    """As Python's own: a number is the code, nothing is 0, anything else is printed and 1."""
    code = exiting.code
    if code is None:
        return 0
    if isinstance(code, int):
        return code & 0xFF
    logs.mark(2, f"{code}\n".encode("utf-8", "replace"))
    return 1


def _dummy_handler(event: Any, context: Context) -> Any:
    context.remaining_ms()
    return {"rehearsed": [event, 1.5, None]}


def _dummy_frame() -> bytes:
    event = EventMessage(
        SCHEMA_VERSION, "rehearsal/main", "rehearsal", "rehearsal", 1, 1000,
        Payload(values.JSON, b'{"key": ["value", 1, 2.5, true, null], "text": "\\u00e9"}'),
    )  # fmt: skip
    body = [b"\x0c\0\0"]
    TAKE.result.encode(body, TakeReply(event))
    return message(REPLY, TAKE.name, 0, [*body, b"\0"])[4:]


_DUMMY_FRAME = _dummy_frame()


def run(
    instance: str,
    configuration: GrainConfiguration,
    directory: str,
    worker: int,
    handler: loading.Handler | None,
    reseed: list[Callable[[], None]],
    temporary: str | None,
    notes: Notes | None,
) -> NoReturn:
    """The whole life of the forked child.

    :param worker: pid of the worker, with which this process dies
    :param handler: None: import the grain's code here
    :param notes: where to tell the worker that the import failed; there when the handler is not
    """
    kernel.die_with_parent(worker)
    os.setsid()
    _signal.signal(_signal.SIGINT, _signal.default_int_handler)
    kernel.become_subreaper()
    kernel.prefer_for_oom()
    try:
        logs.attach(directory, instance)
        connection = Connection(connect(f"{directory}/bus.sock"))
        if temporary is not None:
            _use_temporary(temporary)
        if configuration.instance_memory_bytes:
            kernel.limit_memory(configuration.instance_memory_bytes)
        if handler is None:
            handler = _load(instance, configuration, notes)
        for renew in reseed:
            renew()
        serving = Instance(configuration, connection, directory)
        serving.rehearse()
        serving.serve(instance, handler)
    except (ConnectionClosed, ProtocolError):
        os._exit(DISCONNECTED)
    os._exit(0)


def _load(instance: str, configuration: GrainConfiguration, notes: Notes | None) -> loading.Handler:
    assert notes is not None
    try:
        handler = loading.load(configuration)
    except BaseException as raised:
        said = failure.describe(raised)
        logs.mark(2, (said.stack_trace or said.cause).encode("utf-8", "replace"))
        notes.leave(instance, f"its code did not import: {said.error}: {said.cause}")
        os._exit(NOT_LOADED)
    notes.close()
    return handler


def _use_temporary(folder: str) -> None:
    """A folder of this instance's own, removed by the worker afterwards."""
    try:
        os.mkdir(folder, 0o700)
    except OSError:
        return
    os.environ["TMPDIR"] = folder
    if tempfile := sys.modules.get("tempfile"):
        tempfile.tempdir = None
