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
        assigning: dict[str, list[int]] = {}
        for at, (_, scope) in enumerate(self._inner):
            for name in scope._all():
                assigning.setdefault(name, []).append(at)
        before: list[dict[str, str]] = [{} for _ in self._inner]
        for name, scopes in assigning.items():
            after = self._after(name) if name in self._places and name not in outer else {}
            for at in scopes:
                place = outer.get(name) or after.get(self._inner[at][0])
                if place is not None:
                    before[at][name] = place
        for (_, scope), places in zip(self._inner, before, strict=True):
            scope.check(diagnostics, places)

    def _all(self) -> set[str]:
        """Every name that is assigned here or below."""
        return set(self._places).union(*(scope._all() for _, scope in self._inner))

    def _after(self, name: str) -> dict[str, str]:
        """The states before which a name may be assigned, each with a place of those where it is."""
        following: dict[str, str] = {}
        for pointer in self._places[name]:
            for state in self._ways.at(pointer.rpartition("/Assign/")[0]):
                following.setdefault(state, pointer)
        return self._ways.reached(following)


def fault(name: str) -> str | None:
    """What is wrong with a variable's name, or None."""
    if name == "states":
        return "the name states is reserved"
    if not 1 <= len(name) <= limits.VARIABLE_NAME_CHARS:
        return f"a variable's name must have from 1 to {limits.VARIABLE_NAME_CHARS} characters"
    if name.isidentifier() and not name.startswith("_"):
        return None
    return f"'{name}' is no name of a variable: a letter must be its first character, letters, digits and _ the others"
