"""JSONata functions of ours: those that AWS adds, those of chance and of the clock, which give the same in a
replay, and those of the library that are wrong for some values or make more than their arguments show."""

from __future__ import annotations

import functools
import random
import re
import sys
from decimal import Decimal
from typing import Any

from jsonata.functions import Functions as Library
from jsonata.jexception import JException
from jsonata.jsonata import Jsonata
from jsonata.utils import Utils

from sand.asl import chance, document, intrinsics, limits
from sand.asl.failure import StateError
from sand.asl.query_run import check_bytes, current, failure
from sand.asl.query_values import to_library

_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?")
_RADIX = {"x": 16, "b": 2, "o": 8}
_DIGITS = 400
_LARGEST = Decimal(sys.float_info.max)
FUNCTIONS = {
    "partition": ("<an?:a>", "partition"),
    "range": ("<nnn?:a>", "range_"),
    "hash": ("<s-s?:s>", "hash_"),
    "uuid": ("<:s>", "uuid"),
    "parse": ("<s-:x>", "parse"),
    "random": ("<n?:n>", "random_"),
    "shuffle": ("<a:a>", "shuffle"),
    "now": ("<s?s?:s>", "now"),
    "millis": ("<:n>", "millis"),
    "count": ("<x:n>", "count"),
    "sort": ("<af?:a>", "sort"),
    "round": ("<n-n?:n>", "round_"),
    "number": ("<(nsb)-:n>", "number"),
    "formatInteger": ("<n-s:s>", "format_integer"),
}


def invalid(why: str) -> StateError:
    """With the code that AWS gives to what its own functions do not take."""
    return failure(f"D3137: {why}")


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Of an object in $parse: as AWS, it takes no key twice."""
    members: dict[str, Any] = {}
    for name, value in pairs:
        if name in members:
            raise document.NoJson(f"Duplicate field '{name}'")
        members[name] = value
    return members


def _refuse_huge(value: Any) -> None:
    """As AWS: a double holds every number."""
    if isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            _refuse_huge(part)
    elif isinstance(value, int | Decimal) and abs(value) > _LARGEST:
        raise document.NoJson("a number is too large")


class Functions:
    """An argument that is not given is None, and one that makes no sense gives nothing."""

    @staticmethod
    def partition(array: Any, size: Any) -> Any:
        if size is not None and int(size) < 0:
            raise invalid("Second argument must be zero or greater")
        if not array or (size is not None and int(size) == 0):
            return None
        step = len(array) if size is None else min(int(size), len(array))
        return [list(array[at : at + step]) for at in range(0, len(array), step)]

    @staticmethod
    def range_(first: Any, last: Any, step: Any) -> Any:
        if first is None or last is None or step is None or int(step) == 0:
            return None
        start, end, by = int(first), int(last), int(step)
        if (end - start) * by < 0:
            return None
        count = (end - start) // by + 1
        check_bytes(8 * count if count <= limits.QUERY_RANGE else limits.QUERY_VALUE_BYTES + 1)
        current().budget.spend(count // 16)
        return Utils.create_sequence_from_iter(start + by * at for at in range(count))

    @staticmethod
    def hash_(data: Any, algorithm: Any) -> Any:
        if data is None or algorithm is None:
            return None
        try:
            return intrinsics.hash_of(data, algorithm)
        except intrinsics.InvalidArguments:
            raise invalid("Invalid argument of $hash") from None

    @staticmethod
    def uuid() -> str:
        return intrinsics.uuid_of(current().view)

    @staticmethod
    def parse(text: Any) -> Any:
        if text is None:
            return None
        if not isinstance(text, str):  # The library lets null pass for a string.
            raise JException("T0410", -1, 1, "parse")
        current().budget.spend(len(text) // 64)
        try:
            parsed = document.parse(text, _members)
            _refuse_huge(parsed)
            return to_library(parsed, current())
        except document.NoJson as e:
            raise invalid(f"Invalid JSON: {e}") from None

    # --- chance and time

    @staticmethod
    def random_(seed: Any) -> float:
        """For a seed the number that AWS gives."""
        return random.Random(current().view.draw()).random() if seed is None else chance.seeded(int(seed))

    @staticmethod
    def shuffle(array: Any) -> Any:
        if array is None or len(array) < 2:
            return array
        shuffled = list(array)
        random.Random(current().view.draw()).shuffle(shuffled)
        return shuffled

    @staticmethod
    def now(picture: Any, timezone: Any) -> Any:
        return Library.datetime_from_millis(current().view.now_ms(), picture, timezone)

    @staticmethod
    def millis() -> int:
        return current().view.now_ms()

    # --- those that the library has, mended

    @staticmethod
    def count(value: Any) -> int:
        """A JSON null is one value, nothing is none."""
        return 0 if value is None else len(value) if isinstance(value, list) else 1

    @staticmethod
    def sort(array: Any, swaps: Any) -> Any:
        """Stable. swaps: whether the second of two comes first."""
        if array is None or len(array) < 2:
            return array
        current().budget.spend(1 + len(array) * len(array).bit_length() // 16)
        if swaps is not None:
            # Python asks whether the later one is less than the earlier: then, and only then, the two swap.
            order = lambda later, earlier: -1 if Jsonata.boolize(Library.func_apply(swaps, [earlier, later])) else 0  # noqa: E731
            return sorted(array, key=functools.cmp_to_key(order))
        if not Utils.is_array_of_numbers(array) and not Utils.is_array_of_strings(array):
            raise JException("D3070", -1)
        return sorted(array)

    @staticmethod
    def round_(number: Any, precision: Any) -> Any:
        """A precision beyond that of any number changes nothing: it must not make room for its digits."""
        if number is None or (precision is not None and precision > _DIGITS):
            return number
        return 0 if precision is not None and precision < -_DIGITS else Library.round(number, precision)

    @staticmethod
    def number(value: Any) -> Any:
        if not isinstance(value, str):
            return Library.number(value)
        if re.fullmatch("(?i)0(x[0-9a-f]+|b[01]+|o[0-7]+)", value):
            return float(int(value[2:], _RADIX[value[1].lower()]))
        if not _NUMBER.fullmatch(value):
            raise JException("D3030", -1, value)
        return float(value)

    @staticmethod
    def format_integer(number: Any, picture: Any) -> Any:
        """A number of any size in Roman letters would be as long as it is large."""
        if number is not None and picture is not None and re.match("[iI](;|$)", picture):
            check_bytes(int(min(abs(number) / 1000, 1e15)))
        if picture is not None:
            current().budget.spend(len(picture) ** 2 >> 12)
        return Library.format_integer(number, picture)
