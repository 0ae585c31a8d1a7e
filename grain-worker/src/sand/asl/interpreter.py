"""What states do: a scope is a generator that yields what it waits for, and so reads like the language's own description.

It yields `Call`, `Timer`, `Join` or NEXT (another state follows: others have their turn first), and is resumed with the answer
or has a `Failed` thrown into it. Sans I/O: `Execution` answers from its signals.
"""

from __future__ import annotations

import re
from collections.abc import Generator
from dataclasses import dataclass
from typing import Any, Protocol

from sand.asl import definition as asl
from sand.asl import distribution, document, failure, flow, limits, timestamps
from sand.asl.expressions import Computed, Expression
from sand.asl.failure import ExecutionEnded, StateError, runtime
from sand.asl.reference_path import Missing
from sand.asl.resources import function_of
from sand.asl.scopes import Join, Scope, Visit


class Failed(Exception):
    """A state, or the scope that it is in, fails by a name of the workflow's."""

    def __init__(self, error: str | None, cause: str | None, is_branch_failure: bool = False) -> None:
        super().__init__(cause)
        self.error = error
        self.cause = cause
        self.is_branch_failure = is_branch_failure


@dataclass(frozen=True, slots=True)
class Call:
    visit: Visit
    task: asl.Task
    grain: str
    input: Any
    timeout_ms: int


@dataclass(frozen=True, slots=True)
class Timer:
    visit: Visit
    step: str
    delay_ms: int
    purpose: str


NEXT = object()
Steps = Generator[Any, Any, Any]


class Kernel(Protocol):
    """What the interpreter needs of an execution."""

    def tell(self, kind: str, visit: Visit, **detail: Any) -> None: ...

    def open_scope(self, scope: Scope, input: Any) -> None: ...

    def open_items(self, join: Join, state: asl.Map, items: Any, data: Any, concurrency: int) -> None: ...


def run(kernel: Kernel, scope: Scope, input: Any) -> Steps:
    """The scope from its first state to its end: gives its output, or raises Failed."""
    name = scope.machine.start_at
    while True:
        info = scope.info
        info.transitions += 1
        if info.transitions > limits.TRANSITIONS:
            message = (
                f"The execution entered more than {limits.TRANSITIONS} states; does {name} belong to a loop without an end?"
            )
            raise ExecutionEnded(failure.RUNTIME, message)
        visit = scope.visit = Visit(scope, scope.machine.states[name], input)
        kernel.tell("StateEntered", visit, input=input)
        try:
            input, next_ = yield from _visit(kernel, visit)
        except Failed as e:
            kernel.tell("StateFailed", visit, error=e.error, cause=e.cause)
            raise
        scope.events.count += 1
        kernel.tell("StateExited", visit, output=input)
        if next_ is None:
            return input
        name = next_
        yield NEXT


def _visit(kernel: Kernel, visit: Visit) -> Generator[Any, Any, tuple[Any, str | None]]:
    state = visit.state
    while True:
        visit.scope.info.budget.renew()
        try:
            return (yield from _attempt(kernel, visit))
        except StateError as e:
            failed = _failed(visit, e)
            visit.scope.events.count += e.error == failure.QUERY_EVALUATION_ERROR
        except Failed as e:
            failed = e
        if not isinstance(state, asl.Work):
            raise failed
        delay_ms = _retry_delay(visit, state.retriers, failed)
        if delay_ms is not None:
            kernel.tell("RetryScheduled", visit, error=failed.error, cause=failed.cause, delay_ms=delay_ms)
            yield Timer(visit, f"{visit.step}>retry", delay_ms, "retry")
            visit.begin_attempt()
            continue
        visit.scope.events.count += _joins(state)
        for catcher in state.catchers:
            if failure.matches(catcher.errors, failed.error, failed.is_branch_failure):
                return _caught(kernel, visit, catcher, failed)
        raise failed


def _joins(state: asl.State) -> int:
    """The events of the end of a Parallel or Map; a distributed Map has its run's too."""
    is_distributed = isinstance(state, asl.Map) and state.distribution is not None
    return 2 if is_distributed else int(isinstance(state, asl.Parallel | asl.Map))


def _failed(visit: Visit, e: StateError) -> Failed:
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
                delay_ms = most
            return visit.draw() % (delay_ms + 1) if retrier.has_full_jitter else delay_ms
    return None


def _caught(kernel: Kernel, visit: Visit, catcher: asl.Catcher, failed: Failed) -> tuple[Any, str]:
    error = {"Error": failed.error or "", "Cause": failed.cause or ""}
    kernel.tell("ErrorCaught", visit, error=failed.error, cause=failed.cause, next=catcher.next)
    visit.scope.info.budget.renew()
    try:
        output = flow.caught(visit, catcher, error)
        flow.assign(visit, catcher.assign, error=error)
    except StateError as e:
        raise _failed(visit, e) from None
    return output, catcher.next


def _attempt(kernel: Kernel, visit: Visit) -> Generator[Any, Any, tuple[Any, str | None]]:
    state = visit.state
    match state:
        case asl.Task():
            result = yield from _task(visit, state)
        case asl.Parallel():
            result = yield from _parallel(kernel, visit, state)
        case asl.Map():
            result = yield from _map(kernel, visit, state)
        case asl.Pass():
            data = document.checked(state.result[0]) if state.result else flow.arguments(visit, flow.given(visit))
            result = data
        case asl.Choice():
            return _choice(visit, state)
        case asl.Fail():
            _fail(visit, state)
        case asl.Wait():
            yield from _wait(kernel, visit, state)
            return _passed_on(visit)
        case _:
            return _passed_on(visit)
    visit.scope.info.budget.renew()
    visit.scope.events.count += _joins(state)
    output = flow.output(visit, result)
    flow.assign(visit, state.assign, result)
    return output, state.next


def _passed_on(visit: Visit) -> tuple[Any, str | None]:
    visit.scope.info.budget.renew()
    data = flow.given(visit)
    output = flow.passed_on(visit, data, visit.state.flow.output)
    flow.assign(visit, visit.state.assign, data)
    return output, visit.state.next


def _task(visit: Visit, state: asl.Task) -> Steps:
    data = flow.given(visit)
    seconds = _seconds(visit, state.timeout, data, "TimeoutSecondsPath", 1) if state.timeout else state.timeout_seconds
    if state.heartbeat:
        _seconds(visit, state.heartbeat, data, "HeartbeatSecondsPath", 1)
    given = document.checked(flow.arguments(visit, data))
    grain = state.grain
    if state.invokes_function:
        grain, given = _invocation(given)
    visit.scope.events.count += 2
    result = yield Call(visit, state, grain, given, seconds * 1000)
    return {"ExecutedVersion": "$LATEST", "Payload": result, "StatusCode": 200} if state.invokes_function else result


def _invocation(given: Any) -> tuple[str, Any]:
    """The grain that a FunctionName names, and its Payload."""
    members = given if isinstance(given, dict) else {}
    name = members.get("FunctionName")
    grain = function_of(name) if isinstance(name, str) else None
    if grain is None:
        there = document.write(name) if "FunctionName" in members else "missing"
        raise runtime(f"The field FunctionName must name a function, it is {there}")
    return grain, members.get("Payload", {})


def _choice(visit: Visit, state: asl.Choice) -> tuple[Any, str | None]:
    data = flow.given(visit)
    view = flow.View(visit, data)
    taken = next((branch for branch in state.branches if branch.rule(view)), None)
    if taken is None and state.next is None:
        raise runtime("Failed to transition out of the state. The state does not point to a next state.")
    output = flow.passed_on(visit, data, taken.output if taken else state.flow.output)
    flow.assign(visit, taken.assign if taken else state.assign, data)
    return output, taken.next if taken else state.next


def _wait(kernel: Kernel, visit: Visit, state: asl.Wait) -> Steps:
    if state.seconds_from:
        delay_ms = _seconds(visit, state.seconds_from, flow.given(visit), "SecondsPath", 0) * 1000
    elif state.seconds is not None:
        delay_ms = state.seconds * 1000
    else:
        until_ns = state.until_ns if state.until_from is None else _timestamp(visit, state.until_from)
        assert until_ns is not None
        delay_ms = max(0, until_ns // 1_000_000 - visit.scope.info.now_ms)
    if delay_ms:
        kernel.tell("WaitStarted", visit, delay_ms=delay_ms)
        yield Timer(visit, visit.step, delay_ms, "wait")


def _parallel(kernel: Kernel, visit: Visit, state: asl.Parallel) -> Steps:
    data = flow.arguments(visit, flow.given(visit))
    visit.scope.events.count += 1
    join = Join(visit, len(state.branches))
    for index, branch in enumerate(state.branches):
        scope = join.scopes[index] = Scope(visit.scope.info, branch, join, index)
        kernel.open_scope(scope, data)
    return (yield join)


def _map(kernel: Kernel, visit: Visit, state: asl.Map) -> Steps:
    data = flow.given(visit)
    items = _items(visit, state, data)
    if len(items) > limits.MAP_ITEMS:
        raise runtime(f"The array has {len(items)} items; a Map takes {limits.MAP_ITEMS}")
    wanted = _seconds(visit, state.concurrency, data, "MaxConcurrencyPath", 0) if state.concurrency else state.max_concurrency
    map_run = distribution.begin(visit, state.distribution, data) if state.distribution else None
    visit.scope.events.count += 1 if map_run is None else 2
    if not items:
        return []
    join = Join(visit, len(items))
    join.run = map_run
    kernel.open_items(join, state, items, data, min(wanted or limits.MAP_CONCURRENCY, limits.MAP_CONCURRENCY))
    return (yield join)


def _items(visit: Visit, state: asl.Map, data: Any) -> Any:
    """An array; in JSONata also an object, of which each member is an item."""
    if not state.flow.is_jsonata:
        items = flow.read(visit, state.items_path, data)
        if not isinstance(items, list):
            raise runtime(f'Reference path "{state.items_path}" must point to array.')
        return items
    items = flow.filled(state.items, flow.View(visit, data))
    if isinstance(items, list | dict):
        return items
    if isinstance(state.items, Computed):
        raise state.items.expression.mistyped("array", items)  # type: ignore[attr-defined]
    message = f"The Map state's items must be an array or an object, they are {document.write(items)}"
    raise StateError(failure.QUERY_EVALUATION_ERROR, message)


def _fail(visit: Visit, state: asl.Fail) -> None:
    error = _string(visit, state.error_from, "ErrorPath") if state.error_from else state.error
    cause = _string(visit, state.cause_from, "CausePath") if state.cause_from else state.cause
    raise Failed(error, cause)


# --- computed fields


def _string(visit: Visit, expression: Expression, field: str) -> str:
    value = flow.evaluated(visit, expression, visit.input)
    if not isinstance(value, str):
        if hasattr(expression, "mistyped"):
            raise expression.mistyped("string", value)
        raise runtime(f"The {field} must give a string, it gives {document.write(value)}")
    return value


def _seconds(visit: Visit, expression: Expression, data: Any, field: str, least: int) -> int:
    value = _field(visit, expression, data, field)
    is_digits = isinstance(value, str) and not hasattr(expression, "mistyped") and re.fullmatch(r"[0-9]{1,9}", value)
    number = int(value) if is_digits else document.whole_number(value)
    if number is None or not least <= number <= limits.SECONDS:
        expected = f"an integer from {least} to {limits.SECONDS}"
        if hasattr(expression, "mistyped"):
            wrong = (
                expression.out_of_bounds(expected, value) if document.is_number(value) else expression.mistyped("number", value)
            )
            raise wrong
        raise runtime(f"The {field} parameter cannot be parsed as a long value: {expression} == {document.write(value)}")
    return number


def _field(visit: Visit, expression: Expression, data: Any, field: str) -> Any:
    try:
        return expression.evaluate(flow.View(visit, data))
    except Missing:
        raise runtime(f"The {field} parameter does not reference an input value: {expression}") from None


def _timestamp(visit: Visit, expression: Expression) -> int:
    value = _field(visit, expression, flow.given(visit), "TimestampPath")
    time = timestamps.parse(value) if isinstance(value, str) else None
    if time is None:
        if hasattr(expression, "mistyped"):
            expected = "a timestamp such as 2016-08-18T17:33:00Z"
            wrong = (
                expression.out_of_bounds(expected, value) if isinstance(value, str) else expression.mistyped("string", value)
            )
            raise wrong
        raise runtime(
            "The TimestampPath parameter does not reference a valid ISO-8601 extended offset date-time format string:"
            f" {expression} == {document.write(value)}"
        )
    return time
