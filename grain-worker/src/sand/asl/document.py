"""JSON as workflows see it: integers at any size, numbers with a fraction as Decimal, never rounded; depth and digits bounded.

A tree is dict, list, str, int, Decimal, bool, None. It is never changed once made, so that parts may stand in many documents.
Values of other types (bytes, images) are handed on whole: see `opaque`.
"""

import functools
import json
import re
from collections.abc import Callable, Iterable
from decimal import Decimal, InvalidOperation
from typing import Any

from sand.asl import limits
from sand.asl.failure import DATA_LIMIT_EXCEEDED, StateError
from sand.asl.opaque import Opaque, OpaqueJoin, inside, written

NO_UTF_8 = "it is not in UTF-8"
MARK = "it begins with a byte order mark, which no JSON does"
BLANKS = " \t\r\n"
"""The white space of JSON (RFC 8259, 2)."""


class NoJson(ValueError):
    """is_limit: it is JSON as far as it was read, and over a limit."""

    def __init__(self, message: str, is_limit: bool = False) -> None:
        super().__init__(message)
        self.is_limit = is_limit


_SKIPPED = re.compile(r'[^"\[\]{}]+|"(?:[^"\\]|\\.)*"', re.DOTALL)


def depth_of_text(text: str) -> int:
    deepest = depth = 0
    at = 0
    while at < len(text):
        if text[at] in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif text[at] in "]}":
            depth -= 1
        else:
            skipped = _SKIPPED.match(text, at)
            at = skipped.end() if skipped else len(text)
            continue
        at += 1
    return deepest


_EXPONENT = 10**9
"""Exponents have fewer digits than this has."""


def check_digits(number: str, most: int) -> None:
    """Of its digits alone, as Jackson counts them: no sign, point or e. Raises NoJson."""
    if len(number) > most and (digits := sum(map(str.isdigit, number))) > most:
        raise NoJson(f"a number in it has {digits} characters; the limit is {most}", True)


def _number(text: str) -> int | Decimal:
    check_digits(text, limits.NUMBER_CHARS)
    return int(text) if text.lstrip("-").isdigit() else decimal(text)


def decimal(text: str) -> Decimal:
    """Raises NoJson for an exponent that Java's decimals do not have."""
    try:
        number = Decimal(text)
    except InvalidOperation:
        number = None
    exponent = None if number is None else number.as_tuple().exponent
    if not isinstance(exponent, int) or abs(exponent) >= _EXPONENT:
        raise NoJson("the exponent of a number in it has more than 9 digits")
    assert number is not None
    return number


def _refuse_constant(name: str) -> Any:
    raise NoJson(f"Non-standard token '{name}'")


_HALF = re.compile(r"\\u[dD][89a-fA-F]|[\ud800-\udfff]")
_LONE = re.compile("[\ud800-\udfff]")


def _with_whole_names(make: Callable[[Any], Any], pairs: list[tuple[str, Any]]) -> Any:
    """As in Jackson: half of a pair of surrogates may stand in a text, and in no name."""
    if any(_LONE.search(name) for name, _ in pairs):
        raise NoJson("a name in it has half of a pair of surrogates")
    return make(pairs)


def parse(text: str, pairs: Any = None, levels: int = limits.JSON_DEPTH) -> Any:
    """One JSON value. pairs: what makes an object of its pairs, when keys that stand twice matter. Raises NoJson."""
    if text.startswith("\ufeff"):
        raise NoJson(f"{MARK} (line 1, column 1)")
    deepest = depth_of_text(text)
    if deepest > levels:
        raise NoJson(f"it is nested {deepest} levels deep; the limit is {levels}", True)
    if _HALF.search(text):
        pairs = functools.partial(_with_whole_names, pairs or dict)
    try:
        return json.loads(
            text, parse_int=_number, parse_float=_number, parse_constant=_refuse_constant, object_pairs_hook=pairs
        )
    except json.JSONDecodeError as e:
        if e.pos >= len(text.rstrip(BLANKS)):
            raise NoJson("it ends in the middle of a value" if text.strip(BLANKS) else "it is empty") from None
        if e.msg == "Extra data":
            raise NoJson("more than one JSON value") from None
        raise NoJson(f"{e.msg} (line {e.lineno}, column {e.colno})") from None


_plainly_quoted = json.encoder.encode_basestring  # type: ignore[attr-defined]


_LETTERED = re.compile("[\x0b\x0e\x0f\x1a-\x1f]")
_ESCAPE = re.compile(r"\\(?:u00([01][a-f])|.)")


def _quoted(text: str) -> str:
    """Half of a pair of surrogates, which no encoding has, as its escape (RFC 8259, 8.2); escapes are in Jackson's letters."""
    quoted: str = _plainly_quoted(text)
    if _LETTERED.search(text):
        quoted = _ESCAPE.sub(lambda escape: escape[0] if escape[1] is None else f"\\u00{escape[1].upper()}", quoted)
    return quoted if quoted.isascii() else _LONE.sub(lambda half: f"\\u{ord(half[0]):04X}", quoted)


def decoded(content: bytes) -> str:
    """The text of JSON, which is in UTF-8. Raises NoJson."""
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as e:
        raise NoJson(f"{NO_UTF_8}: the byte 0x{content[e.start]:02x} at {e.start} has no place there") from None


def write(value: Any) -> str:
    """As compact JSON text; a number as it was written."""
    out: list[str] = []
    _write(value, out)
    return "".join(out)


def _write(value: Any, out: list[str]) -> None:
    if isinstance(value, str):
        out.append(_quoted(value))
    elif value is None or isinstance(value, bool):
        out.append("null" if value is None else "true" if value else "false")
    elif isinstance(value, int | Decimal):
        out.append(str(value))
    elif isinstance(value, dict):
        out.append("{")
        for index, (name, member) in enumerate(value.items()):
            out.append(f"{',' if index else ''}{_quoted(name)}:")
            _write(member, out)
        out.append("}")
    elif isinstance(value, list | OpaqueJoin):
        out.append("[")
        for index, element in enumerate(value if isinstance(value, list) else value.results):
            if index:
                out.append(",")
            _write(element, out)
        out.append("]")
    elif isinstance(value, Opaque) and value.broken:
        out.append(value.broken.text)
    else:
        raise TypeError(f"a value of type {type(inside(value)).__name__} is no JSON")


def is_number(value: Any) -> bool:
    return isinstance(value, int | Decimal) and not isinstance(value, bool)


def shown(value: Any) -> str:
    """As a cause shows it."""
    return shortened(write(value))


def shortened(text: str) -> str:
    return text if len(text) <= 1024 else text[:1024] + "…"


def kind(value: Any) -> str:
    """What JSON calls the value's type."""
    if value is None or isinstance(value, bool):
        return "null" if value is None else "boolean"
    kinds: dict[type, str] = {str: "string", dict: "object", list: "array", int: "number", Decimal: "number"}
    return kinds.get(type(value), "binary")


def same(a: Any, b: Any) -> bool:
    """Equality of values: 1, 1.0 and 1e0 are the same number, true is none; the order of fields does not matter."""
    if is_number(a) and is_number(b):
        return bool(a == b)
    if kind(a) != kind(b):
        return False
    if isinstance(a, list):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return len(a) == len(b) and all(name in b and same(member, b[name]) for name, member in a.items())
    return bool(a == b)


def utf_16(text: str) -> bytes:
    """In the order of these, as Java and JavaScript have it, what is less comes first."""
    return text.encode("utf-16-be", "surrogatepass")


def key(value: Any) -> Any:
    """Hashable; equal for the same values."""
    if isinstance(value, dict):
        return ("object", frozenset((name, key(member)) for name, member in value.items()))
    if isinstance(value, list):
        return ("array", tuple(key(element) for element in value))
    return (kind(value), value)


def whole_number(value: Any) -> int | None:
    """The number as an integer of 64 bits when it is one; safe for 1e999999999."""
    if not is_number(value):
        return None
    if isinstance(value, Decimal):
        if (value != 0 and value.adjusted() > 19) or value != value.to_integral_value():
            return None
        value = int(value)
    return value if -(1 << 63) <= value < 1 << 63 else None


def digits(value: Any) -> int | None:
    """The number whose digits a string is: as on AWS, a path of a number may lead there."""
    return int(value) if isinstance(value, str) and re.fullmatch(r"[0-9]{1,9}", value) else None


def size(value: Any, limit: int) -> int:
    """About how many bytes it has when written, counted no further than the limit: parts may stand in it a thousand times."""
    if isinstance(value, str):
        return len(value) + 2
    if isinstance(value, list | dict):
        total = 2
        parts: Iterable[Any] = value
        if isinstance(value, dict):
            total += sum(4 + len(name) for name in value)
            parts = value.values()
        else:
            total += len(value)
        for part in parts:
            if total > limit:
                break
            total += size(part, limit - total)
        return total
    if isinstance(value, Decimal):
        return len(value.as_tuple().digits) + 2
    if isinstance(value, int) and abs(value) >= 1 << 63:
        return len(str(value)) + 2
    if isinstance(value, OpaqueJoin):
        return 2 + sum(1 + size(one, limit) for one in value.results)
    return value.bytes if isinstance(value, Opaque) else 8


def depth(value: Any, limit: int) -> int:
    """Levels, counted no further than one more than the limit."""
    if not isinstance(value, list | dict):
        return 0
    deepest = 0
    for part in value.values() if isinstance(value, dict) else value:
        if isinstance(part, list | dict) and deepest < limit:
            deepest = max(deepest, depth(part, limit - 1))
    return deepest + 1


def checked(value: Any) -> Any:
    """The value, when it is not too large or deep for a document that was made; else States.DataLimitExceeded, or
    States.Runtime when it cannot be written: see `opaque`."""
    if isinstance(value, str | list | dict):
        bytes_ = size(value, limits.DOCUMENT_BYTES)
        if bytes_ > limits.DOCUMENT_BYTES:
            raise StateError(
                DATA_LIMIT_EXCEEDED, f"a document of {bytes_} bytes or more is over the limit of {limits.DOCUMENT_BYTES}"
            )
        check_depth(depth(value, limits.JSON_DEPTH))
    return written(value)


def check_depth(levels: int) -> None:
    if levels > limits.JSON_DEPTH:
        raise StateError(
            DATA_LIMIT_EXCEEDED, f"a document nested {levels} levels deep or more is over the limit of {limits.JSON_DEPTH}"
        )


def exact(value: Any) -> Any:
    """A tree of what a Python program gave: floats as decimals, tuples as lists; what is no JSON stays."""
    if isinstance(value, float):
        return Decimal(repr(value)) if value == value and abs(value) != float("inf") else value
    if isinstance(value, dict):
        return {str(name): exact(member) for name, member in value.items()}
    if isinstance(value, list | tuple):
        return [exact(element) for element in value]
    return value


def plain(value: Any) -> Any:
    """A copy with floats, as `json.loads` would have read it."""
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, dict):
        return {name: plain(member) for name, member in value.items()}
    if isinstance(value, list):
        return [plain(element) for element in value]
    return value
