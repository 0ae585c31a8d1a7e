"""Grains in this process, one at a time: breakpoints of an editor work, and deadlines wait for whoever looks."""

from __future__ import annotations

import contextlib
import io
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from sand import failure, loading, values
from sand.context import Context
from sand.emulator.attempts import Attempt, configuration
from sand.emulator.data import Data
from sand.emulator.late import LATE
from sand.emulator.lines import Lines, Origin
from sand.emulator.manifest import Manifest
from sand.emulator.problems import Failure
from sand.emulator.processes_stay import CALLS, stay_of
from sand.emulator.segments import Segments
from sand.errors import Overloaded
from sand.messages import GrainConfiguration, ProcessResult, Publication, ReceiveReply
from sand.protocol import Method

# The process has one current directory, one environment and one sys.modules: whoever runs a handler has them all.
_PROCESS = threading.RLock()


class InlineConnection:
    """What `context` calls, answered in this process."""

    def __init__(self, data: Data, attempt: Attempt, turn: Turn | None = None) -> None:
        self._data = data
        self._attempt = attempt
        self._turn = turn
        self.ahead: list[Publication] = []
        self.awaits = False
        """Nothing is saved here by an answer that waits for another."""

    def call(self, method: Method, request: Any) -> Any:
        if method.name == "publish":
            self.ahead.append(request.publication)
            return None
        if method.name in CALLS:
            return self._of_process(method.name, request)
        return self._data.call(method.name, request, self._attempt.execution_id)

    def _of_process(self, name: str, request: Any) -> Any:
        """What would wait lets others run meanwhile."""
        stay, wait_ms = stay_of(self._attempt), getattr(request, "wait_ms", 0)
        if not wait_ms or self._turn is None:
            return stay.call(name, request)
        try:
            found = stay.call(name, request._replace(wait_ms=0))
            if name == "send" or not _is_nothing(found, request):
                return found
        except Overloaded:
            pass
        with self._turn.aside():
            return stay.call(name, request)


def _is_nothing(found: Any, request: Any) -> bool:
    """The answer of a call that may wait, and has not yet."""
    if isinstance(found, ReceiveReply):
        return found.message is None
    if isinstance(found, ProcessResult):
        return found.output is None and found.error is None
    return request.newer_than is not None and found.version <= request.newer_than


class PausedContext(Context):
    """Its time stands still: a handler that is looked at is not late."""

    __slots__ = ("_left_ms",)

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._left_ms = Context.remaining_ms(self)

    def remaining_ms(self) -> int:
        return self._left_ms

    @property
    def deadline(self) -> float:
        return time.time() + self._left_ms / 1000


class InlineGrains:
    """Each request of a grain gets its modules anew, as elsewhere a process; `isolation: worker` keeps them."""

    def __init__(
        self, manifest: Manifest, version: int, data: Data, segments: Segments, lines: Lines, known_secrets: dict[str, str]
    ) -> None:
        self._manifest = manifest
        self._data = data
        self._segments = segments
        self._lines = lines
        self._origin = Origin(manifest.name, version)
        self._configurations = {
            name: configuration(manifest, grain, version, known_secrets) for name, grain in manifest.grains.items()
        }
        self._kept: dict[str, dict[str, Any]] = {}
        self._standing: Callable[[], AbstractContextManager[None]] = contextlib.nullcontext

    def run(self, attempt: Attempt) -> None:
        configured = self._configurations[attempt.grain]
        origin = self._origin._replace(
            grain=attempt.grain, execution_id=attempt.execution_id, event_id=attempt.event_id, attempt=attempt.number
        )
        with Turn(configured, self._kept, _Written(self._lines, origin), self._standing) as turn:
            attempt.handed(self._manifest.grains[attempt.grain].timeout_ms)
            try:
                handler = loading.load(configured)
            except BaseException as raised:
                if isinstance(raised, KeyboardInterrupt):
                    raise
                said = failure.describe(raised)
                cause = (
                    f"grain {attempt.grain} of application {self._manifest.name} cannot be loaded: {said.error}: {said.cause}"
                )
                attempt.failed(Failure("Sand.ImportFailed", cause, "grain", False, said.stack_trace))
                return
            self._call(handler, configured, attempt, turn)

    def _call(self, handler: loading.Handler, configured: GrainConfiguration, attempt: Attempt, turn: Turn) -> None:
        connection = InlineConnection(self._data, attempt, turn)
        payload = self._segments.travelling(attempt.payload, attempt.execution_id)
        started = time.monotonic_ns()
        try:
            context = PausedContext(configured, connection, self._segments, attempt.message(payload), started)
            argument = values.decode(payload, self._segments)
            started = time.monotonic_ns()
            result = handler(argument, context)
            ended = time.monotonic_ns()
            output = values.encode(result, attempt.event_id, "the handler's result", self._segments)
            published = tuple(
                Publication(one.grain, self._segments.inline(one.payload)) for one in (*connection.ahead, *context._published)
            )
            attempt.writes = self._segments.inline_writes(context._writes or ())
            attempt.finished(self._segments.inline(output), published, started, ended)
        except KeyboardInterrupt:
            raise
        except SystemExit as exiting:
            cause = f"an instance of grain {attempt.grain} exited with code {_code(exiting)} before its handler returned"
            attempt.failed(Failure("Sand.Crashed", cause))
        except BaseException as raised:
            said = failure.describe(raised)
            attempt.failed(Failure(said.error, said.cause, "grain", False, said.stack_trace), started, time.monotonic_ns())

    def cancel(self, attempt: Attempt) -> None:
        """A handler in this process is not interrupted: its execution has ended, and nobody hears what it returns. What waits
        for a message does so no more."""
        attempt.cancelled = True

    def close(self) -> None:
        self._kept.clear()


class DebuggedGrains(InlineGrains):
    """Nothing is late while a handler runs: its workflow's time-outs wait too for whoever looks."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._standing = LATE.standing


def _code(exiting: SystemExit) -> int:
    if exiting.code is None:
        return 0
    return exiting.code if isinstance(exiting.code, int) else 1


class _Tee(io.TextIOBase):
    """Text on its way to the terminal, kept by line. What a debugger says is there at once: it asks without ending its line."""

    def __init__(self, lines: Lines, origin: Origin, stream: str, terminal: Any) -> None:
        self._lines, self._origin, self._stream, self._terminal = lines, origin, stream, terminal
        self._begun = ""
        self._is_there = False
        """The terminal has the line as far as it has begun, and gets the rest of it in the same way."""

    def write(self, text: str) -> int:
        *ends, rest = text.split("\n")
        for end in ends:
            if self._is_there:
                self._terminal.write(end + "\n")
            self._lines.add(self._origin, self._stream, self._begun + end, is_shown=not self._is_there)
            self._begun, self._is_there = "", False
        self._begun += rest
        if rest and sys.gettrace() is not None:
            self._terminal.write(rest if self._is_there else self._begun)
            self._is_there = True
        if self._is_there or ends:
            self._terminal.flush()
        return len(text)

    def end(self) -> None:
        if self._begun:
            self._lines.add(self._origin, self._stream, self._begun, is_shown=not self._is_there)

    def flush(self) -> None:
        self._terminal.flush()


class _Written:
    """What is written while it is here becomes lines of its origin."""

    def __init__(self, lines: Lines, origin: Origin) -> None:
        self._lines, self._origin = lines, origin
        self._streams: tuple[_Tee, _Tee] | None = None

    def begin(self) -> None:
        self._before = sys.stdout, sys.stderr
        if self._streams is None:
            out, err = self._before
            self._streams = _Tee(self._lines, self._origin, "stdout", out), _Tee(self._lines, self._origin, "stderr", err)
        sys.stdout, sys.stderr = self._streams

    def pause(self) -> None:
        sys.stdout, sys.stderr = self._before

    def end(self) -> None:
        for stream in self._streams or ():
            stream.end()


class Turn:
    """This process is a grain's for a while: its path, modules, environment, folder and streams.

    :param kept: modules of each grain with `isolation: worker`
    :param standing: what holds while it is
    """

    def __init__(
        self,
        configured: GrainConfiguration,
        kept: dict[str, dict[str, Any]],
        written: _Written,
        standing: Callable[[], AbstractContextManager[None]],
    ) -> None:
        self._standing = standing
        self._configured = configured
        self._kept = kept
        self._written = written
        self._here = tuple(entry.rstrip("/") + "/" for entry in configured.path)
        self._modules: dict[str, Any] = {}
        self._others: dict[str, Any] = {}
        """Modules of the same files that are somebody else's, such as a test's."""
        self._place: tuple[list[str], Path, dict[str, str]] | None = None
        """Its own path, folder and environment, once it has been put aside."""

    def __enter__(self) -> Turn:
        self._modules = self._kept.get(self._configured.grain, {})
        self._take()
        try:
            loading.prepare(self._configured)
        except BaseException:
            self._leave()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._leave()
        self._written.end()
        if self._configured.isolation == "worker":
            self._kept[self._configured.grain] = self._modules

    @contextlib.contextmanager
    def aside(self) -> Iterator[None]:
        """Others have the process meanwhile."""
        self._leave()
        try:
            yield
        finally:
            self._take()

    def _take(self) -> None:
        _PROCESS.acquire()
        self._stands = self._standing()
        self._stands.__enter__()
        self._outside = [*sys.path], Path.cwd(), dict(os.environ), sys.dont_write_bytecode
        # A change within the same second leaves byte code that looks fresh.
        sys.dont_write_bytecode = True
        self._others = self._put_aside()
        sys.modules.update(self._modules)
        if self._place is not None:
            self._put(*self._place)
        self._written.begin()

    def _leave(self) -> None:
        self._written.pause()
        self._modules = self._put_aside()
        sys.modules.update(self._others)
        self._place = [*sys.path], Path.cwd(), dict(os.environ)
        *place, sys.dont_write_bytecode = self._outside
        self._put(*place)
        self._stands.__exit__(None, None, None)
        _PROCESS.release()

    def _put_aside(self) -> dict[str, Any]:
        """What is loaded of the grain's files; it is loaded no more."""
        found = {
            name: module
            for name, module in list(sys.modules.items())
            if (getattr(module, "__file__", None) or "").startswith(self._here)
        }
        for name in found:
            del sys.modules[name]
        return found

    @staticmethod
    def _put(path: list[str], folder: Path, environment: dict[str, str]) -> None:
        sys.path[:] = path
        os.chdir(folder)
        os.environ.clear()
        os.environ.update(environment)
