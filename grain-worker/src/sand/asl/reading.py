"""A definition from text: JSON first, with keys that stand twice reported; then machines, states and what leads where."""

from __future__ import annotations

from typing import Any

from sand.asl import definition as asl
from sand.asl import document, limits, malformed
from sand.asl.diagnostics import Diagnostic, Diagnostics, child
from sand.asl.fields import Fields
from sand.asl.states import StateReader, query_language
from sand.asl.variable_names import VariableNames
from sand.asl.ways import Ways


class _Pairs(list[tuple[str, Any]]):
    """An object as it stands in the text."""


def read(text: str) -> tuple[asl.StateMachine | None, list[Diagnostic]]:
    """The machine, or everything that is wrong with it."""
    diagnostics = Diagnostics()
    try:
        tree = _tree(text, diagnostics)
    except document.NoJson as e:
        if e.is_limit:
            diagnostics.add("", "TOO_DEEP", f"The definition is over a limit: {e}.")
        else:
            diagnostics.add("", "INVALID_JSON", _no_json(e, text))
        return None, diagnostics.found
    except _TooLarge as e:
        diagnostics.add("", "TOO_LARGE", str(e))
        return None, diagnostics.found
    if not isinstance(tree, dict):
        diagnostics.add("", "WRONG_TYPE", "A definition must be an object.")
        return None, diagnostics.found
    machine = _Reader(diagnostics).read_top(Fields(tree, "", diagnostics))
    return (None if diagnostics.found else machine), diagnostics.found


def _no_json(refused: document.NoJson, text: str) -> str:
    if not text.strip(document.BLANKS):
        return "The definition is empty."
    found = malformed.fault(text, is_text=True)
    why = str(refused) if found is None else f"{found[0]} (line {found[1]}, column {found[2]})"
    return f"The definition is no JSON: {why}."


class _TooLarge(Exception):
    pass


def _tree(text: str, diagnostics: Diagnostics) -> Any:
    size = len(text) if len(text) > limits.DEFINITION_BYTES else len(text.encode("utf-8", "replace"))
    if size > limits.DEFINITION_BYTES:
        raise _TooLarge(f"The definition has {size} bytes or more; the limit is {limits.DEFINITION_BYTES} bytes.")
    return _unique(document.parse(text, _Pairs), "", diagnostics)


def _unique(value: Any, pointer: str, diagnostics: Diagnostics) -> Any:
    if isinstance(value, _Pairs):
        members: dict[str, Any] = {}
        for name, member in value:
            below = child(pointer, name)
            read_ = _unique(member, below, diagnostics)
            if name in members:
                diagnostics.add(below, "DUPLICATE_KEY", f"The key '{name}' stands twice.")
            else:
                members[name] = read_
        return members
    if isinstance(value, list):
        return [_unique(element, f"{pointer}/{index}", diagnostics) for index, element in enumerate(value)]
    return value


class _Reader:
    """Of the definition itself, of branches and of item processors: names of states are unique over all of them."""

    def __init__(self, diagnostics: Diagnostics) -> None:
        self._diagnostics = diagnostics
        self._names: dict[str, str] = {}
        self._labels: dict[str, str] = {}
        self._is_jsonata = False

    def read_top(self, fields: Fields) -> asl.StateMachine | None:
        if fields.string("Version") not in (None, "1.0"):
            fields.wrong("Version", "The field Version must be 1.0.")
        self._is_jsonata = query_language(fields) is True
        variables = VariableNames()
        timeout = fields.integer("TimeoutSeconds", 0, limits.SECONDS, 0)
        machine = self._machine(fields, "a state machine", variables, timeout)
        variables.check(self._diagnostics)
        # Of branches and item processors AWS does not ask for it.
        below = fields.members.get("States")
        is_whole = machine is not None and isinstance(below, dict) and len(machine.states) == len(below)
        if machine is not None and is_whole and not any(_is_terminal(state) for state in machine.states.values()):
            message = 'No state ends it: a state with "End": true, a Succeed or a Fail is needed.'
            fields.report("States", "NO_TERMINAL_STATE", message)
        return machine

    def read(self, fields: Fields, what: str, variables: VariableNames) -> asl.StateMachine | None:
        return self._machine(fields, what, variables, 0)

    def _machine(self, fields: Fields, what: str, variables: VariableNames, timeout: int) -> asl.StateMachine | None:
        """None when nothing sensible can be made of it."""
        fields.comment()
        start_at = fields.required_string("StartAt")
        all_ = fields.object("States") if fields.require("States") else None
        fields.report_unknown(what)
        if all_ is None:
            return None
        states: dict[str, asl.State] = {}
        ways = Ways()
        for name in all_.members:
            self._check_name(name, all_)
            below = all_.object(name)
            ways.add_state(name)
            if below is not None:
                state = StateReader(name, below, ways, variables, self._is_jsonata, self.read).read()
                if state is not None:
                    states[name] = state
                    self._check_label(state, below)
        variables.lead(ways)
        if not ways.states:
            fields.wrong("States", "The field States must hold at least one state.")
            return None
        self._check_ways(fields, all_, start_at, ways)
        return asl.StateMachine(start_at or "", states, timeout)

    def _check_name(self, name: str, all_: Fields) -> None:
        if not 1 <= len(name) <= limits.STATE_NAME_CHARS:
            all_.wrong(name, f"A state's name must have from 1 to {limits.STATE_NAME_CHARS} characters.")
        other = self._names.setdefault(name, all_.at(name))
        if other != all_.at(name):
            message = f"The name {name} is that of the state at {other} too; names are unique in the whole definition."
            all_.report(name, "DUPLICATE_STATE", message)

    def _check_label(self, state: asl.State, fields: Fields) -> None:
        """Of a distributed Map."""
        label = state.distribution.label if isinstance(state, asl.Map) and state.distribution else None
        if label is None:
            return
        other = self._labels.setdefault(label, fields.pointer)
        if other != fields.pointer:
            message = f"The Label {label} is that of the Map at {other} too; labels are unique in the whole definition."
            fields.wrong("Label", message)

    def _check_ways(self, fields: Fields, all_: Fields, start_at: str | None, ways: Ways) -> None:
        if start_at is not None and start_at not in ways.states:
            fields.report("StartAt", "MISSING_TARGET", f"There is no state {start_at} here.")
        elif start_at is not None:
            reached = ways.reached({start_at: ""})
            for name in ways.states:
                if name not in reached:
                    all_.report(name, "UNREACHABLE_STATE", f"No state leads to {name}.")
        for target, pointer in ways.all():
            if target not in ways.states:
                self._diagnostics.add(pointer, "MISSING_TARGET", f"There is no state {target} here.")


def _is_terminal(state: asl.State) -> bool:
    return isinstance(state, asl.Succeed | asl.Fail) or (state.next is None and not isinstance(state, asl.Choice))
