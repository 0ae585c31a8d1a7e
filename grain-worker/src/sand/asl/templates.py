"""Reads the fields through which data flows, in either language, and refuses those of the other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sand.asl import document, expressions, paths, reference_path, unique, variable_names
from sand.asl.definition import Flow
from sand.asl.diagnostics import child
from sand.asl.expressions import ArrayOf, Computed, Constant, Expression, ObjectOf, Read, Template
from sand.asl.fields import Fields
from sand.asl.paths import Path
from sand.asl.reference_path import ReferencePath
from sand.asl.variable_names import VariableNames

_OF_PATHS = [
    "InputPath",
    "OutputPath",
    "ResultPath",
    "ResultSelector",
    "Parameters",
    "Result",
    "ItemsPath",
    "SecondsPath",
    "TimestampPath",
    "TimeoutSecondsPath",
    "HeartbeatSecondsPath",
    "MaxConcurrencyPath",
    "ToleratedFailureCountPath",
    "ToleratedFailurePercentagePath",
    "ErrorPath",
    "CausePath",
    "Variable",
]
_OF_QUERIES = ["Arguments", "Output", "Items", "Condition"]
WHOLE = paths.parse("$")
ALL = reference_path.parse("$")

INPUT, RESULT, ERROR = "input", "result", "errorOutput"
"""What of $states a field can see beside the input and the context."""


@dataclass(frozen=True, slots=True)
class Reader:
    """Of one object in one language. within: where it is in its state, "" or "Choices[1]/": what messages call fields by."""

    fields: Fields
    is_jsonata: bool
    within: str = ""

    def refuse_foreign(self) -> None:
        own, other = ("JSONata", "JSONPath") if self.is_jsonata else ("JSONPath", "JSONata")
        for name in _OF_PATHS if self.is_jsonata else _OF_QUERIES:
            if name in self.fields:
                self.fields.ignore(name)
                message = f"The field {name} is one of {other}; the QueryLanguage here is {own}."
                self.fields.report(name, "WRONG_QUERY_LANGUAGE", message)

    def flow(self, parameters: bool, selector: bool, sight: str) -> Flow:
        """parameters, selector: whether the state's work is given something, and has a result."""
        if self.is_jsonata:
            arguments = self.template("Arguments", INPUT) if parameters and selector else None
            return Flow(WHOLE, arguments, None, ALL, WHOLE, True, self.template("Output", sight))
        return Flow(
            self._selection("InputPath"),
            self.template("Parameters") if parameters else None,
            self.template("ResultSelector") if selector else None,
            self.result_path() if parameters or selector else ALL,
            self._selection("OutputPath"),
            False,
            None,
        )

    def _selection(self, name: str) -> Path | None:
        if self.fields.raw(name) is None:
            return None if name in self.fields else WHOLE
        return self.fields.path(name)

    def result_path(self) -> ReferencePath | None:
        if self.fields.raw("ResultPath") is None:
            return None if "ResultPath" in self.fields else ALL
        return self.fields.reference_path("ResultPath")

    def computed(self, name: str) -> Expression | None:
        """What gives a field that may be computed: in JSONPath a field of its own. None: it is literal, or absent."""
        if self.is_jsonata:
            return self.query(name)
        path = self.fields.definite_path(f"{name}Path")
        return None if path is None else Read(path)

    def counted(self, name: str) -> Expression | None:
        """As computed, for the fields of a Map, whose paths may not begin at the context object, though ItemsPath may."""
        path = f"{name}Path"
        if not self.is_jsonata and str(self.fields.raw(path)).startswith("$$"):
            self.fields.ignore(path)
            self.fields.report(
                path,
                "INVALID_PATH",
                f"The field {path} must be a reference path into the input or a variable, not into the context object.",
            )
            return None
        return self.computed(name)

    def assign(self, sight: str, variables: VariableNames) -> Template | None:
        value = self.fields.raw("Assign")
        if "Assign" not in self.fields:
            return None
        if not isinstance(value, dict):
            self.fields.report("Assign", "WRONG_TYPE", "The field Assign must be an object.")
            return None
        for key in value:
            pointer = child(self.fields.at("Assign"), key)
            name = key if self.is_jsonata else key.removesuffix(".$")
            fault = variable_names.fault(name)
            if fault:
                self.fields.diagnostics.add(pointer, "WRONG_VALUE", f"In Assign {fault}.")
            else:
                variables.add(name, pointer)
        return self.template("Assign", sight)

    # --- values with expressions in them

    def template(self, name: str, sight: str = INPUT) -> Template | None:
        """None when the field is absent."""
        value = self.fields.raw(name)
        if name not in self.fields:
            return None
        if self.is_jsonata:
            return self._queries(value, name, self.within + name, self.fields.at(name), sight)
        return self._paths(value, self.fields.at(name))

    def query(self, name: str) -> Expression | None:
        """None when the field is absent, or no JSONata but a literal."""
        value = self.fields.raw(name)
        self._check_braces(value, self.fields.at(name))
        return self._query(value, self.within + name, self.fields.at(name), INPUT) if is_query(value) else None

    def _check_braces(self, value: Any, pointer: str) -> None:
        """A text that only begins or only ends like an expression is taken for one that was not closed or opened well."""
        if isinstance(value, str) and value.startswith("{%") != value.endswith("%}"):
            message = "A JSONata expression must begin with {% and end with %}, with no blanks around them"
            self.fields.diagnostics.add(pointer, "INVALID_EXPRESSION", f"{message}: {document.write(value)}.")

    def _paths(self, value: Any, pointer: str) -> Template:
        """What an object computes stands behind its other members, in the order that AWS gives it: that of a Java hash map."""
        if isinstance(value, list):
            return _array(value, [self._paths(element, f"{pointer}/{index}") for index, element in enumerate(value)])
        if not isinstance(value, dict):
            return Constant(value)
        members: list[tuple[str, Template]] = []
        for key, member in value.items():
            below = child(pointer, key)
            name = key.removesuffix(".$")
            if any(name == other for other, _ in members):
                self.fields.diagnostics.add(below, "DUPLICATE_KEY", f"The fields {name} and {name}.$ stand side by side.")
            members.append((name, self._paths(member, below) if name == key else self._computed(key, member, below)))
        computed = unique.placed([key.removesuffix(".$") for key in value if key.endswith(".$")])
        return _object(value, members, (*(key for key in value if not key.endswith(".$")), *computed))

    def _computed(self, field: str, value: Any, pointer: str) -> Template:
        if not isinstance(value, str):
            message = f"The value of {field} must be a string: a JSONPath or an intrinsic function."
            self.fields.diagnostics.add(pointer, "WRONG_TYPE", message)
            return Computed(field, expressions.Literal(None))
        try:
            return Computed(field, expressions.parse(value))
        except ValueError as e:
            code = "INVALID_PATH" if value.startswith("$") else "INVALID_EXPRESSION"
            self.fields.diagnostics.add(pointer, code, f"The value of {field}: {e}.")
            return Computed(field, expressions.Literal(None))

    def _queries(self, value: Any, field: str, location: str, pointer: str, sight: str) -> Template:
        if isinstance(value, dict):
            below = [
                (name, self._queries(member, name, f"{location}/{name}", child(pointer, name), sight))
                for name, member in value.items()
            ]
            return _object(value, below, tuple(value))
        if isinstance(value, list):
            elements = [
                self._queries(element, field, f"{location}[{index}]", f"{pointer}/{index}", sight)
                for index, element in enumerate(value)
            ]
            return _array(value, elements)
        self._check_braces(value, pointer)
        query = self._query(value, location, pointer, sight) if is_query(value) else None
        return Constant(value) if query is None else Computed(field, query)

    def _query(self, value: str, location: str, pointer: str, sight: str) -> Expression | None:
        from sand.asl import query  # JSONata's library is only loaded by who uses it.

        try:
            return query.parse(value[2:-2].strip(document.BLANKS), location, sight)
        except ValueError as e:
            self.fields.diagnostics.add(pointer, "INVALID_EXPRESSION", f"{e}.")
            return None


def is_query(value: Any) -> bool:
    return isinstance(value, str) and value.startswith("{%") and value.endswith("%}") and len(value) >= 4


def _object(value: dict[str, Any], members: list[tuple[str, Template]], names: tuple[str, ...]) -> Template:
    is_constant = all(isinstance(member, Constant) for _, member in members)
    return Constant(value) if is_constant else ObjectOf(tuple(members), names)


def _array(value: list[Any], elements: list[Template]) -> Template:
    return Constant(value) if all(isinstance(element, Constant) for element in elements) else ArrayOf(tuple(elements))
