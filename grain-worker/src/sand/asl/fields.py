"""One object of a definition while it is read: fields by name and type.

A mistake is reported and something harmless given, so that reading goes on and all mistakes are found; what was never asked
for is unknown.
"""

from __future__ import annotations

from typing import Any

from sand.asl import document, expressions, paths, reference_path
from sand.asl.diagnostics import Diagnostics, child
from sand.asl.expressions import Expression
from sand.asl.paths import Path
from sand.asl.reference_path import ReferencePath


class Fields:
    def __init__(self, members: dict[str, Any], pointer: str, diagnostics: Diagnostics) -> None:
        self.members = members
        self.pointer = pointer
        self.diagnostics = diagnostics
        self._known: set[str] = set()

    def at(self, name: str) -> str:
        return child(self.pointer, name)

    def report(self, name: str | None, code: str, message: str) -> None:
        self.diagnostics.add(self.pointer if name is None else self.at(name), code, message)

    def wrong(self, name: str | None, message: str) -> None:
        self.report(name, "WRONG_VALUE", message)

    def ignore(self, *names: str) -> None:
        """These may be there; what they say does not matter here."""
        self._known.update(names)

    def comment(self) -> None:
        """A remark for readers, anywhere."""
        self.string("Comment")

    def __contains__(self, name: str) -> bool:
        return name in self.members

    def raw(self, name: str) -> Any:
        self._known.add(name)
        return self.members.get(name)

    def require(self, name: str) -> bool:
        self._known.add(name)
        if name not in self.members:
            self.report(None, "MISSING_FIELD", f"The field {name} is missing.")
        return name in self.members

    def _typed(self, name: str, wanted: type | tuple[type, ...], what: str) -> Any:
        """None when it is absent or wrong."""
        value = self.raw(name)
        if name not in self.members:
            return None
        if not isinstance(value, wanted) or (isinstance(value, bool) and wanted is not bool):
            self.report(name, "WRONG_TYPE", f"The field {name} must be {what}.")
            return None
        return value

    def string(self, name: str) -> str | None:
        value: str | None = self._typed(name, str, "a string")
        return value

    def required_string(self, name: str) -> str | None:
        return self.string(name) if self.require(name) else None

    def boolean(self, name: str, otherwise: bool) -> bool:
        value = self._typed(name, bool, "a boolean")
        return otherwise if value is None else bool(value)

    def integer(self, name: str, least: int, most: int, otherwise: int) -> int:
        value: int | None = self._typed(name, int, "an integer")
        if value is None:
            return otherwise
        if not least <= value <= most:
            self.wrong(name, f"The field {name} must be from {least} to {most}, it is {value}.")
            return otherwise
        return value

    def number(self, name: str, least: float, otherwise: float) -> float:
        value = self.raw(name)
        if name not in self.members:
            return otherwise
        if not document.is_number(value):
            self.report(name, "WRONG_TYPE", f"The field {name} must be a number.")
            return otherwise
        if value < least:
            self.wrong(name, f"The field {name} must be at least {least:g}, it is {value}.")
            return otherwise
        return float(value)

    def object(self, name: str) -> Fields | None:
        value = self._typed(name, dict, "an object")
        return None if value is None else Fields(value, self.at(name), self.diagnostics)

    def objects(self, name: str) -> list[Fields]:
        found: list[Fields] = []
        for index, value in enumerate(self._typed(name, list, "an array") or []):
            below = f"{self.at(name)}/{index}"
            if isinstance(value, dict):
                found.append(Fields(value, below, self.diagnostics))
            else:
                self.diagnostics.add(below, "WRONG_TYPE", f"An element of {name} must be an object.")
        return found

    def path(self, name: str) -> Path | None:
        text = self.string(name)
        try:
            return None if text is None else paths.parse(text)
        except ValueError as e:
            self.report(name, "INVALID_PATH", f"The field {name}: {e}.")
            return None

    def definite_path(self, name: str) -> Path | None:
        path = self.path(name)
        if path is not None and not path.is_definite:
            self.report(
                name,
                "INVALID_PATH",
                f"The field {name} must be a reference path, which names one place; '{path}' may match several.",
            )
            return None
        return path

    def reference_path(self, name: str) -> ReferencePath | None:
        text = self.string(name)
        try:
            return None if text is None else reference_path.parse(text)
        except ValueError as e:
            self.report(name, "INVALID_PATH", f"The field {name}: {e}.")
            return None

    def expression(self, name: str) -> Expression | None:
        """A path or an intrinsic function."""
        text = self.string(name)
        try:
            return None if text is None else expressions.parse(text)
        except ValueError as e:
            code = "INVALID_PATH" if text and text.startswith("$") else "INVALID_EXPRESSION"
            self.report(name, code, f"The field {name}: {e}.")
            return None

    def at_most_one(self, *names: str) -> None:
        present = [name for name in names if name in self.members]
        if len(present) > 1:
            self.ignore(*present)
            self.wrong(present[1], f"Only one of {', '.join(present)} may be given.")

    def report_unknown(self, where: str) -> None:
        for name in self.members:
            if name not in self._known:
                self.report(name, "UNKNOWN_FIELD", f"The field {name} is not known in {where}.")
