"""The intrinsic functions of JSONPath, by name, with the number of arguments that each takes."""

import base64
import hashlib
import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import ROUND_FLOOR, Decimal
from typing import Any

from sand.asl import chance, document, json_faults, limits, unique
from sand.asl.failure import DATA_LIMIT_EXCEEDED, INTRINSIC_FAILURE, StateError, intrinsic
from sand.asl.paths import View

ALGORITHMS = {"MD5": "md5", "SHA-1": "sha1", "SHA-256": "sha256", "SHA-384": "sha384", "SHA-512": "sha512"}


@dataclass(frozen=True, slots=True)
class Intrinsic:
    """most: None for any number of arguments."""

    name: str
    least: int
    most: int | None
    body: Callable[..., Any]

    def apply(self, view: View, arguments: list[Any]) -> Any:
        """Raises StateError, in AWS's words: "Invalid arguments" but where a function says more."""
        if len(arguments) < self.least or (self.most is not None and len(arguments) > self.most):
            raise intrinsic(f"Invalid arguments in {self.name}")
        try:
            return self.body(view, *arguments)
        except InvalidArguments:
            raise intrinsic(f"Invalid arguments in {self.name}") from None


class InvalidArguments(StateError):
    """An argument is of the wrong type or out of range."""

    def __init__(self) -> None:
        super().__init__(INTRINSIC_FAILURE, "an argument is of the wrong type or out of range")


# --- what the functions ask of their arguments


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise InvalidArguments
    return value


def _bounded(text: str) -> str:
    if len(text.encode("utf-16-le", "surrogatepass")) // 2 > limits.ENCODE_CHARS:
        raise InvalidArguments
    return text


def _array(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise InvalidArguments
    return value


def _number(value: Any) -> int | Decimal:
    """With a fraction as a double has it."""
    if not document.is_number(value):
        raise InvalidArguments
    if isinstance(value, int) and -(1 << 63) <= value < 1 << 63:
        return value
    near = float(value) if isinstance(value, int) or value.adjusted() < 300 else float("inf")
    if abs(near) > 1 << 53:
        raise InvalidArguments
    return Decimal(near)


def _integer(value: Any) -> int:
    """A fraction is cut off, as on AWS."""
    return int(_number(value))


# --- text


def _format(view: View, template: Any, *values: Any) -> str:
    pattern = _text(template)
    out: list[str] = []
    used = length = 0
    for found in re.finditer(r"\\([{}\\'])|(\{\})|.", pattern, re.DOTALL):
        if found[2]:
            if used == len(values):
                raise InvalidArguments
            value = values[used]
            used += 1
            out.append(shown(value))
        elif found[0] in "{}":
            missing = "}" if found[0] == "{" else "{"
            raise intrinsic(f"Invalid template in States.Format: matching '{missing}' not found for '{found[0]}'.")
        else:
            out.append(found[1] or found[0])
        length += len(out[-1])
        if length > limits.DOCUMENT_BYTES:
            raise StateError(DATA_LIMIT_EXCEEDED, f"States.Format makes a text of more than {limits.DOCUMENT_BYTES} characters")
    if used != len(values):
        raise InvalidArguments
    return "".join(out)


def shown(value: Any) -> str:
    """Objects and arrays as AWS shows them: {a=1, b=[x, y]}, texts in them without quotation marks."""
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        return "{" + ", ".join(f"{name}={shown(member)}" for name, member in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(shown, value)) + "]"
    return document.write(value)


def _string_to_json(view: View, text: Any) -> Any:
    """An empty string gives null, as on AWS."""
    json = _text(text)
    if not json.strip(document.BLANKS):
        return None
    try:
        return document.parse(json)
    except document.NoJson as e:
        why = json_faults.why(e, json)
        raise intrinsic(f"Cannot convert String to Json in States.StringToJson, caused by: {why}") from None


def _json_to_string(view: View, *values: Any) -> str:
    if len(values) != 1:
        raise intrinsic("Invalid arguments in States.JsonToString: only a single argument is allowed.")
    return document.write(values[0])


def _split(view: View, text: Any, separators: Any) -> list[str]:
    """Every character of the second argument separates; empty parts are left out, as on AWS."""
    string, marks = _text(text), _text(separators)
    parts = re.split(f"[{re.escape(marks)}]", string) if marks else [string]
    return [part for part in parts if part]


def _base64_encode(view: View, text: Any) -> str:
    return base64.b64encode(_bounded(_text(text)).encode("utf-8", "replace")).decode("ascii")


def _base64_decode(view: View, text: Any) -> str:
    """What is no base 64 is passed over, and what comes after the padding too, as on AWS."""
    digits = re.sub(r"[^A-Za-z0-9+/]", "", _bounded(_text(text)).partition("=")[0].replace("-", "+").replace("_", "/"))
    whole = digits[: len(digits) - (len(digits) % 4 == 1)]
    return base64.b64decode(whole + "=" * (-len(whole) % 4)).decode("utf-8", "replace")


def hash_of(data: Any, algorithm: Any) -> str:
    name = _text(algorithm)
    if name not in ALGORITHMS:
        raise InvalidArguments
    return digest(_bounded(data if isinstance(data, str) else document.write(data)), name)


def digest(text: str, algorithm: str) -> str:
    """In hexadecimal digits. algorithm: of ALGORITHMS."""
    return hashlib.new(ALGORITHMS[algorithm], text.encode("utf-8", "replace")).hexdigest()


def uuid_of(view: View, *_: Any) -> str:
    """Version 4 in form; its bits are drawn, so that the same execution makes the same one. Arguments are passed over (AWS)."""
    high = view.draw()
    return chance.uuid_from(high, view.draw())


# --- arrays and objects


def _partition(view: View, array: Any, chunk: Any) -> list[Any]:
    elements, step = _array(array), _integer(chunk)
    if step <= 0:
        raise InvalidArguments
    return [elements[at : at + step] for at in range(0, len(elements), min(step, len(elements) or 1))]


def _range(view: View, first: Any, last: Any, by: Any) -> list[int]:
    start, end, step = _integer(first), _integer(last), _integer(by)
    if step == 0:
        raise InvalidArguments
    values = range(start, end + (1 if step > 0 else -1), step)
    if max(0, (end - start) // step + 1) > limits.ARRAY_RANGE:
        raise InvalidArguments
    return list(values)


def _get_item(view: View, array: Any, at: Any) -> Any:
    """An empty array gives null at any index, as on AWS."""
    elements, index = _array(array), _integer(at)
    if not elements:
        return None
    if not 0 <= index < len(elements):
        raise InvalidArguments
    return elements[index]


def _contains(view: View, array: Any, value: Any) -> bool:
    """Values are compared as they are written, as on AWS: 1 and "1" are the same."""
    return any(_written(element) == _written(value) for element in _array(array))


def _written(value: Any) -> str:
    return value if isinstance(value, str) else document.write(value)


def _merge(view: View, first: Any, second: Any, is_deep: Any) -> dict[str, Any]:
    """Shallow, whatever stands where true would ask for a deep one."""
    if not isinstance(first, dict) or not isinstance(second, dict):
        raise InvalidArguments
    if is_deep is True:
        raise InvalidArguments
    return {**first, **second}


# --- numbers


def _random(view: View, start: Any, end: Any, *seed: Any) -> int:
    """From the first number on, below the second; with a third, the number that AWS has for this seed."""
    least, most = _integer(start), _integer(end)
    if least >= most:
        raise InvalidArguments
    if not seed:
        return chance.SplitMix(view.draw()).between(least, most)
    drawn = chance.Seeded(_integer(seed[0]))
    if most - least < 1 << 31:
        return least + drawn.below(most - least)
    return min(max(math.floor(float(least) + drawn.random() * (float(most) - float(least))), least), most - 1)


def _add(view: View, first: Any, second: Any) -> int:
    """Of numbers of 32 bits, each rounded first, a half upwards; the sum is one too, as on AWS."""
    return _small(_rounded(first) + _rounded(second))


def _rounded(value: Any) -> int:
    number = _number(value)
    return _small(number if isinstance(number, int) else int((number + Decimal("0.5")).to_integral_value(ROUND_FLOOR)))


def _small(number: int) -> int:
    if not -(1 << 31) <= number < 1 << 31:
        raise InvalidArguments
    return number


_ALL = [
    Intrinsic("States.Format", 1, None, _format),
    Intrinsic("States.StringToJson", 1, 1, _string_to_json),
    Intrinsic("States.JsonToString", 0, None, _json_to_string),
    Intrinsic("States.StringSplit", 2, 2, _split),
    Intrinsic("States.Base64Encode", 1, 1, _base64_encode),
    Intrinsic("States.Base64Decode", 1, 1, _base64_decode),
    Intrinsic("States.Hash", 2, 2, lambda view, data, algorithm: hash_of(data, algorithm)),
    Intrinsic("States.UUID", 0, None, uuid_of),
    Intrinsic("States.Array", 0, None, lambda view, *values: list(values)),
    Intrinsic("States.ArrayPartition", 2, 2, _partition),
    Intrinsic("States.ArrayContains", 2, 2, _contains),
    Intrinsic("States.ArrayRange", 3, 3, _range),
    Intrinsic("States.ArrayGetItem", 2, 2, _get_item),
    Intrinsic("States.ArrayLength", 1, 1, lambda view, array: len(_array(array))),
    Intrinsic("States.ArrayUnique", 1, 1, lambda view, array: unique.of(_array(array))),
    Intrinsic("States.JsonMerge", 3, 3, _merge),
    Intrinsic("States.MathRandom", 2, 3, _random),
    Intrinsic("States.MathAdd", 2, 2, _add),
]
BY_NAME = {function.name: function for function in _ALL}
