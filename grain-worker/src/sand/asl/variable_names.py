"""The variables that the states of a scope assign, and the scopes in it. An inner scope must not assign what may be assigned on
a way into it, so that clashes are only known once everything is read."""

from __future__ import annotations

from sand.asl import limits
from sand.asl.diagnostics import Diagnostics
from sand.asl.ways import Ways


class VariableNames:
    def __init__(self) -> None:
        self._places: dict[str, list[str]] = {}
        self._inner: list[tuple[str, VariableNames]] = []
        self._ways = Ways()

    def below(self, state: str) -> VariableNames:
        """state: of this scope, which has the other one in it."""
        self._inner.append((state, VariableNames()))
        return self._inner[-1][1]

    def lead(self, ways: Ways) -> None:
        """ways: between the states of this scope."""
        self._ways = ways

    def add(self, name: str, pointer: str) -> None:
        self._places.setdefault(name, []).append(pointer)

    def check(self, diagnostics: Diagnostics, outer: dict[str, str] | None = None) -> None:
        """outer: where what this scope assigns may have been assigned before, by name."""
        outer = outer or {}
        for name, pointers in self._places.items():
            if name in outer:
                message = f"The variable {name} may be assigned before, in an outer scope, at {outer[name]}: a Parallel's"
                message += " branch and a Map's iteration can read it and not assign it."
                for pointer in pointers:
                    diagnostics.add(pointer, "VARIABLE_CONFLICT", message)
        leading: dict[str, set[str]] = {}
        for state, scope in self._inner:
            places = {name: outer.get(name) or self._before(name, state, leading) for name in scope._all()}
            scope.check(diagnostics, {name: place for name, place in places.items() if place is not None})

    def _all(self) -> set[str]:
        """Every name that is assigned here or below."""
        return set(self._places).union(*(scope._all() for _, scope in self._inner))

    def _before(self, name: str, state: str, leading: dict[str, set[str]]) -> str | None:
        """Where a name may be assigned before a state is entered. leading: to a state, as far as it was asked for."""
        for pointer in self._places.get(name, []):
            if state not in leading:
                leading[state] = self._ways.leading_to(state)
            if not leading[state].isdisjoint(self._ways.at(pointer.rpartition("/Assign/")[0])):
                return pointer
        return None


def fault(name: str) -> str | None:
    """What is wrong with a variable's name, or None."""
    if name == "states":
        return "the name states is reserved"
    if not 1 <= len(name) <= limits.VARIABLE_NAME_CHARS:
        return f"a variable's name must have from 1 to {limits.VARIABLE_NAME_CHARS} characters"
    if name.isidentifier() and not name.startswith("_"):
        return None
    return f"'{name}' is no name of a variable: a letter must be its first character, letters, digits and _ the others"
