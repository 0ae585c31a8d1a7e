"""One execution: signals in, commands out; no clock, thread or I/O. `trial` and `live` drive it, or a driver of yours.

Every call and timer has an id; its answer resumes the scope that waits for it. What is ready stands in a queue, of which a
bounded number is taken in one go: `Continue` says that there is more.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

from sand.asl import definition as asl
from sand.asl import document, failure, flow, interpreter, limits, timestamps
from sand.asl.distribution import EXCEEDED, MapRun
from sand.asl.failure import ExecutionEnded, StateError
from sand.asl.interpreter import NEXT, Call, Failed, Timer
from sand.asl.messages import CallGrain, Cancel, Command, Continue, Finished, HistoryEvent, StartTimer
from sand.asl.scopes import Info, Join, Scope, Visit

_DEADLINE = 0


class Execution:
    """Begin with `start`; then give each signal with its time, in epoch milliseconds, and carry out what comes back.

    A signal for an id that nobody waits for is late, and changes nothing.
    """

    def __init__(self, machine: asl.StateMachine, *, application: str, workflow: str, id: str, start_ms: int) -> None:
        self._machine = machine
        self._info = Info(id, application, workflow, timestamps.text(start_ms).replace(".000Z", "Z"), None, start_ms)
        self._ready: deque[Callable[[], None]] = deque()
        self._waiting: dict[int, Scope] = {}
        self._commands: list[Command] = []
        self._last_id = _DEADLINE
        self._is_continuing = False
        self.start_ms = start_ms
        self.finished: Finished | None = None
        self.history: list[HistoryEvent] = []

    # --- signals

    def start(self, input: Any) -> list[Command]:
        self._info.input = input
        self._record("ExecutionStarted", None, None, {"input": input})
        if self._machine.timeout_seconds:
            self._commands.append(StartTimer(_DEADLINE, ">timeout", self._machine.timeout_seconds * 1000, "timeout"))
        self.open_scope(Scope(self._info, self._machine), input)
        return self._drain()

    def succeeded(self, id: int, result: Any, now_ms: int) -> list[Command]:
        return self._answer(id, now_ms, lambda scope: self._on_task(scope, "TaskSucceeded", {"output": result}, result, None))

    def failed(self, id: int, error: str | None, cause: str | None, now_ms: int) -> list[Command]:
        failed = Failed(error, cause)
        return self._answer(
            id, now_ms, lambda scope: self._on_task(scope, "TaskFailed", {"error": error, "cause": cause}, None, failed)
        )

    def fired(self, id: int, now_ms: int) -> list[Command]:
        if id == _DEADLINE and self._machine.timeout_seconds and self.finished is None:
            self._info.now_ms = max(self._info.now_ms, now_ms)
            cause = f"The execution ran longer than its TimeoutSeconds, {self._machine.timeout_seconds}."
            self._end("TIMED_OUT", None, failure.TIMEOUT, cause)
            return self._take()
        return self._answer(id, now_ms, lambda scope: self._resume(scope, None))

    def go_on(self, now_ms: int) -> list[Command]:
        """After a Continue."""
        if self.finished is not None:
            return []
        self._info.now_ms = max(self._info.now_ms, now_ms)
        self._is_continuing = False
        return self._drain()

    def stop(self, error: str | None, cause: str | None, now_ms: int) -> list[Command]:
        """Somebody has had enough of it."""
        if self.finished is not None:
            return []
        self._info.now_ms = max(self._info.now_ms, now_ms)
        self._end("FAILED", None, error, cause)
        return self._take()

    def _answer(self, id: int, now_ms: int, resume: Callable[[Scope], None]) -> list[Command]:
        scope = self._waiting.pop(id, None)
        if scope is None or self.finished is not None:
            return []
        self._info.now_ms = max(self._info.now_ms, now_ms)
        scope.waits_for = None
        resume(scope)
        return self._drain()

    def _on_task(self, scope: Scope, kind: str, detail: dict[str, Any], result: Any, failed: Failed | None) -> None:
        scope.events.count += 1
        if scope.visit is not None:
            self.tell(kind, scope.visit, **detail)
        if failed is None:
            self._resume(scope, result)
        else:
            self._throw(scope, failed)

    # --- what is ready

    def _drain(self) -> list[Command]:
        left = limits.TRANSITIONS_AT_ONCE
        while self._ready and self.finished is None:
            if left == 0:
                if not self._is_continuing:
                    self._is_continuing = True
                    self._commands.append(Continue())
                break
            left -= 1
            self._ready.popleft()()
        return self._take()

    def _take(self) -> list[Command]:
        commands, self._commands = self._commands, []
        return commands

    def open_scope(self, scope: Scope, input: Any) -> None:
        """Queues the scope's first state."""
        scope.fiber = interpreter.run(self, scope, input)
        self._ready.append(lambda: self._resume(scope, None))

    def _resume(self, scope: Scope, value: Any) -> None:
        self._step(scope, lambda fiber: fiber.send(value))

    def _throw(self, scope: Scope, error: Exception) -> None:
        self._step(scope, lambda fiber: fiber.throw(error))

    def _step(self, scope: Scope, advance: Callable[[Any], Any]) -> None:
        """Runs the scope to where it waits next, or to its end."""
        if scope.is_closed or self.finished is not None:
            return
        scope.joining = None
        try:
            wants = advance(scope.fiber)
        except StopIteration as ended:
            self._on_scope_ended(scope, ended.value)
        except Failed as e:
            self._on_scope_failed(scope, e)
        except ExecutionEnded as e:
            self._end("FAILED", None, e.error, e.cause)
        else:
            self._wait(scope, wants)

    def _wait(self, scope: Scope, wants: Any) -> None:
        if wants is NEXT:
            self._ready.append(lambda: self._resume(scope, None))
            return
        if isinstance(wants, Join):
            scope.joining = wants
            return
        self._last_id += 1
        scope.waits_for = self._last_id
        self._waiting[self._last_id] = scope
        if isinstance(wants, Call):
            visit, task = wants.visit, wants.task
            self.tell("TaskCalled", visit, grain=wants.grain, input=wants.input)
            self._commands.append(
                CallGrain(self._last_id, visit.step, wants.grain, wants.input, wants.timeout_ms, task.resource)
            )
        elif isinstance(wants, Timer):
            self._commands.append(StartTimer(self._last_id, wants.step, wants.delay_ms, wants.purpose))

    # --- scopes and what they join

    def open_items(self, join: Join, state: asl.Map, items: Any, data: Any, concurrency: int) -> None:
        """Starts a Map's iterations, one after the other, as many at once as may be."""
        pairs = list(items.items()) if isinstance(items, dict) else [(None, value) for value in items]
        started = begun = 0
        is_starting = False

        def start_next() -> None:
            nonlocal is_starting
            if not is_starting and started < len(pairs) and len(join.scopes) < concurrency:
                is_starting = True
                self._ready.append(start)

        def shown(at: int) -> dict[str, Any]:
            key, value = pairs[at]
            return {"Index": at, **({} if key is None else {"Key": key}), "Value": value}

        def selected(at: int, iteration: Scope) -> Any:
            key, value = pairs[at]
            if state.item_selector:
                return flow.filled(state.item_selector, join.visit.of_item(iteration, data))
            return document.checked(value if key is None else {"Key": key, "Value": value})

        def select(at: int) -> Any:
            """The ItemSelector of a distributed Map sees an item in the Map's own execution."""
            return selected(at, Scope(self._info, state.processor, join, at, shown(at)))

        def start() -> None:
            nonlocal started, begun, is_starting
            if join.is_abandoned or join.visit.scope.is_closed:
                return
            index, first, is_starting = begun, started, False
            begun += 1
            self._info.budget.renew()
            try:
                if join.run is None:
                    join.visit.scope.events.count += 1
                    started += 1
                    scope = Scope(self._info, state.processor, join, index, shown(first))
                    given = selected(first, scope)
                else:
                    given, count = self._batch(join.run, len(pairs), first, select)
                    started += count
                    join.items_of[index] = count
                    item = None if join.run.is_batched else shown(first)
                    scope = Scope(self._info, state.processor, join, index, item, given)
            except StateError as e:
                self._fail_join(join, e)
                return
            join.scopes[index] = scope
            start_next()
            self.open_scope(scope, given)

        join.start_next = start_next
        start_next()

    @staticmethod
    def _batch(run: MapRun, all_items: int, first: int, select: Callable[[int], Any]) -> tuple[Any, int]:
        """An iteration's input, and how many items it takes: one at least, however large."""
        if not run.is_batched:
            return select(first), 1
        items: list[Any] = []
        size = len(document.write(run.batch_of([])).encode("utf-8", "replace"))
        while first + len(items) < all_items and len(items) < (run.items_per_batch or all_items):
            item = select(first + len(items))
            size += len(document.write(item).encode("utf-8", "replace")) + (1 if items else 0)
            if items and run.bytes_per_batch is not None and size > run.bytes_per_batch:
                break
            items.append(item)
        return document.checked(run.batch_of(items)), len(items)

    def _on_scope_ended(self, scope: Scope, output: Any) -> None:
        scope.close()
        join = scope.join
        if join is None:
            try:
                self._end("SUCCEEDED", document.checked(output), None, None)
            except StateError as e:
                self._end("FAILED", None, e.error, e.cause)
            return
        join.visit.scope.events.count += join.start_next is not None and join.run is None
        try:
            join.arrive(scope, output)
        except StateError as e:
            self._fail_join(join, Failed(e.error, e.cause))
            return
        self._go_on(join)

    def _go_on(self, join: Join) -> None:
        if join.missing == 0:
            join.is_abandoned = True
            self._resume(join.visit.scope, join.joined())
        elif join.start_next:
            join.start_next()

    def _on_scope_failed(self, scope: Scope, failed: Failed) -> None:
        scope.close()
        if scope.join is None:
            self._end("FAILED", None, failed.error, failed.cause)
        elif scope.join.run is None:
            is_task = scope.visit is not None and isinstance(scope.visit.state, asl.Task)
            scope.events.count += is_task + (scope.join.start_next is not None)
            self._fail_join(scope.join, Failed(failed.error, failed.cause, True))
        elif scope.join.is_one_too_many(scope):
            self._fail_join(scope.join, Failed(failure.EXCEED_TOLERATED_FAILURE_THRESHOLD, EXCEEDED, True))
        else:
            self._go_on(scope.join)

    def _fail_join(self, join: Join, error: Exception) -> None:
        self._abandon(join)
        self._throw(join.visit.scope, error)

    def _abandon(self, join: Join) -> None:
        """It is moot: nobody waits for what still runs below it."""
        join.is_abandoned = True
        for scope in join.scopes.values():
            if scope.is_closed:
                continue
            scope.close()
            if scope.waits_for is not None:
                del self._waiting[scope.waits_for]
                self._commands.append(Cancel(scope.waits_for))
            if scope.joining is not None:
                self._abandon(scope.joining)

    # --- its end, and what is told of it

    def _end(self, status: str, output: Any, error: str | None, cause: str | None) -> None:
        self.finished = Finished(status, output, error, cause)
        self._ready.clear()
        self._commands += [Cancel(id) for id in self._waiting]
        self._waiting.clear()
        self._commands.append(self.finished)
        kind = {"SUCCEEDED": "ExecutionSucceeded", "FAILED": "ExecutionFailed", "TIMED_OUT": "ExecutionTimedOut"}[status]
        self._record(kind, None, None, {"output": output} if status == "SUCCEEDED" else {"error": error, "cause": cause})

    def tell(self, kind: str, visit: Visit, **detail: Any) -> None:
        self._record(kind, visit.state.name, visit.step, detail)

    def _record(self, kind: str, state: str | None, step: str | None, detail: dict[str, Any]) -> None:
        self.history.append(HistoryEvent(self._info.now_ms, kind, state, step, detail))
