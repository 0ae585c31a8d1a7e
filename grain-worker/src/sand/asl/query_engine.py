"""The JSONata library with its arithmetic and ranges mended, our functions in it, and every node counted."""

from __future__ import annotations

import copy
import math
from typing import Any

from jsonata.jexception import JException
from jsonata.jsonata import Jsonata
from jsonata.utils import Utils

from sand.asl import query_encodings, query_functions, query_pictures, query_signatures, query_strings
from sand.asl.query_regex import Regex, compiled
from sand.asl.query_run import Run, check_bytes, current


def _natives() -> dict[str, Any]:
    natives: dict[str, Any] = {name: copy.copy(native) for name, native in Jsonata.static_frame.bindings.items()}
    for module in (query_encodings, query_functions, query_pictures, query_strings):
        for name, (signature, method) in module.FUNCTIONS.items():
            natives[name] = Jsonata.function(name, signature, module.Functions, method)
    for native in natives.values():
        native.signature = query_signatures.strict(native.signature)
    return natives


_NATIVES = _natives()


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

    def evaluate_numeric_expression(self, lhs: Any, rhs: Any, op: str | None) -> Any:
        for side, code in ((lhs, "T2001"), (rhs, "T2002")):
            if side is not None and not Utils.is_numeric(side):
                raise JException(code, -1, op, side)
        if lhs is None or rhs is None:
            return None
        try:
            return _whole(_reckoned(float(lhs), float(rhs), op), op)
        except OverflowError:
            raise JException("D1001", 0, lhs) from None

    def evaluate_includes_expression(self, lhs: Any, rhs: Any) -> bool:
        if lhs is None or rhs is None:
            return False
        return any(Utils.is_deep_equal(item, lhs) for item in (rhs if isinstance(rhs, list) else [rhs]))

    def evaluate_string_concat(self, lhs: Any, rhs: Any) -> str:
        string = query_strings.Functions.string
        return (string(lhs, False) or "") + (string(rhs, False) or "")

    def evaluate_range_expression(self, lhs: Any, rhs: Any) -> Any:
        for side, code in ((lhs, "T2003"), (rhs, "T2004")):
            if side is not None and (isinstance(side, bool) or not isinstance(side, int)):
                raise JException(code, -1, side)
        if lhs is None or rhs is None or lhs > rhs:
            return None
        check_bytes(8 * (rhs - lhs + 1))
        current().budget.spend((rhs - lhs) // 16)
        return list(range(lhs, rhs + 1))

    def evaluate_regex(self, expr: Any) -> Regex:
        regex: Regex = expr.value
        return regex


def _reckoned(lhs: float, rhs: float, op: str | None) -> float:
    if op == "+":
        return lhs + rhs
    if op == "-":
        return lhs - rhs
    if op == "*":
        return lhs * rhs
    if rhs == 0:
        return math.nan if lhs == 0 or op == "%" else math.copysign(math.inf, lhs) * math.copysign(1, rhs)
    return lhs / rhs if op == "/" else math.fmod(lhs, rhs)


def _whole(number: float, op: str | None) -> int | float | str:
    """What is whole as an integer; what is no number by its name, as AWS gives it. Raises JException when a sum is beyond all
    numbers."""
    if not math.isfinite(number):
        if op in ("+", "-"):
            raise JException("D1001", 0, number)
        return "NaN" if math.isnan(number) else "Infinity" if number > 0 else "-Infinity"
    return int(number) if number.is_integer() and abs(number) < 2.0**63 else number
