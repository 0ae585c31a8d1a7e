"""Where an execution is: what all of it shares, and its scopes, the runs of a state machine."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sand.asl import definition, document, limits, quotas
from sand.asl.budget import Budget
from sand.asl.events import Details, EventLog, Events, value
from sand.asl.failure import DATA_LIMIT_EXCEEDED, HistoryFull, StateError
from sand.asl.places import Attempts, Place
from sand.asl.quotas import Quotas
from sand.asl.tokens import TaskTokens

if TYPE_CHECKING:
    from sand.asl.joins import Join
    from sand.asl.visits import Visit

ABSENT: Any = object()
END = ("ExecutionSucceeded", "ExecutionFailed", "ExecutionTimedOut", "ExecutionAborted")
"""The last event of a history."""


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
    quotas: Quotas = quotas.NONE
    places: tuple[str, ...] | None = None
    """The states that a redrive may begin from; None: any."""


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
        if is_own or self.outer is None:
            self.events = Events(self.prefix[:-1], info.quotas.history_events)
        else:
            self.events = self.outer.events
        self._visible_outer = None if is_own else self.outer
        self.is_closed = False
        self.began_ms = info.now_ms
        self.began_redrives = info.redrives
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
        """Of the execution's own: by the states that it has entered, and that a redrive may begin from."""
        self._attempts = Attempts()
        self._visits: dict[str, int] = {}
        self._variables: dict[str, tuple[Any, int]] = {}
        self._are_kept = False
        """Its variables as they are: a place has them."""

    def event(self, kind: str, details: Details | None = None) -> int:
        """One more in the history: its number. details: made only where the history is kept."""
        id = self.last_event = self.aside(kind, details)
        return id

    def aside(self, kind: str, details: Details | None = None) -> int:
        """As `event`; what comes next follows the one before it, as on AWS. Raises HistoryFull."""
        if self.events.count >= self.events.most and kind not in END:
            raise HistoryFull(self._execution(), self.events.most + 1)
        id = self.events.count = self.events.count + 1
        if self.info.log is not None:
            shown = None if details is None else details()
            self.info.log.add(self.events.run, id, self.last_event, self.info.now_ms, kind, shown)
        return id

    def _execution(self) -> Scope:
        """The one whose history this one's events are in."""
        scope = self
        while scope.outer is not None and scope.outer.events is scope.events:
            scope = scope.outer
        return scope

    def started(self, input: Any) -> None:
        """The first event of its history, which is counted from the beginning."""
        if self.info.log is not None:
            shown = value("input", input)
            self.info.log.add(self.events.run, 1, 0, self.info.now_ms, "ExecutionStarted", shown)

    def new_step(self, state: definition.State) -> str:
        """ "Tag", "Tag#2", …: one that this execution has not had yet."""
        count = self._visits[state.name] = self._visits.get(state.name, 0) + 1
        if self.join is None and self.info.places != ():
            self._attempts.add(state.step)
        return f"{self.prefix}{state.step}" + (f"#{count}" if count > 1 else "")

    def remember(self, state: str, input: Any) -> None:
        """It is about to enter the state: a redrive may begin from there."""
        if self.info.places is None or state in self.info.places:
            self.places[state] = Place(input, self._variables, self._attempts, self._attempts.count)
            self._are_kept = True

    def go_back(self, state: str) -> None:
        """It is to enter a state again, with what that had."""
        place = self.places[state]
        self.is_closed = False
        self.info.variable_bytes -= self.bytes()
        self._variables, self._are_kept = place.variables, True
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
        if self._are_kept:
            self._variables, self._are_kept = dict(self._variables), False
        self._variables.update({name: (value, sizes[name]) for name, value in values.items()})
        self.info.variable_bytes = total

    def bytes(self) -> int:
        """Of its own variables."""
        return sum(size for _, size in self._variables.values())

    def close(self) -> None:
        """It has ended."""
        self.suspend()
        self._variables, self._are_kept = {}, False

    def suspend(self) -> None:
        """It has failed or is abandoned; a redrive may open it again."""
        self.is_closed = True
        self.info.variable_bytes -= self.bytes()

    def forget(self) -> None:
        """Its variables: it begins anew."""
        self.info.variable_bytes -= self.bytes()
        self._variables, self._are_kept = {}, False

    def reopen(self) -> None:
        self.is_closed = False
        if self.join is not None and self.join.run is None and self.outer is not None:
            self.last_event = self.outer.last_event
        self.info.variable_bytes += self.bytes()
        self.joining = self.waits_for = self.token_wait = None
