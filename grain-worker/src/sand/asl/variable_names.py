"""The variables that the states of a scope assign, and the scopes in it. An inner scope must not assign what may be assigned on
a way into it, so that clashes are only known once everything is read."""

from __future__ import annotations

from sand.asl import limits
from sand.asl.diagnostics import Diagnostics


class VariableNames:
    def __init__(self) -> None:
        self._places: dict[str, list[str]] = {}
        self._inner: list[tuple[str, VariableNames]] = []
        self._targets: dict[str, list[tuple[str, str]]] = {}

    def below(self, state: str) -> VariableNames:
        """state: of this scope, which has the other one in it."""
        self._inner.append((state, VariableNames()))
        return self._inner[-1][1]

    def lead(self, targets: dict[str, list[tuple[str, str]]]) -> None:
        """targets: of each state of this scope, names with the pointers to where they stand."""
        self._targets = targets

    def add(self, name: str, pointer: str) -> None:
        self._places.setdefault(name, []).append(pointer)

    def check(self, diagnostics: Diagnostics, outer: dict[str, str] | None = None) -> None:
        assigned: dict[str, dict[str, str]] = {}
        for name, pointers in self._places.items():
            for pointer in pointers:
                assigned.setdefault(pointer.rpartition("/Assign/")[0], {})[name] = pointer
                if outer and name in outer:
                    message = f"The variable {name} may be assigned before, in an outer scope, at {outer[name]}: a Parallel's"
                    message += " branch and a Map's iteration can read it and not assign it."
                    diagnostics.add(pointer, "VARIABLE_CONFLICT", message)
        for state, scope in self._inner:
            scope.check(diagnostics, self._visible(state, outer or {}, assigned))

    def _visible(self, state: str, outer: dict[str, str], assigned: dict[str, dict[str, str]]) -> dict[str, str]:
        """What may be assigned when a state is entered. assigned: by the pointer to the state, rule or catcher that assigns."""
        visible = dict(outer)
        into = self._reaching(state) if assigned else ()
        for found in self._targets.values():
            for target, pointer in found:
                if target in into:
                    visible = assigned.get(pointer.rpartition("/")[0], {}) | visible
        return visible

    def _reaching(self, state: str) -> set[str]:
        """The state, and those from which it can be reached."""
        sources: dict[str, list[str]] = {}
        for source, found in self._targets.items():
            for target, _ in found:
                sources.setdefault(target, []).append(source)
        reaching: set[str] = set()
        open_ = [state]
        while open_:
            name = open_.pop()
            if name not in reaching:
                reaching.add(name)
                open_ += sources.get(name, [])
        return reaching


def fault(name: str) -> str | None:
    """What is wrong with a variable's name, or None."""
    if name == "states":
        return "the name states is reserved"
    if not 1 <= len(name) <= limits.VARIABLE_NAME_CHARS:
        return f"a variable's name must have from 1 to {limits.VARIABLE_NAME_CHARS} characters"
    if name.isidentifier() and not name.startswith("_"):
        return None
    return f"'{name}' is no name of a variable: a letter must be its first character, letters, digits and _ the others"
