"""What an execution asks of its driver (commands), and what it tells of itself (history)."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class CallGrain:
    """A grain is to be called; answer with `Execution.succeeded(id, …)` or `Execution.failed(id, …)`.

    step: where in the workflow, like "Fan[1]/Tag#2"; unique in an execution. timeout_ms: the driver's to keep, 0 for none.
    """

    id: int
    step: str
    grain: str
    input: Any
    timeout_ms: int
    resource: str


@dataclass(frozen=True, slots=True)
class StartTimer:
    """Answer with `Execution.fired(id, …)` after so long. purpose: "wait", "retry" or "timeout" (of the whole execution)."""

    id: int
    step: str
    delay_ms: int
    purpose: str


@dataclass(frozen=True, slots=True)
class Cancel:
    """Nobody waits for this call or timer any more."""

    id: int


@dataclass(frozen=True, slots=True)
class Continue:
    """More states are ready: call `Execution.go_on(…)` when others had their turn."""


@dataclass(frozen=True, slots=True)
class Finished:
    """The last command. status: SUCCEEDED, FAILED or TIMED_OUT."""

    status: str
    output: Any
    error: str | None
    cause: str | None


Command = CallGrain | StartTimer | Cancel | Continue | Finished


@dataclass(frozen=True, slots=True)
class HistoryEvent:
    """One thing that happened.

    at_ms: epoch milliseconds; kind: ExecutionStarted, StateEntered, TaskCalled, TaskSucceeded, TaskFailed, WaitStarted,
    RetryScheduled, ErrorCaught, StateExited, StateFailed, ExecutionSucceeded, ExecutionFailed, ExecutionTimedOut;
    state: its name; step: where in the workflow; detail: input, output, error, cause, grain, delay_ms, as the kind has them.
    """

    at_ms: int
    kind: str
    state: str | None
    step: str | None
    detail: dict[str, Any]
