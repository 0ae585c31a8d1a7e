"""One state of a definition by itself, as Step Functions' TestState has it: what it makes of an input, and which state would
follow. It runs in virtual time, in a machine that has it and where it may lead to; what would follows says what came there, and
its place in a list, instead of running."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sand.asl import document, stub_check
from sand.asl.diagnostics import Diagnostic, Refused
from sand.asl.machine import Machine
from sand.asl.outcome import Outcome

SUCCEEDED, CAUGHT = "SUCCEEDED", "CAUGHT"
_CAUGHT_ERROR = "caughtBySandStateTrial"
"""The variable that an error is kept in when it is caught: what goes on need not show it."""


@dataclass(frozen=True, slots=True)
class Tried:
    """status: SUCCEEDED, CAUGHT (a Catch took its error), FAILED or TIMED_OUT; next: the state that follows, None: none;
    output: what that is given; error, cause: of CAUGHT as its Catch was given them."""

    status: str
    output: Any
    next: str | None
    error: str | None
    cause: str | None

    def document(self) -> dict[str, Any]:
        shown: dict[str, Any] = {"status": self.status}
        if self.status in (SUCCEEDED, CAUGHT):
            shown["output"] = self.output
        if self.next is not None:
            shown["next"] = self.next
        return shown if self.status == SUCCEEDED else shown | {"error": self.error, "cause": self.cause}


@dataclass(frozen=True, slots=True)
class _Way:
    """Where it may go. name: None: the execution ends."""

    name: str | None
    is_caught: bool


def run(
    definition: dict[str, Any], name: str, input: Any, variables: dict[str, Any] | None = None, grains: Any = None
) -> Tried | list[Diagnostic] | None:
    """name: of a state in the definition, at any depth; variables: assigned before; grains: stubs, see `Stubs`.

    A list of what is wrong with the stubs or the state; None: there is no such state.
    """
    state = _find(definition, name)
    if state is None:
        return None
    if faults := stub_check.faults(grains):
        return [Diagnostic("/grains" + fault.pointer, fault.code, fault.message) for fault in faults]
    trial = _Trial(definition, name, state, variables)
    try:
        machine = Machine(document.write(trial.machine))
    except Refused as refused:
        return refused.diagnostics
    return trial.tried(machine.run(input, grains))


class _Trial:
    def __init__(self, definition: dict[str, Any], name: str, state: dict[str, Any], variables: dict[str, Any] | None) -> None:
        self._name = name
        # It ends by itself, and what it gives is the output.
        self._is_last = state.get("Type") in ("Succeed", "Fail")
        self._ways: list[_Way] = []
        # Begins the names of the states that stand for what follows: it stands nowhere in the one that is tried.
        self._word = _unused(name + document.write(state))
        # A machine of JSONata has no states of JSONPath, which keep a number's digits.
        is_query = definition.get("QueryLanguage") == "JSONata"
        tried = copy.deepcopy(state)
        self._lead(tried)
        _keep_errors(tried, is_query or state.get("QueryLanguage") == "JSONata")
        states: dict[str, Any] = {name: tried}
        for number, way in enumerate(self._ways):
            given = {"given": "{% $states.input %}"} if is_query else {"given.$": "$"}
            if way.is_caught:
                given |= {"error": f"{{% ${_CAUGHT_ERROR} %}}"} if is_query else {"error.$": f"${_CAUGHT_ERROR}"}
            said = {"Output" if is_query else "Parameters": {"way": number, **given}}
            states[self._way(number)] = {"Type": "Pass", "End": True, **said}
        rest = {field: value for field, value in definition.items() if field not in ("States", "TimeoutSeconds", "StartAt")}
        self.machine: dict[str, Any] = {**rest, "States": states, "StartAt": name}
        if variables:
            first = f"{self._word} of variables"
            states[first] = {"Type": "Pass", "Next": name, "Assign": variables}
            self.machine["StartAt"] = first

    def _lead(self, state: dict[str, Any]) -> None:
        if state.get("End") is True:
            del state["End"]
            state["Next"] = self._to(None, False)
        elif isinstance(state.get("Next"), str):
            state["Next"] = self._to(state["Next"], False)
        if isinstance(state.get("Default"), str):
            state["Default"] = self._to(state["Default"], False)
        for rules, is_caught in ((state.get("Choices"), False), (state.get("Catch"), True)):
            for rule in rules if isinstance(rules, list) else ():
                if isinstance(rule, dict) and isinstance(rule.get("Next"), str):
                    rule["Next"] = self._to(rule["Next"], is_caught)

    def _to(self, name: str | None, is_caught: bool) -> str:
        self._ways.append(_Way(name, is_caught))
        return self._way(len(self._ways) - 1)

    def _way(self, number: int) -> str:
        return f"{self._word} {number}"

    def tried(self, ended: Outcome) -> Tried:
        if ended.status != SUCCEEDED:
            return Tried(ended.status, None, None, ended.error, self._own(ended.cause))
        if self._is_last:
            return Tried(SUCCEEDED, ended.output, None, None, None)
        way, given = self._ways[int(ended.output["way"])], ended.output["given"]
        if not way.is_caught:
            return Tried(SUCCEEDED, given, way.name, None, None)
        said = ended.output["error"]
        return Tried(CAUGHT, given, way.name, said.get("Error"), said.get("Cause"))

    def _own(self, cause: str | None) -> str | None:
        """As on AWS without the sentence that names the state and its event: there is one state, and no history."""
        before = f"An error occurred while executing the state '{self._name}' (entered at the event id #"
        return cause if cause is None or not cause.startswith(before) else cause[len(before) :].partition("). ")[2]


def _keep_errors(state: dict[str, Any], is_query: bool) -> None:
    """In a variable, by each Catch. What is no Catch is told as it is."""
    catchers = state.get("Catch")
    for catcher in catchers if isinstance(catchers, list) else ():
        if isinstance(catcher, dict) and isinstance(assign := catcher.setdefault("Assign", {}), dict):
            assign.update({_CAUGHT_ERROR: "{% $states.errorOutput %}"} if is_query else {f"{_CAUGHT_ERROR}.$": "$"})


def _unused(text: str) -> str:
    word = "way"
    while word in text:
        word += " on"
    return word


def _find(machine: Any, name: str) -> dict[str, Any] | None:
    """Names are unique in a definition."""
    states = machine.get("States") if isinstance(machine, dict) else None
    if not isinstance(states, dict):
        return None
    if isinstance(found := states.get(name), dict):
        return found
    inner = (machine for state in states.values() for machine in _machines(state))
    return next((found for machine in inner if (found := _find(machine, name)) is not None), None)


def _machines(state: Any) -> Iterator[Any]:
    if isinstance(state, dict):
        branches = state.get("Branches")
        yield from (state.get("ItemProcessor"), state.get("Iterator"), *(branches if isinstance(branches, list) else ()))
