"""The path of a scope through its states: entry, attempts with retries, catchers, exit.

A scope is a generator that yields what it waits for, and so reads like the language's own description. It yields `Call`,
`Timer`, `Join` or NEXT (another state follows: others have their turn first), and is resumed with the answer or has a `Failed`
thrown into it. Sans I/O: `Execution` answers from its signals. What a state does in an attempt is in `state_work`.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from sand.asl import definition as asl
from sand.asl import events, failure, flow, limits
from sand.asl.failure import ExecutionEnded, StateError
from sand.asl.scopes import Info, Scope
from sand.asl.state_work import attempt, tell_failed
from sand.asl.steps import NEXT, Failed, Kernel, Steps, Timer
from sand.asl.visits import Visit


def run(kernel: Kernel, scope: Scope, input: Any, name: str | None = None, again: Visit | None = None) -> Steps:
    """The scope from its first state (or that of the name, or from a visit made again) to its end: gives its output, or raises
    Failed."""
    name = name or scope.machine.start_at
    while True:
        visit = _enter(kernel, scope, name, input) if again is None else again.again()
        scope.visit, scope.next, again = visit, None, None
        try:
            input, next_ = yield from _visit(kernel, visit)
        except Failed as e:
            kernel.tell("StateFailed", visit, error=e.error, cause=e.cause)
            raise
        _exited(visit, input)
        kernel.tell("StateExited", visit, output=input)
        if next_ is None:
            return input
        name = next_
        scope.next = (name, input)
        yield NEXT


def _exited(visit: Visit, output: Any) -> None:
    def details() -> dict[str, Any]:
        before = {} if visit.assigned is None else events.assigned(visit.assigned)
        return events.value("output", output, name=visit.state.name, **before)

    visit.scope.event(f"{type(visit.state).__name__}StateExited", details)


def _enter(kernel: Kernel, scope: Scope, name: str, input: Any) -> Visit:
    scope.next = (name, input)
    info = scope.info
    _count(info)
    if scope.join is None:
        scope.remember(name, input)
    visit = Visit(scope, scope.machine.states[name], input)
    kernel.tell("StateEntered", visit, input=input)
    return visit


def _count(info: Info) -> None:
    """A state that is entered or tried again. Raises ExecutionEnded when there were too many."""
    info.transitions += 1
    if info.transitions > limits.TRANSITIONS:
        cause = f"The execution reached the maximum number of states that it may enter ({limits.TRANSITIONS})."
        raise ExecutionEnded(failure.RUNTIME, cause)


def _visit(kernel: Kernel, visit: Visit) -> Generator[Any, Any, tuple[Any, str | None]]:
    state = visit.state
    while True:
        visit.scope.info.budget.renew()
        try:
            return (yield from attempt(kernel, visit))
        except StateError as e:
            failed = _failed(visit, e)
            _tell_evaluation(visit, failed)
        except Failed as e:
            failed = e
        if not isinstance(state, asl.Work):
            raise failed
        if failed.error == failure.DATA_LIMIT_EXCEEDED:
            visit.left = None  # AWS: then a redrive does all of it again.
        delay_ms = _retry_delay(visit, state.retriers, failed)
        if delay_ms is not None:
            visit.left = None
            kernel.tell("RetryScheduled", visit, error=failed.error, cause=failed.cause, delay_ms=delay_ms)
            yield Timer(visit, f"{visit.step}>retry", delay_ms, "retry")
            _count(visit.scope.info)
            visit.begin_attempt()
            continue
        before = visit.scope.last_event
        tell_failed(visit, failed.error, failed.cause)
        for catcher in state.catchers:
            if failure.matches(catcher.errors, failed.error, failed.is_branch_failure):
                visit.left = None
                return _caught(kernel, visit, catcher, failed, before)
        failed.error = failure.reported(failed.error)
        raise failed


def _failed(visit: Visit, e: StateError) -> Failed:
    # As on AWS, where in the first case it is the run of the Map that fails.
    if isinstance(e, failure.WholeError) or e.error in (failure.ITEM_READER_FAILED, failure.REFERENCE_PATH_CONFLICT):
        return Failed(e.error, e.cause)
    where = (
        f"An error occurred while executing the state '{visit.state.name}' (entered at the event id #{visit.entered_event})."
    )
    return Failed(e.error, f"{where} {e.cause}")


def _retry_delay(visit: Visit, retriers: tuple[asl.Retrier, ...], failed: Failed) -> int | None:
    """Milliseconds until the next attempt, by the first retrier that matches; None when there is to be none."""
    for index, retrier in enumerate(retriers):
        if failure.matches(retrier.errors, failed.error, failed.is_branch_failure):
            before = visit.retries.get(index, 0)
            if before >= retrier.max_attempts:
                return None
            visit.retries[index] = before + 1
            most = retrier.max_delay_ms or limits.SECONDS * 1000
            try:
                delay_ms = int(min(retrier.interval_ms * retrier.backoff_rate**before, most))
            except OverflowError:
                delay_ms = most if retrier.interval_ms else 0
            return visit.draw() % (delay_ms + 1) if retrier.has_full_jitter else delay_ms
    return None


def _tell_evaluation(visit: Visit, failed: Failed) -> None:
    """Of an expression."""
    if failed.error == failure.QUERY_EVALUATION_ERROR:
        told = events.evaluation(failed.error, failed.cause or "") | {"state": visit.state.name}
        visit.scope.event("EvaluationFailed", lambda: told)


def _caught(kernel: Kernel, visit: Visit, catcher: asl.Catcher, failed: Failed, before: int) -> tuple[Any, str]:
    """before: the event before those of the failure."""
    name = failure.reported(failed.error)
    # What nobody said is null, but for a time-out, which is told with an empty cause.
    error = {"Error": name, "Cause": "" if failed.cause is None and name == failure.TIMEOUT else failed.cause}
    kernel.tell("ErrorCaught", visit, error=name, cause=failed.cause, next=catcher.next)
    visit.scope.info.budget.renew()
    try:
        output = flow.caught(visit, catcher, error)
        flow.assign(visit, catcher.assign, error=error)
    except StateError as e:
        again = _failed(visit, e)
        visit.scope.last_event = before
        _tell_evaluation(visit, again)
        tell_failed(visit, again.error, again.cause, is_again=True)
        raise again from None
    return output, catcher.next
