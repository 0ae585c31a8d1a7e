"""Visits of states, and what the expressions of a visit can see."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sand.asl import chance, definition, document, timestamps
from sand.asl.budget import Budget
from sand.asl.events import value
from sand.asl.opaque import inside
from sand.asl.scopes import ABSENT, Scope
from sand.asl.tokens import STEP
from sand.asl.tokens import Place as Awaited

if TYPE_CHECKING:
    from sand.asl.invocations import Kind
    from sand.asl.joins import Join


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
        self.has_run = False
        """Of a distributed Map: whether the run of its attempt has started."""
        self.assigned: dict[str, Any] | None = None
        """What its variables were given at its end."""
        self.left: Join | None = None
        """Of a Parallel or Map that failed or was abandoned: what a redrive goes on with; None: it begins anew."""
        self.invocation: Kind | None = None
        """Of a task that invokes a function: that of its attempt."""
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
        self.has_run = False

    def draw(self) -> int:
        self._draws += 1
        return chance.draw(self.scope.info.execution_id, self.step, self._draws - 1)

    def token(self) -> str:
        """Of this attempt's callback."""
        info = self.scope.info
        return info.tokens.token(Awaited(info.application, info.execution_id, self.step + STEP))

    def context(self, with_input: bool) -> dict[str, Any]:
        """with_input: whether the execution's input is to be in it, which then has to be JSON."""
        info = self.scope.info
        given = info.input if self.scope.execution_input is ABSENT else self.scope.execution_input
        context: dict[str, Any] = {
            "Execution": {
                "Id": info.execution_id,
                **({"Input": inside(given)} if with_input else {}),
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
    """What the expressions of a visit see, with some data at hand. result, error: what JSONata sees of the state's work.
    whole: the data, which is no JSON where nobody looks into it."""

    __slots__ = ("_result", "error", "visit", "whole")

    def __init__(self, visit: Visit, data: Any, result: Any = ABSENT, error: Any = ABSENT) -> None:
        self.visit = visit
        self.whole = data
        self._result = result
        self.error = error

    def data(self) -> Any:
        return inside(self.whole)

    def result(self) -> Any:
        return inside(self._result)

    def text(self) -> str:
        """Of the execution's input, as long as it is that, the text that came, as on AWS."""
        info = self.visit.scope.info
        if info.input_text is not None and self.whole is info.input and isinstance(self.whole, dict | list):
            return document.shortened(info.input_text)
        return document.shown(self.whole)

    def context(self, with_input: bool) -> dict[str, Any]:
        return self.visit.context(with_input)

    def variable(self, name: str) -> Any:
        return self.visit.scope.variable(name)

    def draw(self) -> int:
        return self.visit.draw()

    def now_ms(self) -> int:
        return self.visit.scope.info.now_ms

    @property
    def budget(self) -> Budget:
        return self.visit.scope.info.budget
