"""One execution: signals in, commands out; no clock, thread or I/O. `trial` and `live` drive it, or a driver of yours.

Every call and timer has an id; its answer resumes the scope that waits for it. What is ready stands in a queue, of which a
bounded number is taken in one go: `Continue` says that there is more.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

from sand.asl import data_limit, events, failure, interpreter, invocations, iterations, limits, timestamps
from sand.asl import definition as asl
from sand.asl.callbacks import ERRORS, GRAIN, TOKEN
from sand.asl.events import EventLog
from sand.asl.failure import ExecutionEnded, HistoryFull
from sand.asl.joins import Join
from sand.asl.messages import (
    CallGrain,
    Command,
    Continue,
    Finished,
    HistoryEvent,
    ReadItems,
    StartTimer,
    WriteObject,
)
from sand.asl.pending import DEADLINE, Answer, Pending
from sand.asl.places import Place
from sand.asl.quotas import NONE, Quotas
from sand.asl.scope_ends import ScopeEnds
from sand.asl.scopes import Info, Scope
from sand.asl.steps import NEXT, Call, Failed, Timer
from sand.asl.tokens import TaskTokens
from sand.asl.visits import Visit

KINDS = {
    "SUCCEEDED": "ExecutionSucceeded",
    "FAILED": "ExecutionFailed",
    "TIMED_OUT": "ExecutionTimedOut",
    "CANCELLED": "ExecutionAborted",
}


class Execution:
    """Begin with `start`; then give each signal with its time, in epoch milliseconds, and carry out what comes back.

    A signal for an id that nobody waits for is late, and changes nothing.
    """

    def __init__(
        self,
        machine: asl.StateMachine,
        *,
        application: str,
        workflow: str,
        id: str,
        start_ms: int,
        tokens: TaskTokens | None = None,
        log: EventLog | None = None,
        quotas: Quotas = NONE,
        places: tuple[str, ...] | None = None,
    ) -> None:
        """tokens: makes those of tasks that wait for a callback; None: a trial's. log: to be told of each event. places: the
        states of the workflow itself that a redrive may begin from, each of which costs what it has; None: any."""
        self._machine = machine
        self._info = Info(id, application, workflow, timestamps.text(start_ms), None, start_ms)
        self._ready: deque[Callable[[], None]] = deque()
        self._pending = Pending()
        self._callbacks = self._pending.callbacks
        self._ends = ScopeEnds(self, self._pending)
        self._is_continuing = False
        self._info.tokens = tokens or TaskTokens()
        self._info.log = log
        self._info.quotas = quotas
        self._info.places = places
        self.start_ms = start_ms
        self._root = Scope(self._info, machine)
        self.finished: Finished | None = None
        self.is_expired = False
        self.history: list[HistoryEvent] = []

    # --- signals

    def start(self, input: Any, input_text: str | None = None) -> list[Command]:
        """input_text: the JSON text that the input was read from, for causes that show it."""
        self._info.input = input
        self._info.input_text = None if input_text is None else input_text.strip()
        self._root.started(input)
        self._record("ExecutionStarted", None, None, {"input": input})
        if self._machine.timeout_seconds:
            self._pending.command(StartTimer(DEADLINE, ">timeout", self._machine.timeout_seconds * 1000, "timeout"))
        if (refused := data_limit.of_input(input, self._info.quotas.data_bytes)) is not None:
            self.end("FAILED", None, refused.error, refused.cause)
            return self._pending.take()
        self.open_scope(self._root, input)
        return self._drain()

    def succeeded(self, id: int, result: Any, now_ms: int) -> list[Command]:
        if self._callbacks.find(id):
            return self._on_callback(id, result, None, now_ms)
        if answer := self._pending.answer(id):
            return self._on_objects(answer, result, None, now_ms)
        return self._answer(id, now_ms, lambda scope: self._on_task(scope, "TaskSucceeded", {"output": result}, result, None))

    def failed(self, id: int, error: str | None, cause: str | None, now_ms: int) -> list[Command]:
        failed = Failed(error, cause)
        if self._callbacks.find(id):
            return self._on_callback(id, None, failed, now_ms)
        if answer := self._pending.answer(id):
            return self._on_objects(answer, None, failed, now_ms)
        told = {"error": failed.error, "cause": failed.cause}
        return self._answer(id, now_ms, lambda scope: self._on_task(scope, "TaskFailed", told, None, failed))

    def expire(self) -> None:
        """It waits for what never comes, and has run for as long as any execution may."""
        self.is_expired = True
        self._time_out("The execution ran for as long as any may.")

    def _time_out(self, cause: str) -> None:
        self._root.last_event = 0  # as on AWS, where it follows no event, and has no cause
        self.end("TIMED_OUT", None, failure.TIMEOUT, cause, events.failed(failure.TIMEOUT, None))

    def fired(self, id: int, now_ms: int) -> list[Command]:
        if id == DEADLINE and self._machine.timeout_seconds and self.finished is None:
            self._info.now_ms = max(self._info.now_ms, now_ms)
            self._time_out(f"The execution ran longer than its TimeoutSeconds, {self._machine.timeout_seconds}.")
            return self._pending.take()
        if waits := self._callbacks.find(id):
            return self._on_callback(id, None, Failed(ERRORS[waits[1]], None), now_ms)
        return self._answer(id, now_ms, lambda scope: self.resume(scope, None))

    def heartbeat(self, id: int, now_ms: int) -> list[Command]:
        """Whoever is to call back is still at it."""
        waits = self._callbacks.find(id)
        if waits is None or waits[1] != TOKEN:
            return []
        self._info.now_ms = max(self._info.now_ms, now_ms)
        if (visit := waits[0].scope.visit) is not None:
            self.tell("TaskHeartbeat", visit)
        self._callbacks.beat(waits[0])
        return self._pending.take()

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
        self.end("FAILED", None, error, cause)
        return self._pending.take()

    def redrive(self, ended: Finished, ended_ms: int, now_ms: int, from_: str | None = None) -> list[Command]:
        """It had ended without success, and runs on from the state that it was in, whose attempts begin anew; in a Parallel or
        Map, from those of the branches and iterations that had not succeeded.

        ended: how, when it ended otherwise than by a signal; of status CANCELLED, it was stopped. from_: the state to
        enter once more instead, with what it had then, of those that `place` has.
        """
        if self.finished is None:
            self._info.now_ms = max(self._info.now_ms, ended_ms)
            self.end(ended.status, None, ended.error, ended.cause)
        self._info.now_ms = max(self._info.now_ms, now_ms)
        info, root = self._info, self._root
        if root.joining is not None:
            self._ends.abandon(root.joining)
        self._pending.take()
        info.redrives += 1
        info.redriven_ms = now_ms
        self.finished = None
        self._is_continuing = False
        root.joining = root.waits_for = root.token_wait = None
        begins = {} if from_ is None else {"from": from_}
        redriven = {"redriveCount": info.redrives, **begins}
        if not self._within_history(lambda: root.event("ExecutionRedriven", lambda: redriven)):
            return self._pending.take()
        self._record("ExecutionRedriven", None, None, {"redrive_count": info.redrives})
        if self._machine.timeout_seconds:
            step = f">timeout#{info.redrives}"
            self._pending.command(StartTimer(DEADLINE, step, self._machine.timeout_seconds * 1000, "timeout"))
        if from_ is not None and from_ not in root.places:
            cause = f"The execution cannot be redriven from the state '{from_}': it has not entered it."
            self.end("FAILED", None, failure.RUNTIME, cause)
            return self._pending.take()
        if from_ is not None:
            root.go_back(from_)
        self.go_on_with(root)
        return self._drain()

    def place(self, state: str) -> Place | None:
        """Of a state of the workflow itself, when it was last entered; None: it was not, or is inside a Parallel or Map."""
        return self._root.places.get(state)

    def entered(self) -> list[str]:
        """The states that it may be redriven from."""
        return list(self._root.places)

    def _on_callback(self, id: int, result: Any, failed: Failed | None, now_ms: int) -> list[Command]:
        """The grain, the callback or a timer of a task that waits for its token."""
        wait, what = self._callbacks.find(id) or (None, "")
        assert wait is not None
        self._info.now_ms = max(self._info.now_ms, now_ms)
        self._callbacks.closed(id)
        if what == GRAIN and wait.scope.visit is not None and wait.scope.visit.invocation is invocations.Kind.EVENT:
            failed = None
        if what == GRAIN and (wait.is_over or failed is None):
            visit = None if wait.is_over else wait.scope.visit
            if visit is not None:
                assert isinstance(visit.state, asl.Task)
                told = events.submitted(visit.state)
                self._within_history(lambda: wait.scope.event(*told))
                self.tell("TaskSubmitted", visit, output=result)
            return self._drain()
        self._callbacks.end(wait, is_answered=what == TOKEN)
        kind, detail = "TaskSucceeded", {"output": result}
        if failed is not None:
            kind, detail = "TaskFailed", {"error": failed.error, "cause": failed.cause}
        self._within_history(lambda: self._on_task(wait.scope, kind, detail, result, failed))
        return self._drain()

    def _answer(self, id: int, now_ms: int, resume: Callable[[Scope], None]) -> list[Command]:
        scope = self._pending.answered(id)
        if scope is None or self.finished is not None:
            return []
        self._info.now_ms = max(self._info.now_ms, now_ms)
        self._within_history(lambda: resume(scope))
        return self._drain()

    def _on_task(self, scope: Scope, kind: str, detail: dict[str, Any], result: Any, failed: Failed | None) -> None:
        if scope.visit is not None:
            task = scope.visit.state
            assert isinstance(task, asl.Task)
            given = result
            if (invoked := scope.visit.invocation) is not None and not task.awaits_token:
                failed = None if invoked is invocations.Kind.EVENT else failed
                given = invocations.result(invoked, result)
            if failed is None and (over := data_limit.of_task(scope.visit, task, given)) is not None:
                kind, detail = "TaskFailed", {"error": over.error, "cause": over.cause}
                failed = Failed(over.error, over.cause)
            told = events.succeeded(task, given) if failed is None else events.task_failed(task, failed.error, failed.cause)
            scope.event(*told)
            self.tell(kind, scope.visit, **detail)
        if failed is None:
            self.resume(scope, result)
        else:
            self.throw(scope, failed)

    # --- what is ready

    def _drain(self) -> list[Command]:
        left = limits.TRANSITIONS_AT_ONCE
        while self._ready and self.finished is None:
            if left == 0:
                if not self._is_continuing:
                    self._is_continuing = True
                    self._pending.command(Continue())
                break
            left -= 1
            self._within_history(self._ready.popleft())
        return self._pending.take()

    def _within_history(self, work: Callable[[], Any]) -> bool:
        """Where the history is full, its execution ends, and none of its states catches it: then False."""
        try:
            work()
        except HistoryFull as full:
            where, cause = full.scope, str(full)
            self._within_history(lambda: self._on_full(where, cause))
            return False
        return True

    def _on_full(self, scope: Scope, cause: str) -> None:
        if scope.join is None:
            self.end("FAILED", None, failure.RUNTIME, cause)
        else:
            self._ends.full(scope, Failed(failure.RUNTIME, cause))

    def open_scope(self, scope: Scope, input: Any) -> None:
        """Queues the scope's first state."""
        scope.next = (scope.machine.start_at, input)
        scope.fiber = interpreter.run(self, scope, input)
        self._ready.append(lambda: self.resume(scope, None))

    def go_on_with(self, scope: Scope) -> None:
        """Queues the state that the scope was in, of an execution that is redriven."""
        if scope.next is not None:
            scope.fiber = interpreter.run(self, scope, scope.next[1], scope.next[0])
        else:
            assert scope.visit is not None
            scope.fiber = interpreter.run(self, scope, None, again=scope.visit)
        self._ready.append(lambda: self.resume(scope, None))

    def resume(self, scope: Scope, value: Any) -> None:
        self._step(scope, lambda fiber: fiber.send(value))

    def throw(self, scope: Scope, error: Exception) -> None:
        self._step(scope, lambda fiber: fiber.throw(error))

    def _step(self, scope: Scope, advance: Callable[[Any], Any]) -> None:
        """Runs the scope to where it waits next, or to its end."""
        if scope.is_closed or self.finished is not None:
            return
        scope.joining = None
        try:
            wants = advance(scope.fiber)
        except StopIteration as ended:
            self._ends.succeeded(scope, ended.value)
        except Failed as e:
            self._ends.failed(scope, e)
        except ExecutionEnded as e:
            self.end("FAILED", None, e.error, e.cause)
        else:
            self._wait(scope, wants)

    def _wait(self, scope: Scope, wants: Any) -> None:
        if wants is NEXT:
            self._ready.append(lambda: self.resume(scope, None))
            return
        if isinstance(wants, Join):
            scope.joining = wants
            return
        id = self._pending.new_id()
        if isinstance(wants, Timer):
            self._pending.wait(scope, id)
            self._pending.command(StartTimer(id, wants.step, wants.delay_ms, wants.purpose))
        elif isinstance(wants, Call):
            self._call(scope, id, wants)

    def _call(self, scope: Scope, id: int, wants: Call) -> None:
        visit, task = wants.visit, wants.task
        self.tell("TaskCalled", visit, grain=wants.grain, input=wants.input)
        # With a token, the time is that until the callback.
        timeout_ms = 0 if task.awaits_token else wants.timeout_ms
        call = CallGrain(id, visit.step, wants.grain, wants.input, timeout_ms, task.resource, task.awaits_token, wants.service)
        if task.awaits_token:
            self._pending.callbacks.begin(scope, call, wants.timeout_ms, wants.heartbeat_ms, visit.token())
        else:
            self._pending.wait(scope, id)
            self._pending.command(call)

    # --- what a Map's iterations ask for

    def new_id(self) -> int:
        return self._pending.new_id()

    def queue(self, work: Callable[[], None], is_first: bool = False) -> None:
        """is_first: before all else that is ready."""
        if is_first:
            self._ready.appendleft(work)
        else:
            self._ready.append(work)

    def ask(self, command: ReadItems | WriteObject, answer: Answer) -> None:
        """About objects: answered by `succeeded` or `failed`."""
        self._pending.ask(command, answer)

    def _on_objects(self, answer: Answer, result: Any, failed: Failed | None, now_ms: int) -> list[Command]:
        self._info.now_ms = max(self._info.now_ms, now_ms)
        self._within_history(lambda: answer(result, failed))
        return self._drain()

    # --- scopes and what they join

    def open_items(self, join: Join, state: asl.Map, items: Any, data: Any, concurrency: int) -> None:
        iterations.open_items(self, self._info, join, state, items, data, concurrency)

    def abandon(self, join: Join) -> None:
        self._ends.abandon(join)

    def abandon_below(self, join: Join) -> None:
        self._ends.abandon_below(join)

    # --- its end, and what is told of it

    def end(self, status: str, output: Any, error: str | None, cause: str | None, shown: dict[str, Any] | None = None) -> None:
        """shown: the details of its event, where these are others than what it ends with."""
        error, cause = failure.bounded(error, cause)
        self.finished = Finished(status, output, error, cause)
        self._ready.clear()
        self._pending.clear()
        self._pending.command(self.finished)
        kind = KINDS[status]
        told = shown or (events.value("output", output) if status == "SUCCEEDED" else events.failed(error, cause))
        self._root.event(kind, lambda: told)
        self._record(kind, None, None, {"output": output} if status == "SUCCEEDED" else {"error": error, "cause": cause})

    def tell(self, kind: str, visit: Visit, **detail: Any) -> None:
        self._record(kind, visit.state.name, visit.step, detail)

    def _record(self, kind: str, state: str | None, step: str | None, detail: dict[str, Any]) -> None:
        self.history.append(HistoryEvent(self._info.now_ms, kind, state, step, detail))
