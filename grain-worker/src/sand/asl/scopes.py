"""Where an execution is: scopes (runs of a state machine), joins of these, visits of states, and what a visit can see."""

from __future__ import annotations

from collections import deque
from collections.abc import Generator
from dataclasses import dataclass, field
from typing import Any

from sand.asl import chance, definition, document, limits, timestamps
from sand.asl.budget import Budget
from sand.asl.events import Details, EventLog, Events, value
from sand.asl.failure import DATA_LIMIT_EXCEEDED, StateError
from sand.asl.places import Place
from sand.asl.tokens import STEP, TaskTokens
from sand.asl.tokens import Place as Awaited

ABSENT: Any = object()


@dataclass
class Info:
    """What all scopes of an execution share. now_ms: the time of its last signal; log: told of each event, or None."""

    execution_id: str
    application: str
    workflow: str
    start_time: str
    input: Any
    now_ms: int
    budget: Budget = field(default_factory=Budget)
    variable_bytes: int = 0
    transitions: int = 0
    redrives: int = 0
    redriven_ms: int = 0
    tokens: TaskTokens = field(default_factory=TaskTokens)
    log: EventLog | None = None
    input_text: str | None = None
    """The input as it came, when it came as text."""


class Join:
    """Where the branches of a Parallel or the iterations of a Map meet: complete when every place has its result."""

    def __init__(self, visit: Visit, size: int | None) -> None:
        """size: None when that is not known yet."""
        self.visit = visit
        self.scopes: dict[int, Scope] = {}
        self.results: dict[int, Any] = {}
        self.size = size
        self.ended = 0
        self.bytes = 2
        self.is_abandoned = False
        self.iterations: Any = None
        """Of a Map: its Iterations."""
        self.run: Any = None
        """Of a distributed Map: its MapRun."""
        self.items_of: dict[int, int] = {}
        """How many items each batch has that has not ended."""
        self.failed = 0
        self.max_items = limits.MAP_ITEMS
        self.files: Any = None
        """Where a distributed Map's results are written: its ResultFiles; None when they are gathered here."""
        self.object_call: dict[str, int] = {}
        """The ids of calls about objects that are open, by "items" and "results"."""
        self.last_end = 0
        """Of an inline Map: the event of the last end of an iteration; 0: none has ended."""
        self.is_exceeded = False
        """More items have failed than may: what is known is written, then the Map fails."""
        self.has_succeeded = False
        """The state has failed with what all of them gave."""
        self.failures: list[tuple[Scope, int]] = []
        """Iterations of a distributed Map that have failed, with how many items each has, as long as they are not too many."""
        self.again: deque[tuple[Scope, int]] = deque()
        """Those that are to run again."""
        self.has_forgotten = False
        self._failure_bytes = 0
        flow = visit.state.flow
        # What nothing will look at is not gathered.
        self._keeps_results = not (flow.result_path is None and flow.result_selector is None and visit.state.assign is None)

    def arrive(self, scope: Scope, result: Any) -> None:
        self._end(scope)
        self._keep(scope, result)

    def _keep(self, scope: Scope, result: Any) -> None:
        if not self._keeps_results or self.files is not None:
            return
        self.results[scope.index] = result
        self.bytes += 1 + document.size(result, limits.DOCUMENT_BYTES)
        if self.bytes > limits.DOCUMENT_BYTES:
            name = self.visit.state.name
            message = f"The results that state '{name}' has to join are over the limit of {limits.DOCUMENT_BYTES} bytes"
            raise StateError(DATA_LIMIT_EXCEEDED, message)

    def is_one_too_many(self, scope: Scope, shown: Any) -> bool:
        """An iteration of a distributed Map has failed. shown: what stands for it among the results. Raises StateError when
        these are too large together."""
        count = self._end(scope)
        self.failed += count
        given = (scope.execution_input, None if scope.visit is None else scope.visit.input)
        self._failure_bytes += sum(document.size(each, limits.DOCUMENT_BYTES) for each in given)
        is_full = len(self.failures) == limits.FAILED_ITERATIONS or self._failure_bytes > limits.DOCUMENT_BYTES
        self.has_forgotten = self.has_forgotten or is_full
        if self.has_forgotten:
            self.failures = []
        else:
            self.failures.append((scope, count))
        if self.has_too_many_failed():
            return True
        self._keep(scope, shown)
        return False

    def has_too_many_failed(self) -> bool:
        return bool(self.run.is_exceeded_by(self.failed, self.size))

    def reopen(self) -> None:
        """Its state is redriven: what had not ended goes on, and what had failed."""
        self.is_abandoned = False
        for scope in self.scopes.values():
            scope.reopen()
        if self.run is None:
            return
        self.is_exceeded = False
        for scope, count in self.failures:
            self.ended -= count
            self.failed -= count
            if scope.index in self.results:
                self.bytes -= 1 + document.size(self.results.pop(scope.index), limits.DOCUMENT_BYTES)
        self.again.extend(self.failures)
        self.failures, self._failure_bytes = [], 0
        if self.files is not None:
            self.files.reopen()

    @property
    def is_complete(self) -> bool:
        return self.ended == self.size

    def _end(self, scope: Scope) -> int:
        del self.scopes[scope.index]
        count = self.items_of.pop(scope.index, 1)
        self.ended += count
        return count

    def joined(self) -> list[Any]:
        """In order; what stands for an iteration that failed, and was tolerated, is among them."""
        results = [self.results[index] for index in sorted(self.results)]
        if self.run is None or self.run.transformation != "FLATTEN":
            return results
        return [part for result in results for part in (result if isinstance(result, list) else [result])]


class Scope:
    """One run of a state machine: the execution's own, a branch of a Parallel, or an iteration of a Map."""

    def __init__(
        self,
        info: Info,
        machine: definition.StateMachine,
        join: Join | None = None,
        index: int = 0,
        item: Any = None,
        own_input: Any = ABSENT,
    ) -> None:
        """item: what the context object shows of a Map's iteration. own_input: of one that is an execution of its own."""
        self.info = info
        self.machine = machine
        self.join = join
        self.index = index
        self.outer = None if join is None else join.visit.scope
        self.prefix = "" if join is None else f"{join.visit.step}[{index}]/"
        self.item = item
        is_own = own_input is not ABSENT
        self.execution_input: Any = own_input if is_own or self.outer is None else self.outer.execution_input
        self.last_event = 0 if is_own or self.outer is None else self.outer.last_event
        """What its next event follows."""
        self.events = Events(self.prefix[:-1]) if is_own or self.outer is None else self.outer.events
        self._visible_outer = None if is_own else self.outer
        self.is_closed = False
        self.began_ms = info.now_ms
        self.fiber: Generator[Any, Any, Any] | None = None
        self.waits_for: int | None = None
        """The id of the call or timer that it waits for."""
        self.token_wait: Any = None
        """Of a task that waits for a callback: its TokenWait."""
        self.joining: Join | None = None
        self.visit: Visit | None = None
        self.next: tuple[str, Any] | None = None
        """The state that it is to enter, and its input; None when it is in one."""
        self.places: dict[str, Place] = {}
        """Of the execution's own: by the states that it has entered."""
        self._visits: dict[str, int] = {}
        self._variables: dict[str, tuple[Any, int]] = {}

    def event(self, kind: str, details: Details | None = None) -> int:
        """One more in the history: its number. details: made only where the history is kept."""
        id = self.last_event = self.aside(kind, details)
        return id

    def aside(self, kind: str, details: Details | None = None) -> int:
        """As `event`; what comes next follows the one before it, as on AWS."""
        id = self.events.count = self.events.count + 1
        if self.info.log is not None:
            shown = None if details is None else details()
            self.info.log.add(self.events.run, id, self.last_event, self.info.now_ms, kind, shown)
        return id

    def started(self, input: Any) -> None:
        """The first event of its history, which is counted from the beginning."""
        if self.info.log is not None:
            shown = value("input", input)
            self.info.log.add(self.events.run, 1, 0, self.info.now_ms, "ExecutionStarted", shown)

    def new_step(self, state: definition.State) -> str:
        """ "Tag", "Tag#2", …: one that this execution has not had yet."""
        count = self._visits[state.name] = self._visits.get(state.name, 0) + 1
        return f"{self.prefix}{state.step}" + (f"#{count}" if count > 1 else "")

    def remember(self, state: str, input: Any) -> None:
        """It is about to enter the state: a redrive may begin from there."""
        attempts = {self.machine.states[name].step: count for name, count in self._visits.items()}
        self.places[state] = Place(input, dict(self._variables), attempts)

    def go_back(self, state: str) -> None:
        """It is to enter a state again, with what that had."""
        place = self.places[state]
        self.is_closed = False
        self.info.variable_bytes -= self.bytes()
        self._variables = dict(place.variables)
        self.info.variable_bytes += self.bytes()
        self.next = (state, place.input)

    def variable(self, name: str) -> Any:
        """Raises KeyError when none of that name has a value here or around."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope._variables:
                return scope._variables[name][0]
            scope = scope._visible_outer
        raise KeyError(name)

    def assign(self, values: dict[str, Any]) -> None:
        """Gives all of them their values, or none. Raises StateError when they are too large."""
        sizes = {name: len(document.write(value).encode("utf-8", "replace")) for name, value in values.items()}
        added = 0
        for name, size in sizes.items():
            added += size
            if added > limits.ASSIGN_BYTES:
                message = f"The values that the field Assign gives to variables, up to ${name}, are over the limit of"
                raise StateError(DATA_LIMIT_EXCEEDED, f"{message} {limits.ASSIGN_BYTES} bytes")
        before = sum(self._variables[name][1] for name in values if name in self._variables)
        total = self.info.variable_bytes + added - before
        if total > limits.VARIABLES_BYTES:
            message = f"The execution's variables would have {total} bytes; the limit is {limits.VARIABLES_BYTES}"
            raise StateError(DATA_LIMIT_EXCEEDED, message)
        self._variables.update({name: (value, sizes[name]) for name, value in values.items()})
        self.info.variable_bytes = total

    def bytes(self) -> int:
        """Of its own variables."""
        return sum(size for _, size in self._variables.values())

    def close(self) -> None:
        """It has ended."""
        self.suspend()
        self._variables = {}

    def suspend(self) -> None:
        """It has failed or is abandoned; a redrive may open it again."""
        self.is_closed = True
        self.info.variable_bytes -= self.bytes()

    def forget(self) -> None:
        """Its variables: it begins anew."""
        self.info.variable_bytes -= self.bytes()
        self._variables = {}

    def reopen(self) -> None:
        self.is_closed = False
        if self.join is not None and self.join.run is None and self.outer is not None:
            self.last_event = self.outer.last_event
        self.info.variable_bytes += self.bytes()
        self.joining = self.waits_for = self.token_wait = None


class Visit:
    """One visit of a state: from its entry to the transition out of it, over all its attempts."""

    def __init__(self, scope: Scope, state: definition.State, input: Any) -> None:
        self.scope = scope
        self.state = state
        self.input = input
        self.entered_ms = scope.info.now_ms
        kind = f"{type(state).__name__}StateEntered"
        self.entered_event = scope.event(kind, lambda: value("input", input, name=state.name))
        self.retries: dict[int, int] = {}
        self.join: Join | None = None
        """Of a Parallel or Map: that of its attempt."""
        self.assigned: dict[str, Any] | None = None
        """What its variables were given at its end."""
        self.left: Join | None = None
        """Of a Parallel or Map that failed or was abandoned: what a redrive goes on with; None: it begins anew."""
        self.step = self.first_step = scope.new_step(state)
        self._draws = 0
        self._item: Any = None
        """Of a Map, while its ItemSelector is at one: as on AWS, the states of an iteration do not see it."""

    def of_item(self, iteration: Scope, data: Any) -> View:
        """What the ItemSelector of a Map sees of one of its iterations."""
        seen = Visit.__new__(Visit)
        seen.__dict__ |= self.__dict__ | {
            "scope": iteration,
            "step": f"{self.step}[{iteration.index}]",
            "input": data,
            "_item": iteration.item,
        }
        return View(seen, data)

    def again(self) -> Visit:
        """The same visit once more: its attempts are counted anew, also where it goes on with what is left."""
        if self.left is not None:
            self.retries = {}
            return self
        visit = Visit.__new__(Visit)
        visit.__dict__ |= self.__dict__ | {"retries": {}, "join": None, "_draws": 0}
        visit.begin_attempt()
        return visit

    def begin_attempt(self) -> None:
        """Every attempt has a step of its own, so that a late answer to an earlier one is known."""
        self.step = self.scope.new_step(self.state)

    def draw(self) -> int:
        self._draws += 1
        return chance.draw(self.scope.info.execution_id, self.step, self._draws)

    def token(self) -> str:
        """Of this attempt's callback."""
        info = self.scope.info
        return info.tokens.token(Awaited(info.application, info.execution_id, self.step + STEP))

    def context(self) -> dict[str, Any]:
        info = self.scope.info
        context: dict[str, Any] = {
            "Execution": {
                "Id": info.execution_id,
                "Input": info.input if self.scope.execution_input is ABSENT else self.scope.execution_input,
                "StartTime": info.start_time,
                "Name": info.execution_id,
                "RoleArn": f"sand:role:{info.application}",
                "RedriveCount": info.redrives,
                **({"RedriveTime": timestamps.text(info.redriven_ms)} if info.redrives else {}),
            },
            "StateMachine": {"Id": f"{info.application}/{info.workflow}", "Name": info.workflow},
            "State": {
                "Name": self.state.name,
                "EnteredTime": timestamps.text(self.entered_ms),
                **({"RetryCount": sum(self.retries.values())} if isinstance(self.state, definition.Work) else {}),
            },
        }
        if isinstance(self.state, definition.Task) and self.state.awaits_token:
            context["Task"] = {"Token": self.token()}
        if self._item is not None:
            context["Map"] = {"Item": self._item}
        return context


class View:
    """What the expressions of a visit see, with some data at hand. result, error: what JSONata sees of the state's work."""

    __slots__ = ("_data", "error", "result", "visit")

    def __init__(self, visit: Visit, data: Any, result: Any = ABSENT, error: Any = ABSENT) -> None:
        self.visit = visit
        self._data = data
        self.result = result
        self.error = error

    def data(self) -> Any:
        return self._data

    def text(self) -> str:
        """Of the execution's input, as long as it is that, the text that came, as on AWS."""
        info = self.visit.scope.info
        if info.input_text is not None and self._data is info.input and isinstance(self._data, dict | list):
            return document.shortened(info.input_text)
        return document.shown(self._data)

    def context(self) -> dict[str, Any]:
        return self.visit.context()

    def variable(self, name: str) -> Any:
        return self.visit.scope.variable(name)

    def draw(self) -> int:
        return self.visit.draw()

    def now_ms(self) -> int:
        return self.visit.scope.info.now_ms

    @property
    def budget(self) -> Budget:
        return self.visit.scope.info.budget
