"""What an execution asks of its driver (commands), and what it tells of itself (history)."""

from dataclasses import dataclass
from typing import Any

from sand.asl.objects import Source
from sand.asl.platform_services import SendMessage, StartWorkflow
from sand.asl.results import Piece


@dataclass(frozen=True, slots=True)
class CallGrain:
    """A grain is to be called; answer with `Execution.succeeded(id, …)` or `Execution.failed(id, …)`.

    step: where in the workflow, like "Fan[1]/Tag#2"; unique in an execution. timeout_ms: the driver's to keep, 0 for none.
    awaits_token: its result does not count, an AwaitCallback follows; that it failed does.
    service: None, or what is to be done instead, and `grain` names no grain: to start the workflow of that name with the input,
    or to send the input to the queue of that name; `platform_services` makes the results.
    """

    id: int
    step: str
    grain: str
    input: Any
    timeout_ms: int
    resource: str
    awaits_token: bool = False
    service: StartWorkflow | SendMessage | None = None


@dataclass(frozen=True, slots=True)
class StartTimer:
    """Answer with `Execution.fired(id, …)` after so long. purpose: "wait", "retry", "timeout" (of the
    whole execution, or of a callback) or "heartbeat" (of a callback)."""

    id: int
    step: str
    delay_ms: int
    purpose: str


@dataclass(frozen=True, slots=True)
class AwaitCallback:
    """Somebody outside has the token; answer with `Execution.succeeded(id, …)` or `failed`, and before that `heartbeat`."""

    id: int
    step: str
    token: str


@dataclass(frozen=True, slots=True)
class ReadItems:
    """Answer with `Execution.succeeded(id, …)`, given what `objects.items` gives, or with `Execution.failed(id, …)`."""

    id: int
    step: str
    source: Source


@dataclass(frozen=True, slots=True)
class WriteObject:
    """Answer with `Execution.succeeded(id, None, …)` or `Execution.failed(id, …)`."""

    id: int
    step: str
    piece: Piece


@dataclass(frozen=True, slots=True)
class Cancel:
    """Nobody waits for this call, callback or timer any more."""

    id: int


@dataclass(frozen=True, slots=True)
class Continue:
    """More states are ready: call `Execution.go_on(…)` when others had their turn."""


@dataclass(frozen=True, slots=True)
class Finished:
    """The last command. status: SUCCEEDED, FAILED, TIMED_OUT, or CANCELLED of one that is redriven."""

    status: str
    output: Any
    error: str | None
    cause: str | None


Command = CallGrain | StartTimer | AwaitCallback | ReadItems | WriteObject | Cancel | Continue | Finished


@dataclass(frozen=True, slots=True)
class HistoryEvent:
    """One thing that happened.

    at_ms: epoch milliseconds; kind: ExecutionStarted, StateEntered, TaskCalled, TaskSubmitted (its grain is done, a callback is
    awaited), TaskHeartbeat, TaskSucceeded, TaskFailed, WaitStarted, RetryScheduled, ErrorCaught, StateExited, StateFailed,
    ExecutionSucceeded, ExecutionFailed, ExecutionTimedOut, ExecutionAborted, ExecutionRedriven; state: its name; step: where in
    the workflow; detail: input, output, error, cause, grain, delay_ms, as the kind has them.
    """

    at_ms: int
    kind: str
    state: str | None
    step: str | None
    detail: dict[str, Any]
