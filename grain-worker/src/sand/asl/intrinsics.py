"""The intrinsic functions of JSONPath, by name, with the number of arguments that each takes."""

import base64
import binascii
import hashlib
import random
import re
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from decimal import ROUND_FLOOR, Decimal
from typing import Any

from sand.asl import document, limits
from sand.asl.failure import DATA_LIMIT_EXCEEDED, StateError, intrinsic
from sand.asl.paths import View

_ALGORITHMS = {"MD5": "md5", "SHA-1": "sha1", "SHA-256": "sha256", "SHA-384": "sha384", "SHA-512": "sha512"}


@dataclass(frozen=True, slots=True)
class Intrinsic:
    """most: None for any number of arguments."""

    name: str
    least: int
    most: int | None
    body: Callable[..., Any]

    def check_count(self, count: int) -> None:
        if count < self.least or (self.most is not None and count > self.most):
            takes = f"at least {self.least}" if self.most is None else f"{self.least} to {self.most}"
            raise ValueError(
                f"{self.name} takes {self.least if self.least == self.most else takes} argument(s), here are {count}"
            )


# --- what the functions ask of their arguments


def _text(value: Any, what: str) -> str:
    if not isinstance(value, str):
        raise intrinsic(f"{what} must be a string, it is {document.write(value)}")
    return value


def _bounded(text: str) -> str:
    if len(text.encode("utf-16-le", "surrogatepass")) // 2 > limits.ENCODE_CHARS:
        raise intrinsic(f"the string has {len(text)} characters, the limit is {limits.ENCODE_CHARS}")
    return text


def _array(value: Any, what: str) -> list[Any]:
    if not isinstance(value, list):
        raise intrinsic(f"{what} must be an array")
    return value


def _integer(value: Any, what: str) -> int:
    """A number; one with a fraction is rounded to the nearest integer, a half upwards."""
    if not document.is_number(value):
        raise intrinsic(f"{what} must be a number, it is {document.write(value)}")
    if isinstance(value, int) and -(1 << 63) <= value < 1 << 63:
        return value
    near = float(value) if isinstance(value, int) or value.adjusted() < 300 else float("inf")
    if abs(near) > 1 << 53:
        raise intrinsic(f"{what} is out of range: {document.write(value)}")
    return int((Decimal(near) + Decimal("0.5")).to_integral_value(ROUND_FLOOR))


# --- text


def _format(view: View, template: Any, *values: Any) -> str:
    pattern = _text(template, "the template")
    out: list[str] = []
    used = length = 0
    for found in re.finditer(r"\\([{}\\'])|(\{\})|.", pattern, re.DOTALL):
        if found[2]:
            if used == len(values):
                raise intrinsic("the template has more {} than there are values")
            value = values[used]
            used += 1
            out.append(value if isinstance(value, str) else document.write(value))
        else:
            out.append(found[1] or found[0])
        length += len(out[-1])
        if length > limits.DOCUMENT_BYTES:
            raise StateError(DATA_LIMIT_EXCEEDED, f"States.Format makes a text of more than {limits.DOCUMENT_BYTES} characters")
    if used != len(values):
        raise intrinsic(f"the template has {used} {{}} for {len(values)} values")
    return "".join(out)


def _string_to_json(view: View, text: Any) -> Any:
    try:
        return document.parse(_text(text, "the argument"))
    except document.NoJson as e:
        raise intrinsic(f"the string is {'JSON over a limit' if e.is_limit else 'no JSON'}: {e}") from None


def _split(view: View, text: Any, separators: Any) -> list[str]:
    """Every character of the second argument separates; empty parts are left out, as on AWS."""
    string, marks = _text(text, "the string"), _text(separators, "the separator")
    parts = re.split(f"[{re.escape(marks)}]", string) if marks else [string]
    return [part for part in parts if part]


def _base64_encode(view: View, text: Any) -> str:
    return base64.b64encode(_bounded(_text(text, "the string")).encode("utf-8", "replace")).decode("ascii")


def _base64_decode(view: View, text: Any) -> str:
    string = _bounded(_text(text, "the string"))
    try:
        padded = string if string.endswith("=") else string + "=" * (-len(string) % 4)
        return base64.b64decode(padded, validate=True).decode("utf-8", "replace")
    except (binascii.Error, ValueError) as e:
        raise intrinsic(f"the string is not base 64: {e}") from None


def hash_of(data: Any, algorithm: Any) -> str:
    name = _text(algorithm, "the algorithm")
    if name not in _ALGORITHMS:
        raise intrinsic(f"the algorithm must be MD5, SHA-1, SHA-256, SHA-384 or SHA-512, it is {name}")
    string = _bounded(data if isinstance(data, str) else document.write(data))
    return hashlib.new(_ALGORITHMS[name], string.encode("utf-8", "replace")).hexdigest()


def uuid_of(view: View) -> str:
    """Version 4 in form; its bits are drawn, so that the same execution makes the same one."""
    return str(uuid.UUID(int=view.draw() << 64 | view.draw(), version=4))


# --- arrays and objects


def _partition(view: View, array: Any, chunk: Any) -> list[Any]:
    elements, step = _array(array, "the first argument"), _integer(chunk, "the chunk size")
    if step <= 0:
        raise intrinsic(f"the chunk size must be at least 1, it is {step}")
    return [elements[at : at + step] for at in range(0, len(elements), min(step, len(elements) or 1))]


def _range(view: View, first: Any, last: Any, by: Any) -> list[int]:
    start, end, step = _integer(first, "the first value"), _integer(last, "the last value"), _integer(by, "the step")
    if step == 0:
        raise intrinsic("the step must not be 0")
    values = range(start, end + (1 if step > 0 else -1), step)
    if max(0, (end - start) // step + 1) > limits.ARRAY_RANGE:
        raise intrinsic(f"the range has more than {limits.ARRAY_RANGE} elements")
    return list(values)


def _get_item(view: View, array: Any, at: Any) -> Any:
    elements, index = _array(array, "the first argument"), _integer(at, "the index")
    if not 0 <= index < len(elements):
        raise intrinsic(f"the index {index} is out of the array's {len(elements)} elements")
    return elements[index]


def _contains(view: View, array: Any, value: Any) -> bool:
    return any(document.same(element, value) for element in _array(array, "the first argument"))


def _unique(view: View, array: Any) -> list[Any]:
    return list({document.key(element): element for element in reversed(_array(array, "the argument"))}.values())[::-1]


def _merge(view: View, first: Any, second: Any, is_deep: Any) -> dict[str, Any]:
    if not isinstance(first, dict) or not isinstance(second, dict):
        raise intrinsic("the first two arguments must be objects")
    if not isinstance(is_deep, bool):
        raise intrinsic("the third argument must be a boolean")
    if is_deep:
        raise intrinsic("deep merging is not supported: the third argument must be false")
    return {**first, **second}


# --- numbers


def _random(view: View, start: Any, end: Any, *seed: Any) -> int:
    """From the first number on, below the second; with a third, the same number each time."""
    least, most = _integer(start, "the start"), _integer(end, "the end")
    if least >= most:
        raise intrinsic(f"the start {least} must be less than the end {most}")
    drawn = _integer(seed[0], "the seed") if seed else view.draw()
    return random.Random(drawn).randrange(least, most)


def _add(view: View, first: Any, second: Any) -> int:
    total = _integer(first, "the first number") + _integer(second, "the second number")
    if not -(1 << 63) <= total < 1 << 63:
        raise intrinsic("the sum is out of range")
    return total


_ALL = [
    Intrinsic("States.Format", 1, None, _format),
    Intrinsic("States.StringToJson", 1, 1, _string_to_json),
    Intrinsic("States.JsonToString", 1, 1, lambda view, value: document.write(value)),
    Intrinsic("States.StringSplit", 2, 2, _split),
    Intrinsic("States.Base64Encode", 1, 1, _base64_encode),
    Intrinsic("States.Base64Decode", 1, 1, _base64_decode),
    Intrinsic("States.Hash", 2, 2, lambda view, data, algorithm: hash_of(data, algorithm)),
    Intrinsic("States.UUID", 0, 0, uuid_of),
    Intrinsic("States.Array", 0, None, lambda view, *values: list(values)),
    Intrinsic("States.ArrayPartition", 2, 2, _partition),
    Intrinsic("States.ArrayContains", 2, 2, _contains),
    Intrinsic("States.ArrayRange", 3, 3, _range),
    Intrinsic("States.ArrayGetItem", 2, 2, _get_item),
    Intrinsic("States.ArrayLength", 1, 1, lambda view, array: len(_array(array, "the argument"))),
    Intrinsic("States.ArrayUnique", 1, 1, _unique),
    Intrinsic("States.JsonMerge", 3, 3, _merge),
    Intrinsic("States.MathRandom", 2, 3, _random),
    Intrinsic("States.MathAdd", 2, 2, _add),
]
BY_NAME = {function.name: function for function in _ALL}
