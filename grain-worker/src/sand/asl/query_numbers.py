"""JSONata's arithmetic, and its functions that give a number.

What is no finite number is one all the same, as on AWS: it can be compared and rounded, and leaves an expression as the text
of its name. To reckon with it fails.
"""

from __future__ import annotations

import math
import re
from decimal import ROUND_HALF_EVEN, Context, Decimal
from typing import Any

from jsonata.functions import Functions as Library
from jsonata.jexception import JException
from jsonata.jsonata import Jsonata

from sand.asl import document

_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?")
_RADIX = {"x": 16, "b": 2, "o": 8}
_DIGITS = 400
_EXACT = Context(prec=2 * _DIGITS, rounding=ROUND_HALF_EVEN)
ROUNDING = frozenset(("floor", "ceil", "abs", "round"))
"""The functions of a number that take one of any kind."""
HANDING_ON = frozenset(("lookup", "single", "reduce"))
FUNCTIONS = {
    "floor": ("<n-:n>", "floor"),
    "ceil": ("<n-:n>", "ceil"),
    "abs": ("<n-:n>", "abs_"),
    "round": ("<n-n?:n>", "round_"),
    "sum": ("<a<n>:n>", "sum_"),
    "max": ("<a<n>:n>", "max_"),
    "min": ("<a<n>:n>", "min_"),
    "average": ("<a<n>:n>", "average"),
    "number": ("<(nsb)-:n>", "number"),
    "power": ("<n-n:n>", "power"),
}


class Native(Jsonata.JNativeFunction):  # type: ignore[misc]
    """A function that gives what is whole as an integer of 64 bits at most, as Java has it; the library knows no bound."""

    def call(self, input: Any, args: Any) -> Any:
        result = self.called(args)
        if type(result) is int and not -(2**63) <= result < 2**63:
            return float(result)
        return self.given(result) if isinstance(result, float) else result

    def called(self, args: Any) -> Any:
        """A function that is handed to another one is called by it without a look at its signature: worded as Java does."""
        try:
            return self.method(*args, *[None] * (self.nargs - len(args)))
        except (AttributeError, TypeError) as e:
            raise JException("argument type mismatch", -1) from e

    def given(self, number: float) -> Any:
        return None if math.isnan(number) else whole(checked(number))


class Exact(Native):
    """A function that hands a number on, which nobody reckons with."""

    def call(self, input: Any, args: Any) -> Any:
        return self.called(args)


class Function(Native):
    """One of these may give what is no finite number."""

    def given(self, number: float) -> Any:
        return whole(number)


def is_finite(value: Any) -> bool:
    return not isinstance(value, float) or math.isfinite(value)


def checked(number: Any) -> Any:
    """Raises JException for one beyond all doubles."""
    if isinstance(number, float) and math.isinf(number):
        raise JException("D1001", 0, number)
    return number


def whole(number: float) -> int | float:
    """As an integer, where it is one."""
    return int(number) if math.isfinite(number) and number.is_integer() and -(2.0**63) <= number < 2.0**63 else number


def reckoned(lhs: float, rhs: float, op: str | None) -> float:
    if op == "+":
        return lhs + rhs
    if op == "-":
        return lhs - rhs
    if op == "*":
        return lhs * rhs
    if rhs == 0:
        return math.nan if lhs == 0 or op == "%" else math.copysign(math.inf, lhs) * math.copysign(1, rhs)
    return lhs / rhs if op == "/" else math.fmod(lhs, rhs)


def is_nan(value: Any) -> bool:
    return isinstance(value, float) and math.isnan(value)


def order(value: Any) -> Any:
    """What is less has the lesser one, as in Java: texts go by their UTF-16, and beyond all numbers is what is none."""
    if isinstance(value, str):
        return document.utf_16(value)
    return (1, 0.0) if is_nan(value) else (0, value)


class Functions:
    @staticmethod
    def floor(number: Any) -> Any:
        return number if number is None or not is_finite(number) else float(math.floor(float(number)))

    @staticmethod
    def ceil(number: Any) -> Any:
        return number if number is None or not is_finite(number) else float(math.ceil(float(number)))

    @staticmethod
    def abs_(number: Any) -> Any:
        return None if number is None else float(abs(number))

    @staticmethod
    def round_(number: Any, precision: Any) -> Any:
        """A precision beyond that of any number changes nothing: it must not make room for its digits."""
        if number is None or not is_finite(number) or (precision is not None and precision > _DIGITS):
            return number
        place = Decimal(1).scaleb(-int(precision or 0))
        return float(_EXACT.quantize(Decimal(repr(number)), place)) if int(precision or 0) >= -_DIGITS else 0

    @staticmethod
    def sum_(numbers: Any) -> Any:
        return None if numbers is None else _sum(numbers)

    @staticmethod
    def max_(numbers: Any) -> Any:
        return float(max(numbers, key=order)) if numbers else None

    @staticmethod
    def min_(numbers: Any) -> Any:
        if not numbers:
            return None
        return math.nan if any(map(is_nan, numbers)) else float(min(numbers))

    @staticmethod
    def average(numbers: Any) -> Any:
        return _sum(numbers) / len(numbers) if numbers else None

    @staticmethod
    def number(value: Any) -> Any:
        if not isinstance(value, str):
            return None if is_nan(value) else checked(Library.number(value))
        if re.fullmatch("(?i)0(x[0-9a-f]+|b[01]+|o[0-7]+)", value):
            return checked(float(int(value[2:], _RADIX[value[1].lower()])))
        if not _NUMBER.fullmatch(value):
            raise JException("D3030", -1, value)
        return checked(float(value))

    @staticmethod
    def power(base: Any, exponent: Any) -> Any:
        """Of what no double is, Python has exceptions of its own, or a complex number."""
        if base is None:
            return None
        try:
            return math.pow(base, exponent)
        except (ValueError, OverflowError):
            raise JException("D3061", -1, base, exponent) from None


def _sum(numbers: Any) -> float:
    """As a stream of doubles is summed in Java: what is lost at each step is carried to the next one."""
    total = lost = plain = 0.0
    for number in map(float, numbers):
        more = number - lost
        next_total = total + more
        lost = (next_total - total) - more
        total = next_total
        plain += number
    total -= lost
    return plain if math.isnan(total) and math.isinf(plain) else total
