"""What a test is told of an execution: how it ended, or that it did not as it was to, and of one that runs its tokens."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from sand.emulator.executions import Execution
from sand.emulator.problems import Failure


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
    :param read_lines: gives `lines`
    :param history: of a workflow: what happened in it, as sand.asl.HistoryEvent has it
    """

    status: str
    output: Any
    content_type: str | None
    failure: Failure | None
    hops: list[dict[str, Any]]
    read_lines: Callable[[], list[dict[str, Any]]]
    history: list[dict[str, Any]] = field(default_factory=list)

    @property
    def lines(self) -> list[dict[str, Any]]:
        """What was written, each line with grain, stream, level and text; of a process that was killed, the last may come
        after its result, and so may a line without an end."""
        return self.read_lines()

    @property
    def error(self) -> str | None:
        return self.failure.error if self.failure else None

    @property
    def cause(self) -> str | None:
        return self.failure.cause if self.failure else None

    def states(self) -> list[str]:
        """The names of the states that a workflow entered, in order."""
        return [event["state"] or "" for event in self.history if event["kind"] == "StateEntered"]


class Running:
    """An execution that was started and not waited for."""

    def __init__(self, execution: Execution, result: Callable[[Execution], Result]) -> None:
        self._execution = execution
        self._result_of = result
        self.id = execution.id

    def token(self, seconds: float = 30.0) -> str:
        """The token of the task that waits for one, once there is one. :raises AssertionError: there is none so soon"""
        until = time.monotonic() + seconds
        while not (tokens := self._execution.awaited()):
            assert self._execution.status == "RUNNING", f"the execution has ended: {self._execution.status}"
            assert time.monotonic() < until, f"no task waits for a token within {seconds} s"
            time.sleep(0.005)
        return tokens[0]

    def tokens(self) -> list[str]:
        """Of all tasks that wait for one now."""
        return self._execution.awaited()

    def result(self) -> Result:
        """Waits for its end."""
        self._execution.ended.wait()
        return self._result_of(self._execution)
