"""An application in a test's hands: what the fixtures of sand.testing give."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from sand import values
from sand.asl import GrainFailed, Machine, Outcome, Stubs
from sand.context import Data
from sand.emulator.applications import Applications
from sand.emulator.attempts import Attempt
from sand.emulator.executions import Execution
from sand.emulator.forked import ForkedGrains
from sand.emulator.inline import InlineConnection, InlineGrains
from sand.emulator.problems import Failure
from sand.messages import Payload

TIMEOUT_MS = 60_000


class CallFailed(AssertionError):
    """A grain or workflow that was to give an output did not. `error` and `cause` are what a workflow would match."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(f"{failure.error}: {failure.cause}\n{failure.stack_trace or ''}")
        self.error = failure.error
        self.cause = failure.cause
        self.failure = failure


@dataclass(frozen=True)
class Result:
    """How an execution ended.

    :param status: SUCCEEDED, FAILED, TIMED_OUT or CANCELLED
    :param output: decoded as a handler gets it; None unless it succeeded
    :param content_type: of the output
    :param hops: each attempt of a grain, with its times
    :param lines: what was written, each line with grain, stream, level and text
    :param history: of a workflow: what happened in it, as sand.asl.HistoryEvent has it
    """

    status: str
    output: Any
    content_type: str | None
    failure: Failure | None
    hops: list[dict[str, Any]]
    lines: list[dict[str, Any]]
    history: list[dict[str, Any]] = field(default_factory=list)

    @property
    def error(self) -> str | None:
        return self.failure.error if self.failure else None

    @property
    def cause(self) -> str | None:
        return self.failure.cause if self.failure else None

    def states(self) -> list[str]:
        """The names of the states that a workflow entered, in order."""
        return [event["state"] or "" for event in self.history if event["kind"] == "StateEntered"]


class _Outside:
    """What `Data` needs of a context, for a caller that is no grain."""

    def __init__(self, connection: Any, segments: Any) -> None:
        self._connection = connection
        self.segments = segments
        self.invocation_id = "test/test"


class Harness:
    """An application without a server.

    :param forked: each request in a process of its own; else all in this one
    :raises problems.Problem: the folder is not valid, with all that is wrong with it
    """

    def __init__(self, folder: Path, forked: bool = False) -> None:
        self._applications = Applications(ForkedGrains if forked else InlineGrains)
        self._application, self._version = self._applications.load(Path(folder))
        self.name = self._application.name
        outside = Attempt("test/test", "test", "test", "test", Payload(values.JSON, b"null"), time.monotonic_ns())
        connection = InlineConnection(self._application.data, outside)
        self.data = Data(_Outside(connection, self._application.segments))  # type: ignore[arg-type]

    def call(self, target: str, event: Any = None, **options: Any) -> Any:
        """The output. :raises CallFailed: there is none"""
        result = self.invoke(target, event, **options)
        if result.failure is not None:
            raise CallFailed(result.failure)
        return result.output

    def invoke(
        self, target: str, event: Any = None, *, content_type: str | None = None, timeout_ms: int = TIMEOUT_MS
    ) -> Result:
        """Runs a grain or a workflow to its end, however that is.

        :param event: what a handler may return too: JSON, bytes, an array
        :param content_type: of bytes
        """
        payload = self._payload(event)
        if content_type is not None:
            payload = payload._replace(content_type=content_type)
        execution = self._application.start(self._version, target, payload, timeout_ms)
        execution.ended.wait()
        return self._result(execution)

    def workflow(self, name: str, input: Any = None, stubs: Mapping[str, Any] | None = None, **options: Any) -> Outcome:
        """Runs a workflow in virtual time: waits, retries and time-outs cost nothing.

        :param stubs: by grain: {"return": value}, {"raise": {"error": …, "cause": …}}, {"echo": true}, a function of
            the input, or a list of such, one a call; a grain without one is called itself
        :param options: of sand.asl.Machine.run: id, start_ms
        """
        workflow = self._version.manifest.workflows[name]
        machine = Machine(workflow.definition, application=self.name, name=name)
        real = {grain: partial(self._call_grain, grain) for grain in self._version.manifest.grains}
        return machine.run(input, Stubs(real | dict(stubs or {})), **options)

    def _call_grain(self, grain: str, input: Any) -> Any:
        result = self.invoke(grain, input)
        if result.failure is not None:
            timed_out = result.failure.error == "Sand.Timeout"
            raise GrainFailed("States.Timeout" if timed_out else result.failure.error, result.failure.cause)
        return result.output

    def _payload(self, event: Any) -> Payload:
        segments = self._application.segments
        return segments.inline(values.encode(event, "test/test", "the event", segments))

    def _result(self, execution: Execution) -> Result:
        output = execution.output
        lines = self._application.lines.read(self.name, execution.id, None, None, 10_000)
        decoded = None if output is None else values.decode(output, None)
        kind = None if output is None else output.content_type
        return Result(
            execution.status, decoded, kind, execution.failure, execution.hops(), lines, execution.history
        )  # fmt: skip

    def __enter__(self) -> Harness:
        return self

    def __exit__(self, *_: object) -> None:
        self._applications.close()
