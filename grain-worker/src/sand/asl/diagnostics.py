"""What is wrong with a definition, and where: all of it at once."""

from dataclasses import dataclass

from sand.asl import limits


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One mistake.

    pointer: JSON Pointer (RFC 6901) to the place, empty for the whole document; code: for programs; message: for people.
    """

    pointer: str
    code: str
    message: str


class Refused(ValueError):
    """A definition that cannot run; `diagnostics` has every mistake in the order in which it stands."""

    def __init__(self, diagnostics: list[Diagnostic]) -> None:
        super().__init__("; ".join(f"{one.pointer}: {one.code}: {one.message}" for one in diagnostics[:5]))
        self.diagnostics = diagnostics


class Diagnostics:
    """Collects them while a definition is read: each once, also where a field is asked for again."""

    def __init__(self) -> None:
        self.found: list[Diagnostic] = []

    def add(self, pointer: str, code: str, message: str) -> None:
        diagnostic = Diagnostic(pointer, code, message)
        if len(self.found) < limits.DIAGNOSTICS and diagnostic not in self.found:
            self.found.append(diagnostic)


def child(pointer: str, name: str | int) -> str:
    """A step down in a JSON Pointer."""
    return f"{pointer}/{str(name).replace('~', '~0').replace('/', '~1')}"
