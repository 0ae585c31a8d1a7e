"""Reads choice rules, as functions of what a state can see."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from sand.asl import document, timestamps
from sand.asl.definition import Rule
from sand.asl.failure import runtime
from sand.asl.fields import Fields
from sand.asl.path_walk import Missing
from sand.asl.paths import Path, View
from sand.asl.templates import Reader, is_query
from sand.asl.wildcard import Wildcard

Test = Callable[[Any], bool]

# What a value is compared by: None when it is of another type, and then never matches.
_KEYS: dict[str, Callable[[Any], Any]] = {
    "String": lambda value: document.utf_16(value) if isinstance(value, str) else None,
    "Numeric": lambda value: value if document.is_number(value) else None,
    "Boolean": lambda value: value if isinstance(value, bool) else None,
    "Timestamp": lambda value: timestamps.parse(value) if isinstance(value, str) else None,
}
_ORDERS = {
    "Equals": operator.eq,
    "LessThan": operator.lt,
    "GreaterThan": operator.gt,
    "LessThanEquals": operator.le,
    "GreaterThanEquals": operator.ge,
}
_COMPARATORS = {
    type_ + order: (type_, _ORDERS[order]) for type_ in _KEYS for order in _ORDERS if type_ != "Boolean" or order == "Equals"
}
_TYPES: dict[str, Test] = {
    "IsNull": lambda value: value is None,
    "IsString": lambda value: isinstance(value, str),
    "IsNumeric": document.is_number,
    "IsBoolean": lambda value: isinstance(value, bool),
    "IsTimestamp": lambda value: _KEYS["Timestamp"](value) is not None,
}
_WANTED = {
    "String": "a string",
    "Numeric": "a number",
    "Boolean": "a boolean",
    "Timestamp": "a timestamp such as 2016-08-18T17:33:00Z",
}


def _never(view: View) -> bool:
    """Stands for a rule with a mistake: the definition is refused, so that it never runs."""
    return False


def condition(reader: Reader) -> Rule:
    """A rule in JSONata: true, false, or what gives it."""
    fields = reader.fields
    fields.comment()
    fields.ignore("Next", "Assign", "Output")
    if not fields.require("Condition"):
        rule = _never
    elif is_query(fields.raw("Condition")):
        query: Any = reader.query("Condition")

        def rule(view: View) -> bool:
            value = query.evaluate(view)
            if not isinstance(value, bool):
                raise query.mistyped("boolean", value)
            return value
    else:
        literal = fields.boolean("Condition", False)

        def rule(view: View) -> bool:
            return literal

    fields.report_unknown("a choice rule")
    return rule


def read(fields: Fields, is_top: bool) -> Rule:
    """is_top: directly in Choices, where it has a Next; those below have none."""
    fields.comment()
    if is_top:
        fields.ignore("Next", "Assign")
    elif "Next" in fields:
        fields.ignore("Next")
        fields.wrong("Next", "Only a rule directly in Choices may have a Next.")
    operators = [name for name in fields.members if _is_operator(name)]
    fields.ignore(*operators)
    if len(operators) == 1:
        rule = _rule(fields, operators[0])
    else:
        rule = _never
        fields.ignore("Variable")
        if operators:
            fields.wrong(None, f"The rule has more than one comparator: {', '.join(operators)}.")
        else:
            fields.report(None, "MISSING_FIELD", "The rule has no comparator.")
    fields.report_unknown("a choice rule")
    return rule


def _is_operator(name: str) -> bool:
    return (
        name in ("And", "Or", "Not", "IsPresent", "StringMatches")
        or name in _TYPES
        or name in _COMPARATORS
        or (name.endswith("Path") and name[:-4] in _COMPARATORS)
    )


def _rule(fields: Fields, name: str) -> Rule:
    if name in ("And", "Or"):
        rules = [read(below, False) for below in fields.objects(name)]
        if not rules:
            fields.wrong(name, f"The field {name} must be a non-empty array of rules.")
        combine = all if name == "And" else any
        return lambda view: combine(rule(view) for rule in rules)
    if name == "Not":
        below = fields.object(name)
        negated = _never if below is None else read(below, False)
        return lambda view: not negated(view)
    variable = fields.path("Variable") if fields.require("Variable") else None
    if name == "IsPresent":
        return _presence(variable, fields.boolean(name, True))
    test = _computed(fields, name) if name.endswith("Path") else _literal(fields, name)
    return lambda view: test(view, _read(variable, view))


def _presence(variable: Path | None, expected: bool) -> Rule:
    """The one test that a missing variable does not fail."""

    def rule(view: View) -> bool:
        try:
            assert variable is not None
            variable.read(view)
            return expected
        except Missing:
            return not expected

    return rule


def _literal(fields: Fields, name: str) -> Callable[[View, Any], bool]:
    if name in _TYPES:
        type_test, expected = _TYPES[name], fields.boolean(name, True)
        return lambda view, left: type_test(left) == expected
    value = fields.raw(name)
    type_, order = _COMPARATORS.get(name, ("String", operator.eq))
    key = _KEYS[type_]
    right = key(value)
    if right is None:
        fields.report(name, "WRONG_TYPE", f"The value of {name} must be {_WANTED[type_]}.")
    elif name == "StringMatches":
        try:
            pattern = Wildcard(value)
            return lambda view, left: isinstance(left, str) and pattern.matches(left)
        except ValueError as e:
            fields.wrong(name, f"The field {name}: {e}.")
    return lambda view, left: (found := key(left)) is not None and bool(order(found, right))


def _computed(fields: Fields, name: str) -> Callable[[View, Any], bool]:
    type_, order = _COMPARATORS[name[:-4]]
    key = _KEYS[type_]
    path = fields.path(name)
    # As on AWS what a path leads to and is no number is compared as 0.
    otherwise = 0 if type_ == "Numeric" else None

    def test(view: View, left: Any) -> bool:
        found, right = key(left), key(_read(path, view))
        right = otherwise if right is None else right
        return found is not None and right is not None and bool(order(found, right))

    return test


def _read(path: Path | None, view: View) -> Any:
    assert path is not None
    try:
        return path.read(view)
    except Missing:
        raise runtime(f"Invalid path '{path}': The choice state's condition path references an invalid value.") from None
