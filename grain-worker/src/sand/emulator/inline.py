"""Grains in this process, one at a time: breakpoints of an editor work, and deadlines wait for whoever looks."""

from __future__ import annotations

import contextlib
import io
import os
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sand import failure, loading, values
from sand.context import Context
from sand.emulator.attempts import Attempt, configuration
from sand.emulator.data import Data
from sand.emulator.lines import Lines, Origin
from sand.emulator.manifest import Manifest
from sand.emulator.problems import Failure
from sand.emulator.segments import Segments
from sand.messages import GrainConfiguration, Publication
from sand.protocol import Method

# The process has one current directory, one environment and one sys.modules: whoever runs a handler has them all.
_PROCESS = threading.RLock()


class InlineConnection:
    """What `context` calls, answered in this process."""

    def __init__(self, data: Data, attempt: Attempt) -> None:
        self._data = data
        self._attempt = attempt
        self.ahead: list[Publication] = []

    def call(self, method: Method, request: Any) -> Any:
        if method.name == "publish":
            self.ahead.append(request.publication)
            return None
        return self._data.call(method.name, request, self._attempt.execution_id)


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

    def run(self, attempt: Attempt) -> None:
        configured = self._configurations[attempt.grain]
        origin = self._origin._replace(
            grain=attempt.grain, execution_id=attempt.execution_id, event_id=attempt.event_id, attempt=attempt.number
        )
        with _PROCESS, self._become(configured), _written(self._lines, origin):
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
            self._call(handler, configured, attempt)

    def _call(self, handler: loading.Handler, configured: GrainConfiguration, attempt: Attempt) -> None:
        connection = InlineConnection(self._data, attempt)
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
            attempt.finished(self._segments.inline(output), published, started, ended)
        except KeyboardInterrupt:
            raise
        except SystemExit as exiting:
            cause = f"an instance of grain {attempt.grain} exited with code {_code(exiting)} before its handler returned"
            attempt.failed(Failure("Sand.Crashed", cause))
        except BaseException as raised:
            said = failure.describe(raised)
            attempt.failed(Failure(said.error, said.cause, "grain", False, said.stack_trace), started, time.monotonic_ns())

    @contextlib.contextmanager
    def _become(self, configured: GrainConfiguration) -> Iterator[None]:
        """This process is the grain's for a while: its path, modules, environment and folder."""
        path, folder, environment = [*sys.path], Path.cwd(), dict(os.environ)
        dont_write = sys.dont_write_bytecode
        # A change within the same second leaves byte code that looks fresh.
        sys.dont_write_bytecode = True
        here = [entry.rstrip("/") + "/" for entry in configured.path]
        ours = self._kept.get(configured.grain, {})
        sys.modules.update(ours)
        try:
            loading.prepare(configured)
            yield
        finally:
            mine = {
                name: module
                for name, module in list(sys.modules.items())
                if (getattr(module, "__file__", None) or "").startswith(tuple(here))
            }
            for name in mine:
                del sys.modules[name]
            if configured.isolation == "worker":
                self._kept[configured.grain] = mine
            sys.path[:], sys.dont_write_bytecode = path, dont_write
            os.chdir(folder)
            os.environ.clear()
            os.environ.update(environment)

    def cancel(self, attempt: Attempt) -> None:
        """A handler in this process is not interrupted: its execution has ended, and nobody hears what it returns."""

    def close(self) -> None:
        self._kept.clear()


def _code(exiting: SystemExit) -> int:
    if exiting.code is None:
        return 0
    return exiting.code if isinstance(exiting.code, int) else 1


class _Tee(io.TextIOBase):
    """Text on its way to the terminal, kept by line."""

    def __init__(self, lines: Lines, origin: Origin, stream: str, terminal: Any) -> None:
        self._lines, self._origin, self._stream, self._terminal = lines, origin, stream, terminal
        self._begun = ""

    def write(self, text: str) -> int:
        *whole, self._begun = (self._begun + text).split("\n")
        for line in whole:
            self._lines.add(self._origin, self._stream, line)
        # A debugger asks without ending its line.
        if self._begun and sys.gettrace() is not None:
            self._terminal.write(self._begun)
            self._terminal.flush()
        return len(text)

    def end(self) -> None:
        if self._begun:
            self._lines.add(self._origin, self._stream, self._begun)

    def flush(self) -> None:
        self._terminal.flush()


@contextlib.contextmanager
def _written(lines: Lines, origin: Origin) -> Iterator[None]:
    out, err = _Tee(lines, origin, "stdout", sys.stdout), _Tee(lines, origin, "stderr", sys.stderr)
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            yield
        finally:
            out.end()
            err.end()
