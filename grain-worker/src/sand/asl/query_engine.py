"""The JSONata library with its arithmetic and ranges mended, our functions in it, and every node counted."""

from __future__ import annotations

import copy
from typing import Any

import jsonata.jsonata as library
from jsonata.jexception import JException
from jsonata.jsonata import Jsonata
from jsonata.utils import Utils

from sand.asl import (
    query_encodings,
    query_functions,
    query_numbers,
    query_pictures,
    query_signatures,
    query_strings,
    query_units,
)
from sand.asl.query_regex import Regex, compiled
from sand.asl.query_run import Run, check_bytes, current


def _natives() -> dict[str, Any]:
    natives: dict[str, Any] = {name: copy.copy(native) for name, native in Jsonata.static_frame.bindings.items()}
    for module in (query_encodings, query_functions, query_numbers, query_pictures, query_strings, query_units):
        kind = query_numbers.Function if module is query_numbers else query_numbers.Native
        for name, (signature, method) in module.FUNCTIONS.items():
            natives[name] = kind(name, signature, module.Functions, method)
    for name, native in natives.items():
        if type(native) is Jsonata.JNativeFunction:
            native.__class__ = query_numbers.Exact if name in query_numbers.HANDING_ON else query_numbers.Native
        native.signature = query_signatures.strict(native.signature)
    return natives


_NATIVES = _natives()
_RANGE = 10_000_000
"""The numbers that the library, in Java too, makes a range of: of more it says so, whatever room there is."""


# What is called and is no function the library prints, too, on the standard output, which is for results alone.
library.print = lambda *_: None  # type: ignore[attr-defined]


class _Frame(Jsonata.Frame):  # type: ignore[misc]
    """The library's asks every frame around it for a callback, at every node: `Engine.eval` counts instead."""

    def lookup(self, name: str) -> Any:
        if name in ("__evaluate_entry", "__evaluate_exit"):
            return None
        frame: Any = self
        while frame is not None:
            if name in frame.bindings:
                return frame.bindings[name]
            frame = frame.parent
        return None


class Engine(Jsonata):  # type: ignore[misc]
    def __init__(self, text: str) -> None:
        super().__init__(text, compiled)
        self.set_validate_input(False)
        self.set_output_convert_nulls(False)
        for name, function in _NATIVES.items():
            self.assign(name, function)
        self.assign("eval", None)

    def run(self, run: Run, bindings: dict[str, Any]) -> Any:
        frame = self.create_frame()
        for name, value in bindings.items():
            frame.bind(name, value)
        # The library evaluates with the one that its thread made last.
        Jsonata.CURRENT.jsonata = self
        with run:
            return self.evaluate(None, frame)

    def create_frame(self, enclosing_environment: Any = None) -> Any:
        return _Frame(enclosing_environment)

    def eval(self, expr: Any, input: Any, environment: Any) -> Any:
        run = current()
        run.enter()
        outer = self.input, self.environment
        try:
            result = self._eval(expr, input, environment)
        finally:
            self.input, self.environment = outer
        run.leave(result)
        return result

    def evaluate_binary(self, expr: Any, input: Any, environment: Any) -> Any:
        """What fails on the right side of `and` and `or` is told as theirs."""
        if expr.value not in ("and", "or"):
            return super().evaluate_binary(expr, input, environment)
        lhs = self.eval(expr.lhs, input, environment)
        try:
            return self.evaluate_boolean_expression(lhs, lambda: self.eval(expr.rhs, input, environment), expr.value)
        except JException as e:
            e.token = expr.value
            raise

    def evaluate_unary(self, expr: Any, input: Any, environment: Any) -> Any:
        if expr.value == "[" and [part.value for part in expr.expressions] == [".."] and not expr.consarray:
            # As in Java, a range alone is the array.
            return self.eval(expr.expressions[0], input, environment) or Utils.JList()
        if expr.value != "-":
            return super().evaluate_unary(expr, input, environment)
        number = self.eval(expr.expression, input, environment)
        if number is None:
            return None
        if not Utils.is_numeric(number):
            raise JException("D1002", expr.position, expr.value, number)
        return query_numbers.whole(-float(number))

    def evaluate_numeric_expression(self, lhs: Any, rhs: Any, op: str | None) -> Any:
        for side, code in ((lhs, "T2001"), (rhs, "T2002")):
            if side is not None and not Utils.is_numeric(side):
                raise JException(code, -1, op, side)
        if lhs is None or rhs is None:
            return None
        try:
            return query_numbers.whole(query_numbers.reckoned(float(lhs), float(rhs), op))
        except OverflowError:
            raise JException("D1001", 0, lhs) from None

    def evaluate_equality_expression(self, lhs: Any, rhs: Any, op: str | None) -> Any:
        """As in Java, what is no number is itself."""
        if query_numbers.is_nan(lhs) and query_numbers.is_nan(rhs):
            return op == "="
        return super().evaluate_equality_expression(lhs, rhs, op)

    def evaluate_comparison_expression(self, lhs: Any, rhs: Any, op: str | None) -> Any:
        """As in Java, texts go by their UTF-16, and what is no number comes after all numbers."""
        known = super().evaluate_comparison_expression(lhs, rhs, op)
        if known is None or not (isinstance(lhs, str) or query_numbers.is_nan(lhs) or query_numbers.is_nan(rhs)):
            return known
        left, right = query_numbers.order(lhs), query_numbers.order(rhs)
        return left < right if op == "<" else left <= right if op == "<=" else left > right if op == ">" else left >= right

    def evaluate_includes_expression(self, lhs: Any, rhs: Any) -> bool:
        if lhs is None or rhs is None:
            return False
        # To compare is to reckon: numbers are doubles.
        return any(self.evaluate_equality_expression(lhs, item, "=") for item in (rhs if isinstance(rhs, list) else [rhs]))

    def evaluate_string_concat(self, lhs: Any, rhs: Any) -> str:
        string = query_strings.Functions.string
        return (string(lhs, False) or "") + (string(rhs, False) or "")

    def evaluate_range_expression(self, lhs: Any, rhs: Any) -> Any:
        for side, code in ((lhs, "T2003"), (rhs, "T2004")):
            if side is not None and (isinstance(side, bool) or not isinstance(side, int)):
                raise JException(code, -1, side)
        if lhs is None or rhs is None or lhs > rhs:
            return None
        if rhs - lhs + 1 > _RANGE:
            raise JException("D2014", -1, rhs - lhs + 1)
        check_bytes(8 * (rhs - lhs + 1))
        return current().range(lhs, rhs)

    def evaluate_regex(self, expr: Any) -> Regex:
        regex: Regex = expr.value
        return regex
