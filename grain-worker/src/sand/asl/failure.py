"""Errors inside an execution, by the names that Retry and Catch match."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sand.asl import limits

if TYPE_CHECKING:
    from sand.asl.scopes import Scope

ALL = "States.ALL"
TASK_FAILED = "States.TaskFailed"
TIMEOUT = "States.Timeout"
HEARTBEAT_TIMEOUT = "States.HeartbeatTimeout"
RUNTIME = "States.Runtime"
DATA_LIMIT_EXCEEDED = "States.DataLimitExceeded"
RESULT_PATH_MATCH_FAILURE = "States.ResultPathMatchFailure"
REFERENCE_PATH_CONFLICT = "States.ReferencePathConflict"
BRANCH_FAILED = "States.BranchFailed"
EXCEED_TOLERATED_FAILURE_THRESHOLD = "States.ExceedToleratedFailureThreshold"
ITEM_READER_FAILED = "States.ItemReaderFailed"
RESULT_WRITER_FAILED = "States.ResultWriterFailed"
INTRINSIC_FAILURE = "States.IntrinsicFailure"
QUERY_EVALUATION_ERROR = "States.QueryEvaluationError"


class StateError(Exception):
    """An ordinary outcome of a state: raised where data is read or made, caught where the interpreter decides what follows."""

    def __init__(self, error: str | None, cause: str | None) -> None:
        super().__init__(cause)
        self.error = error
        self.cause = cause


class WholeError(StateError):
    """Its cause is all that is told: it does not say in which state it happened."""


class Declined(WholeError):
    """By the service that a task calls, once the task has begun."""


class ExecutionEnded(Exception):
    """The whole execution is over, whatever its states would catch."""

    def __init__(self, error: str, cause: str) -> None:
        super().__init__(cause)
        self.error = error
        self.cause = cause


class HistoryFull(Exception):
    """The history of an execution takes no other event than that of its end. scope: the execution's own, or the iteration of
    a distributed Map that is one."""

    def __init__(self, scope: Scope, most: int) -> None:
        super().__init__(f"The execution reached the maximum number of history events ({most}).")
        self.scope = scope


class GrainFailed(Exception):
    """What a driver's call raises to fail a task by a name of its choice; of any other exception the class is the name."""

    def __init__(self, error: str | None, cause: str | None = None) -> None:
        super().__init__(cause)
        self.error = error
        self.cause = cause


def runtime(cause: str) -> StateError:
    return StateError(RUNTIME, cause)


def intrinsic(cause: str) -> StateError:
    return StateError(INTRINSIC_FAILURE, cause)


def bounded(error: str | None, cause: str | None) -> tuple[str | None, str | None]:
    """As much of a failure's error and cause as histories, catchers and callers are told."""
    return _cut(error, limits.ERROR_CHARS), _cut(cause, limits.CAUSE_CHARS)


def _cut(text: str | None, most: int) -> str | None:
    """Of what was cut, itself."""
    return text if text is None or len(text) <= most else text[:most] + "…"


def reported(error: str | None) -> str | None:
    """What an error is called where it is read: a missed heartbeat is a time-out, though a list may name it."""
    return TIMEOUT if error == HEARTBEAT_TIMEOUT else error


def matches(names: tuple[str, ...], error: str | None, is_branch_failure: bool) -> bool:
    """Whether a list in ErrorEquals matches an error, with the wildcards as AWS treats them. States.Runtime fails the
    execution, also where a list names it."""
    for name in names:
        if name == BRANCH_FAILED and is_branch_failure:
            return True
        if error == RUNTIME:
            continue
        if name in (error, ALL):
            return True
        if name == TASK_FAILED and error not in (TIMEOUT, HEARTBEAT_TIMEOUT):
            return True
        if name == TIMEOUT and error == HEARTBEAT_TIMEOUT:
            return True
        if name == RESULT_PATH_MATCH_FAILURE and error == REFERENCE_PATH_CONFLICT:
            return True
    return False
