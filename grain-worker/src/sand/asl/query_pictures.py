"""JSONata functions of numbers by picture: `$formatNumber` as XPath has it (Functions and Operators 3.1, 4.7), where the
library goes other ways, and `$parseInteger` of digits."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Context, Decimal
from typing import Any

from jsonata.functions import Functions as Library
from jsonata.jexception import JException

from sand.asl.failure import StateError
from sand.asl.query_run import check_bytes, current, failure

FUNCTIONS = {"formatNumber": ("<n-so?:s>", "format_number"), "parseInteger": ("<s-s:n>", "parse_integer")}

_SYMBOLS = {
    "decimal-separator": ".",
    "grouping-separator": ",",
    "exponent-separator": "e",
    "minus-sign": "-",
    "percent": "%",
    "per-mille": "\u2030",
    "zero-digit": "0",
    "digit": "#",
    "pattern-separator": ";",
}
_WORDS = re.compile(r"(?s)(A|a|I|i|W|w|Ww)(;.*)?")
_INTEGER = re.compile(r"\s*([-+]?[0-9]+)", re.ASCII)


def _parts(picture: str) -> tuple[str, str, str]:
    """Of an integer's: its own, and the modifier behind the last semicolon."""
    return picture.rpartition(";") if ";" in picture else (picture, "", "")


def unsupported(error: RuntimeError, picture: str) -> StateError:
    """The library leaves out what it does not know."""
    return failure(str(error).replace("%s", _parts(picture)[0]))


class _Symbols:
    def __init__(self, options: Any) -> None:
        given = {name: text for name, text in (options or {}).items() if name in _SYMBOLS and isinstance(text, str) and text}
        symbols = _SYMBOLS | given
        self.decimal, self.grouping = symbols["decimal-separator"], symbols["grouping-separator"]
        self.exponent, self.minus = symbols["exponent-separator"], symbols["minus-sign"]
        self.percent, self.per_mille = symbols["percent"], symbols["per-mille"]
        self.optional, self.pattern = symbols["digit"], symbols["pattern-separator"]
        self.digits = [chr(ord(symbols["zero-digit"][0]) + n) for n in range(10)]

    def places(self, text: str) -> int:
        return sum(char in self.digits or char == self.optional for char in text)

    def mandatory(self, text: str) -> int:
        return sum(char in self.digits for char in text)

    def shown(self, text: str) -> str:
        return "".join(self.digits[int(char)] for char in text)


@dataclass(frozen=True)
class _Picture:
    """A sub-picture, analysed. scale: how many digits a mantissa has before its point; exponent: digits of one, 0: none."""

    prefix: str
    suffix: str
    factor: int
    groups: frozenset[int]
    every: int
    least_integer: int
    scale: int
    fraction_groups: frozenset[int]
    least_fraction: int
    most_fraction: int
    has_point: bool
    exponent: int


def _picture(text: str, symbols: _Symbols) -> _Picture:
    active = {*symbols.digits, symbols.decimal, symbols.grouping, symbols.optional}
    at = [index for index, char in enumerate(text) if char in active]
    if not at:
        raise JException("D3086", -1)  # As AWS tells a picture without any place.
    start, end = at[0], at[-1] + 1
    mantissa, exponent = text[start:end], None
    for index in range(start + 1, end - 1):
        if text[index] == symbols.exponent and symbols.places(text[index - 1]) and symbols.places(text[index + 1]):
            mantissa, exponent = text[start:index], text[index + 1 : end]
            break
    integer, point, fraction = mantissa.partition(symbols.decimal)
    if exponent is None and text.startswith(symbols.exponent, end):
        exponent = ""  # As AWS: no digits of one.
    _check(text, text[start:end], integer, fraction, exponent, symbols)

    least_integer = scale = symbols.mandatory(integer)
    least_fraction, most_fraction = symbols.mandatory(fraction), symbols.places(fraction)
    if least_integer == 0 and most_fraction == 0:
        if exponent is not None:
            least_fraction = most_fraction = 1
        else:
            least_integer = 1
    if exponent is not None and least_integer == 0 and symbols.optional in integer:
        least_integer = 1
    if least_integer == 0 and least_fraction == 0:
        least_fraction = 1
    groups = frozenset(symbols.places(integer[index:]) for index, char in enumerate(integer) if char == symbols.grouping)
    every = min(groups, default=0)
    if every and groups != frozenset(range(every, symbols.places(integer), every)):
        every = 0
    return _Picture(
        text[:start],
        text[end:],
        100 if symbols.percent in text else 1000 if symbols.per_mille in text else 1,
        groups,
        every,
        least_integer,
        scale,
        frozenset(symbols.places(fraction[:index]) for index, char in enumerate(fraction) if char == symbols.grouping),
        least_fraction,
        most_fraction,
        bool(point),
        len(exponent or ""),
    )


def _check(text: str, active: str, integer: str, fraction: str, exponent: str | None, symbols: _Symbols) -> None:
    """Of several faults, the last one is told, as the reference implementation does."""
    percent, per_mille = text.count(symbols.percent), text.count(symbols.per_mille)
    first = integer.find(symbols.optional)
    last = fraction.rfind(symbols.optional)
    known = {*symbols.digits, symbols.decimal, symbols.grouping, symbols.optional, symbols.exponent}
    point = text.find(symbols.decimal)
    beside = text[max(0, point - 1) : point + 2] if point >= 0 else ""
    faults = {
        "D3081": text.count(symbols.decimal) > 1,
        "D3082": percent > 1,
        "D3083": per_mille > 1,
        "D3084": percent > 0 and per_mille > 0,
        "D3085": symbols.places(integer) + symbols.places(fraction) == 0,
        "D3086": not known.issuperset(active),
        "D3087": symbols.grouping in beside,
        "D3088": point < 0 and integer.endswith(symbols.grouping),
        "D3089": symbols.grouping * 2 in text,
        "D3090": first >= 0 and symbols.mandatory(integer[:first]) > 0,
        "D3091": last >= 0 and symbols.mandatory(fraction[last:]) > 0,
        "D3092": exponent is not None and percent + per_mille > 0,
        "D3093": exponent is not None and (not exponent or symbols.mandatory(exponent) < len(exponent)),
    }
    if found := [code for code, is_there in faults.items() if is_there]:
        raise JException(found[-1], -1)


def _written(number: Decimal, picture: _Picture, symbols: _Symbols) -> str:
    """number: not negative."""
    context = Context(prec=picture.most_fraction + 700, rounding=ROUND_HALF_EVEN)
    mantissa, exponent = context.multiply(number, Decimal(picture.factor)), 0
    if picture.exponent and mantissa:
        exponent = mantissa.adjusted() + 1 - picture.scale
        mantissa = mantissa.scaleb(-exponent, context)
    rounded = format(mantissa.quantize(Decimal((0, (1,), -picture.most_fraction)), context=context), "f")
    whole, _, fraction = rounded.partition(".")
    whole = symbols.shown(whole.lstrip("0").rjust(picture.least_integer, "0"))
    fraction = symbols.shown(fraction.rstrip("0").ljust(picture.least_fraction, "0"))
    out = [picture.prefix]
    for index, digit in enumerate(whole):
        left = len(whole) - index
        if index and (left % picture.every == 0 if picture.every else left in picture.groups):
            out.append(symbols.grouping)
        out.append(digit)
    if fraction and picture.has_point:
        out.append(symbols.decimal)
    for index, digit in enumerate(fraction):
        out.append(symbols.grouping + digit if index in picture.fraction_groups else digit)
    if picture.exponent:
        out.append(symbols.exponent + (symbols.minus if exponent < 0 else ""))
        out.append(symbols.shown(str(abs(exponent)).rjust(picture.exponent, "0")))
    return "".join([*out, picture.suffix])


def _decimal(number: Any) -> Decimal:
    """With the digits that it is written with."""
    try:
        return Decimal(repr(float(number)))
    except OverflowError:
        return Decimal(number)


class Functions:
    @staticmethod
    def format_number(number: Any, picture: Any, options: Any) -> Any:
        if number is None or picture is None:
            return None
        check_bytes(2 * len(picture))
        current().budget.spend(len(picture) >> 4)
        symbols = _Symbols(options)
        parts = picture.split(symbols.pattern)
        if len(parts) > 2:
            raise JException("D3080", -1)
        pictures = [_picture(part, symbols) for part in parts]
        written = _written(abs(_decimal(number)), pictures[-1 if number < 0 else 0], symbols)
        return symbols.minus + written if number < 0 and len(pictures) == 1 else written

    @staticmethod
    def parse_integer(text: Any, picture: Any) -> Any:
        """The library takes digits for Python's, and a picture's own zero, for what they are not."""
        if text is None or picture is None or _WORDS.fullmatch(picture):
            return Library.parse_integer(text, picture)
        try:
            Library.format_integer(0, picture)  # refuses one that is none
        except RuntimeError as e:
            raise unsupported(e, picture) from None
        primary, _, modifier = _parts(picture)
        zero = next(ord(char) - unicodedata.decimal(char) for char in primary if unicodedata.decimal(char, None) is not None)
        separators = {char for char in primary if not char.isalnum() and char != "#"}
        digits = text[:-2] if modifier.startswith("o") else text
        digits = "".join(
            chr(ord(char) - zero + ord("0")) if zero <= ord(char) < zero + 10 else char
            for char in digits
            if char not in separators
        )
        found = _INTEGER.match(digits)
        return "NaN" if found is None else float(found[1])  # As AWS writes what is no number.
