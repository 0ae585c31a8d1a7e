"""What each type of state does in one attempt."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from sand.asl import (
    computed,
    data_limit,
    distribution,
    document,
    events,
    failure,
    flow,
    invocations,
    iteration_records,
    limits,
    object_fields,
    platform_services,
)
from sand.asl import definition as asl
from sand.asl.expressions import Computed
from sand.asl.failure import Declined, StateError, runtime
from sand.asl.joins import Join
from sand.asl.opaque import inside
from sand.asl.resources import is_submitted
from sand.asl.scopes import Scope
from sand.asl.service_parameters import Parameters
from sand.asl.steps import Call, Failed, Kernel, Steps, Timer
from sand.asl.visits import Visit


def attempt(kernel: Kernel, visit: Visit) -> Generator[Any, Any, tuple[Any, str | None]]:
    state = visit.state
    match state:
        case asl.Task():
            result = yield from _task(visit, state)
        case asl.Parallel():
            result = yield from _left(kernel, visit) if visit.left else _parallel(kernel, visit, state)
        case asl.Map():
            result = yield from _left(kernel, visit) if visit.left else _map(kernel, visit, state)
            data_limit.checked_run(visit, result)
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
    before = _tell_succeeded(visit, state)
    try:
        output = flow.output(visit, result)
        flow.assign(visit, state.assign, result)
    except StateError:
        visit.left, visit.join = visit.join, None
        if visit.left is not None:
            visit.left.has_succeeded = True
        raise
    visit.scope.last_event = before
    return output, state.next


def _passed_on(visit: Visit) -> tuple[Any, str | None]:
    visit.scope.info.budget.renew()
    data = flow.given(visit)
    output = flow.passed_on(visit, data, visit.state.flow.output)
    flow.assign(visit, visit.state.assign, data)
    return output, visit.state.next


def _task(visit: Visit, state: asl.Task) -> Steps:
    data = flow.given(visit)
    seconds, beat = state.timeout_seconds, state.heartbeat_seconds
    if state.timeout:
        seconds = computed.seconds(visit, state.timeout, data, "TimeoutSecondsPath", 1)
    if state.heartbeat:
        beat = computed.seconds(visit, state.heartbeat, data, "HeartbeatSecondsPath", 1)
    given = scheduled = document.checked(flow.arguments(visit, data))
    held_to = events.Limits(seconds, beat, flow.role(visit, state, data))
    grain, service, visit.invocation = state.grain, None, None
    try:
        if state.service:
            # A message with a token is another one in each attempt: only the last one's token is waited for.
            message = visit.step if state.awaits_token else visit.first_step
            grain, given, service = platform_services.asked(state.service, given, message, state.flow.is_jsonata)
        elif state.invokes_function:
            invoked = invocations.asked(given, state.flow.is_jsonata)
            grain, given, visit.invocation = invoked.grain, invoked.payload, invoked.kind
        elif state.required:
            Parameters(None, state.required).checked(given, state.flow.is_jsonata)
    except Declined as declined:
        _tell_begun(visit, state, scheduled, held_to)
        visit.scope.event(*events.task_failed(state, *failure.bounded(declined.error, declined.cause)))
        raise
    _tell_begun(visit, state, scheduled, held_to)
    if visit.invocation is invocations.Kind.DRY_RUN and not state.awaits_token:
        result = None
        visit.scope.event(*events.succeeded(state, invocations.result(visit.invocation, result)))
    else:
        result = yield Call(visit, state, grain, given, seconds * 1000, beat * 1000, service)
    if visit.invocation is not None and not state.awaits_token:
        gave = inside(result) if visit.invocation is invocations.Kind.REQUEST_RESPONSE else None
        return invocations.result(visit.invocation, gave)
    return result


def _tell_begun(visit: Visit, state: asl.Task, scheduled: Any, held_to: events.Limits) -> None:
    visit.scope.event(*events.scheduled(state, scheduled, held_to))
    visit.scope.event(*events.started(state))
    if is_submitted(state.resource):
        visit.scope.event(*events.submitted(state))


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
        delay_ms = computed.delay(visit, state.seconds_from) * 1000
    elif state.seconds is not None:
        delay_ms = state.seconds * 1000
    else:
        until_ns = state.until_ns if state.until_from is None else computed.timestamp(visit, state.until_from)
        assert until_ns is not None
        delay_ms = max(0, until_ns // 1_000_000 - visit.scope.info.now_ms)
    if delay_ms:
        kernel.tell("WaitStarted", visit, delay_ms=delay_ms)
        yield Timer(visit, visit.step, delay_ms, "wait")


def _left(kernel: Kernel, visit: Visit) -> Steps:
    """Of a Parallel or Map whose execution is redriven: what had not succeeded, or not begun."""
    join, visit.left = visit.left, None
    assert join is not None
    visit.join = join
    if join.has_succeeded or (join.run is None and join.is_complete):
        return join.joined() if join.files is None else join.files.details()
    if join.run is not None:
        count = visit.scope.info.redrives
        details = {"mapRunArn": iteration_records.map_run(visit), "redriveCount": count}
        visit.scope.event("MapRunRedriven", lambda: details)
    join.reopen()
    for scope in list(join.scopes.values()):
        if join.run is None:
            kernel.go_on_with(scope)
        else:
            join.iterations.go_on_with(scope)
    if join.iterations is not None:
        join.iterations.go_on()
    return (yield join)


def _parallel(kernel: Kernel, visit: Visit, state: asl.Parallel) -> Steps:
    data = flow.arguments(visit, flow.given(visit))
    visit.scope.event("ParallelStateStarted")
    join = visit.join = Join(visit, len(state.branches))
    for index, branch in enumerate(state.branches):
        scope = join.scopes[index] = Scope(visit.scope.info, branch, join, index)
        kernel.open_scope(scope, data)
    return (yield join)


def _map(kernel: Kernel, visit: Visit, state: asl.Map) -> Steps:
    if state.is_misfit:
        raise runtime("The ItemReader, ItemBatcher and ResultWriter fields are not supported for INLINE maps")
    data = flow.given(visit)
    reader = state.distribution.reader if state.distribution else None
    given = None if reader else _items(visit, state, data)
    if given is not None and len(given) > limits.MAP_ITEMS:
        raise runtime(f"The array has {len(given)} items; a Map takes {limits.MAP_ITEMS}")
    wanted = (
        computed.seconds(visit, state.concurrency, data, "MaxConcurrencyPath", 0, limits.COUNT)
        if state.concurrency
        else state.max_concurrency
    )
    length = 0 if given is None else len(given)
    visit.scope.event("MapStateStarted", lambda: {"length": length})
    map_run = distribution.begin(visit, state.distribution, data) if state.distribution else None
    if map_run is not None:
        visit.scope.event("MapRunStarted")
        visit.has_run = True
    items = given if reader is None else object_fields.source(reader, map_run.reads)
    files = map_run and iteration_records.files(visit, map_run)
    join = Join(visit, None if reader else length)
    visit.join = join
    join.run = map_run
    join.files = files
    if not items and not files:
        return []
    join.max_items = limits.MAP_ITEMS if map_run is None else map_run.items_to_read()
    kernel.open_items(join, state, items, data, min(wanted or limits.MAP_CONCURRENCY, limits.MAP_CONCURRENCY))
    return (yield join)


def _items(visit: Visit, state: asl.Map, data: Any) -> Any:
    """An array; in JSONata, of a distributed Map, also an object, of which each member is an item."""
    if not state.flow.is_jsonata:
        plain = state.items_path.within_data
        items = plain.demand(inside(data)) if plain else flow.read(visit, state.items_path, data)
        if not isinstance(items, list):
            shown = str(state.items_path)  # of one into the context object, AWS shows one of its two signs
            raise runtime(f'Reference path "{shown[1:] if shown.startswith("$$") else shown}" must point to array.')
        return items
    items = flow.filled(state.items, flow.View(visit, data))
    if isinstance(items, list) or (isinstance(items, dict) and state.distribution is not None):
        return items
    if isinstance(state.items, Computed):
        raise state.items.expression.mistyped("array", items)  # type: ignore[attr-defined]
    raise StateError(failure.QUERY_EVALUATION_ERROR, f"Map state input must be an array but was: {document.write(items)}")


def _fail(visit: Visit, state: asl.Fail) -> None:
    error = computed.string(visit, state.error_from, "ErrorPath") if state.error_from else state.error
    cause = computed.string(visit, state.cause_from, "CausePath") if state.cause_from else state.cause
    raise Failed(error, cause)


def _tell_succeeded(visit: Visit, state: asl.State) -> int:
    """The end of a Parallel or Map; a distributed Map has its run's too. Gives what the state's exit follows: not this."""
    scope = visit.scope
    if isinstance(state, asl.Map) and visit.join is not None and visit.join.last_end:
        scope.last_event = visit.join.last_end
    before = scope.last_event
    if isinstance(state, asl.Map) and state.distribution is not None:
        scope.event("MapRunSucceeded")
    if isinstance(state, asl.Parallel | asl.Map):
        scope.event(f"{type(state).__name__}StateSucceeded")
    return before


def tell_failed(visit: Visit, error: str | None, cause: str | None, is_again: bool = False) -> None:
    """A Parallel or Map fails; one that ends the whole execution with it has no event. is_again: its run failed before."""
    state = visit.state
    if visit.has_run and not is_again:
        visit.scope.event("MapRunFailed", lambda: events.failed(error, cause))
    if isinstance(state, asl.Parallel | asl.Map) and error != failure.RUNTIME:
        visit.scope.event(f"{type(state).__name__}StateFailed")
