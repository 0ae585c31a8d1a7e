"""JSONata's functions of strings that can give much more than they are given, or use a regular expression: what they make is
counted before or while it is made."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator
from decimal import ROUND_FLOOR, Context, Decimal
from typing import Any

from jsonata.functions import Functions as Library
from jsonata.jexception import JException
from jsonata.utils import Utils

from sand.asl import query_units
from sand.asl.query_regex import Regex, groups
from sand.asl.query_run import check_bytes, current, failure

_FIFTEEN = Context(prec=15, rounding=ROUND_FLOOR)
_ESCAPES = str.maketrans({char: "\\" + letter for char, letter in zip('"\\\b\f\n\r\t', '"\\bfnrt', strict=True)})
_HALF = re.compile("[\ud800-\udfff]")
FUNCTIONS = {
    "string": ("<x-b?:s>", "string"),
    "pad": ("<s-ns?:s>", "pad"),
    "join": ("<a<s>s?:s>", "join"),
    "split": ("<s-(sf)n?:a<s>>", "split"),
    "contains": ("<s-(sf):b>", "contains"),
    "match": ("<s-f<s:o>n?:a<o>>", "match_"),
    "replace": ("<s-(sf)(sf)n?:s>", "replace"),
}


class Functions:
    @staticmethod
    def string(value: Any, is_pretty: Any) -> Any:
        """The library escapes what is not ASCII, and writes whole numbers with an exponent."""
        if isinstance(value, int | float | Decimal) and not isinstance(value, bool):
            return _digits(value)
        if not isinstance(value, list | dict):
            return Library.string(value, is_pretty)
        if getattr(value, "outer_wrapper", False):
            return Functions.string(value[0], is_pretty)
        out: list[str] = []
        _write(value, "\n" if is_pretty else "", out)
        return "".join(out)

    @staticmethod
    def pad(text: Any, width: Any, filler: Any) -> Any:
        if text is None or width is None:
            return text
        missing = abs(int(width)) - len(text)
        if missing <= 0:
            return text
        check_bytes(missing)
        current().budget.spend(missing // 64)
        fill = filler or " "
        padding = (fill * (missing // len(fill) + 1))[:missing]
        return padding + text if width < 0 else text + padding

    @staticmethod
    def join(texts: Any, separator: Any) -> Any:
        if texts is None:
            return None
        more, between = max(0, len(texts) - 1), len(separator or "")
        check_bytes(sum(map(len, texts)) + between * more)
        current().budget.spend(sum(len(text) >> 8 for text in texts) + (between >> 8) * more)
        return (separator or "").join(texts)

    @staticmethod
    def split(text: Any, separator: Any, limit: Any) -> Any:
        if text is None:
            return None
        most = _most(limit, "D3020")
        if isinstance(separator, Regex):
            parts, at = [], 0
            for match in _found(separator, text, most):
                parts.append(text[at : match.start()])
                at = match.end()
            parts.append(text[at:])
        else:
            check_bytes(8 * (text.count(separator) if separator else len(text)))
            parts = text.split(separator) if separator else query_units.halves(text)
            current().budget.spend(len(parts) // 16)
        return parts if most is None else parts[:most]

    @staticmethod
    def contains(text: Any, pattern: Any) -> Any:
        if text is None:
            return None
        return next(pattern.matches(text), None) is not None if isinstance(pattern, Regex) else pattern in text

    @staticmethod
    def match_(text: Any, pattern: Any, limit: Any) -> Any:
        if text is None:
            return None
        most = _most(limit, "D3040")
        described: list[Any] = []
        for match in _found(_regex(pattern, "match"), text, most):
            current().budget.spend(0 if len(described) & 0xF else 1)
            described.append({"match": match[0], "index": query_units.offset(text, match.start()), "groups": groups(match)})
        return Utils.create_sequence_from_iter(described)

    @staticmethod
    def replace(text: Any, pattern: Any, replacement: Any, limit: Any) -> Any:
        if text is None:
            return None
        if pattern == "":
            raise JException("Second argument of replace function cannot be an empty string")
        if isinstance(pattern, str) and not isinstance(replacement, str):
            raise JException("T0410", -1, 3, "replace")
        most = _most(limit, "Fourth argument of replace function must evaluate to a positive number")
        out: list[str] = []
        size = at = 0
        for start, end, match in itertools.islice(_places(text, pattern, most), most):
            with_ = _replaced(match, replacement)
            out += [text[at:start], with_]
            size += start - at + len(with_)
            at = end
            check_bytes(size)
            current().budget.spend(1 + (len(with_) >> 8))
        check_bytes(size + len(text) - at)
        return "".join([*out, text[at:]])


def quoted(text: str) -> str:
    """As AWS escapes a text in another one: of control characters those alone that have a letter, and half of a
    pair of surrogates, which no encoding has."""
    current().budget.spend(len(text) >> 8)
    quoted = f'"{text.translate(_ESCAPES)}"'
    return quoted if text.isascii() else _HALF.sub(lambda half: f"\\u{ord(half[0]):04x}", quoted)


def _write(value: Any, line: str, out: list[str]) -> None:
    """line: what begins one, with its indentation; empty for compact text."""
    current().budget.spend(1)
    if isinstance(value, list | dict):
        opening, closing = "[]" if isinstance(value, list) else "{}"
        below = f"{line}  " if line else ""
        out.append(opening)
        for index, part in enumerate(value):
            out.append(("," if index else "") + below)
            if isinstance(value, dict):
                out.append(f"{quoted(part)}:{' ' if line else ''}")
            _write(value[part] if isinstance(value, dict) else part, below, out)
        out.append((line if value else "") + closing)
    elif isinstance(value, str):
        out.append(quoted(value))
    elif value is None or value is Utils.NULL_VALUE:
        out.append("null")
    elif isinstance(value, bool):
        out.append("true" if value else "false")
    else:
        out.append(_digits(value) if isinstance(value, int | float | Decimal) else '""')


def _digits(number: int | float | Decimal) -> str:
    """As AWS writes a number: a whole one without an exponent below 1e21, beyond 64 bits with the fewest digits that are read
    as the same double; a fraction rounded down to 15 digits, and without the zeros at its end, before a point too."""
    if not math.isfinite(number):
        raise failure("Infinite or NaN")
    if -(2**63) <= number < 2**63 and number == int(number):
        return str(int(number))
    value = float(number)
    digits = Decimal(repr(value))
    if value.is_integer() and abs(value) < 1e21:
        return f"{digits:f}"
    shown = digits if value.is_integer() else _FIFTEEN.plus(digits)
    return str(shown.normalize()).replace("E", "e")


def _most(limit: Any, fault: str) -> int | None:
    """fault: a code of JSONata's, or what AWS says without one."""
    if limit is not None and limit < 0:
        raise JException(fault, -1, limit)
    return None if limit is None else int(limit)


def _regex(pattern: Any, function: str) -> Regex:
    if not isinstance(pattern, Regex):
        raise JException("T1010", -1, function)
    return pattern


def _found(pattern: Regex, text: str, most: int | None) -> Iterator[Any]:
    """Raises JException for a match of nothing, which would match for ever."""
    for match in itertools.islice(pattern.matches(text), most):
        if match.start() == match.end():
            raise JException("D1004", -1)
        yield match


def _places(text: str, pattern: Any, most: int | None) -> Iterator[tuple[int, int, Any]]:
    if isinstance(pattern, str):
        at = text.find(pattern)
        while at >= 0:
            yield at, at + len(pattern), None
            at = text.find(pattern, at + len(pattern))
    else:
        for match in _found(_regex(pattern, "replace"), text, most):
            yield match.start(), match.end(), match


def _replaced(match: Any, replacement: Any) -> Any:
    if match is None:
        return replacement
    if isinstance(replacement, str):
        return _expanded(replacement, match)
    start = query_units.offset(match.string, match.start())
    made = Library.func_apply(replacement, [{"match": match[0], "start": start, "groups": groups(match)}])
    if not isinstance(made, str):
        raise JException("D3012", -1)
    return made


def _expanded(text: str, match: Any) -> str:
    """`$0` is the match, `$1` … its groups, as many digits as there can be; `$$` is a dollar sign."""
    count = match.re.groups
    digits = len(str(count)) if count else 1
    out: list[str] = []
    at = 0
    while at < len(text):
        following = text[at + 1 : at + 2]
        if text[at] != "$" or not (following == "$" or (following in "0123456789" and following)):
            out.append(text[at])
            at += 1
        elif following == "$":
            out.append("$")
            at += 2
        else:
            end = at + 1
            while end < len(text) and end <= at + digits and text[end].isdigit():
                end += 1
            if int(text[at + 1 : end]) > count and end > at + 2:
                end -= 1
            group = int(text[at + 1 : end])
            out.append((match[group] or "") if group <= count else "")
            at = end
    return "".join(out)
