"""JSONata functions of ours: those that AWS adds, those of chance and of the clock, which give the same in a
replay, and those of the library that are wrong for some values or make more than their arguments show."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any

from jsonata.functions import Functions as Library
from jsonata.jexception import JException
from jsonata.jsonata import Jsonata
from jsonata.utils import Utils

from sand.asl import chance, document, intrinsics, limits, query_dates, query_millis, query_numbers, query_values
from sand.asl.failure import StateError
from sand.asl.query_pictures import unsupported
from sand.asl.query_run import check_bytes, current, failure

_LARGEST = Decimal(sys.float_info.max)
_EXACT = 2**53
"""From here on a double has no fraction."""
FUNCTIONS = {
    "partition": ("<xn?:a>", "partition"),
    "range": ("<nnn?:a>", "range_"),
    "hash": ("<ss?:s>", "hash_"),
    "uuid": ("<:s>", "uuid"),
    "parse": ("<s-:x>", "parse"),
    "random": ("<n?:n>", "random_"),
    "shuffle": ("<a:a>", "shuffle"),
    "now": ("<s?s?:s>", "now"),
    "fromMillis": ("<n-s?s?:s>", "from_millis"),
    "millis": ("<:n>", "millis"),
    "count": ("<x:n>", "count"),
    "sort": ("<af?:a>", "sort"),
    "toMillis": ("<s-s?:n>", "to_millis"),
    "distinct": ("<x:x>", "distinct"),
    "formatBase": ("<n-n?:s>", "format_base"),
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


def _long(number: Any) -> Any:
    """As Java cuts it to 64 bits; what is smaller stays."""
    return number if number is None else max(-(2**63), min(number, 2**63 - 1)) if abs(number) >= 2**63 else number


def _merges(count: int) -> Iterator[tuple[int, int, int, int]]:
    """Of a merge sort from below, as in Java: so expressions that compare do so in the same order, and as often."""
    width = 1
    while width < count:
        for start in range(0, count, 2 * width):
            end = min(start + 2 * width, count)
            yield start, min(start + width, count), end, 1 + (end - start) // 16
        width *= 2


def _merged(array: list[Any], comes_after: Callable[[Any, Any], bool]) -> list[Any]:
    merged = list(array)
    for start, middle, end, steps in _merges(len(merged)):
        current().budget.spend(steps)
        left, right = merged[start:middle], merged[middle:end]
        at, at_left, at_right = start, 0, 0
        while at_left < len(left) or at_right < len(right):
            takes_right = at_left >= len(left) or (at_right < len(right) and comes_after(left[at_left], right[at_right]))
            merged[at] = right[at_right] if takes_right else left[at_left]
            at_left, at_right, at = at_left + (not takes_right), at_right + takes_right, at + 1
    return merged


def _identity(value: Any) -> Any:
    """Equal for two values that are the same in JSON."""
    if isinstance(value, dict):
        return dict, frozenset((name, _identity(member)) for name, member in value.items())
    if isinstance(value, list):
        return list, tuple(map(_identity, value))
    return (bool, value) if isinstance(value, bool) else value


class Functions:
    """An argument that is not given is None, and one that makes no sense gives nothing."""

    @staticmethod
    def partition(array: Any, size: Any) -> Any:
        if array is None:
            return None
        if not isinstance(array, list):
            raise failure('T0412: Argument 1 of function "partition" must be an array of undefined')
        if size is None:
            return [list(array)]
        if int(size) < 0:
            raise invalid("Second argument must be zero or greater")
        if not array or int(size) == 0:
            return None
        step = min(int(size), len(array))
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
    def hash_(*arguments: Any) -> Any:
        """Without an algorithm it gives nothing; one that is given and is nothing is none of those that there are."""
        if arguments[0] is None or len(arguments) < 2:
            return None
        data, algorithm = arguments[0], "null" if arguments[1] is None else arguments[1]
        if algorithm not in intrinsics.ALGORITHMS:
            raise invalid(f"Hash algorithm '{algorithm}' must be one of SHA-1, SHA-384, SHA-256, SHA-512, MD5")
        return intrinsics.digest(data, algorithm)  # of any length, unlike States.Hash

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
            parsed = document.parse(query_values.double_quoted(text), _members)
            _refuse_huge(parsed)
            return query_values.to_library(parsed, current())
        except document.NoJson:
            raise invalid("Invalid JSON") from None

    # --- chance and time

    @staticmethod
    def random_(seed: Any) -> float:
        """For a seed the number that AWS gives."""
        return chance.SplitMix(current().view.draw()).random() if seed is None else chance.Seeded(int(seed)).random()

    @staticmethod
    def shuffle(array: Any) -> Any:
        if array is None or len(array) < 2:
            return array
        chosen = chance.SplitMix(current().view.draw())
        shuffled = list(array)
        for at in range(len(shuffled) - 1, 0, -1):
            other = chosen.below(at + 1)
            shuffled[at], shuffled[other] = shuffled[other], shuffled[at]
        return shuffled

    @staticmethod
    def now(picture: Any, timezone: Any) -> Any:
        return Functions.from_millis(current().view.now_ms(), picture, timezone)

    @staticmethod
    def from_millis(millis: Any, picture: Any, timezone: Any) -> Any:
        """The library takes an offset alone for a time zone."""
        is_utc = timezone is not None and timezone.lower() == "utc"
        return None if millis is None else query_millis.text(int(_long(millis)), picture, None if is_utc else timezone)

    @staticmethod
    def to_millis(text: Any, picture: Any) -> Any:
        return (
            None if text is None else query_dates.millis(text) if picture is None else Library.datetime_to_millis(text, picture)
        )

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
        if swaps is not None:
            return _merged(array, lambda a, b: Jsonata.boolize(Library.func_apply(swaps, [a, b])))
        if not Utils.is_array_of_numbers(array) and not Utils.is_array_of_strings(array):
            raise JException("D3070", -1)
        for steps in _merges(len(array)):
            current().budget.spend(steps[3])
        return sorted(array, key=query_numbers.order)

    @staticmethod
    def distinct(values: Any) -> Any:
        """To Python True is 1."""
        if not isinstance(values, list) or len(values) < 2:
            return values
        first: dict[Any, Any] = {}
        for value in values:
            first.setdefault(_identity(value), value)
        return Utils.create_sequence_from_iter(first.values()) if isinstance(values, Utils.JList) else list(first.values())

    @staticmethod
    def format_base(number: Any, radix: Any) -> Any:
        if number is not None and radix is not None and not 2 <= int(radix) <= 36:
            raise JException("D3100", -1, int(radix))
        if number is None:
            return None
        whole = int(number) if abs(number) >= _EXACT else int(Library.round(number, 0))
        return Library.base_repr(_long(whole), 10 if radix is None else int(radix)).lower()

    @staticmethod
    def format_integer(number: Any, picture: Any) -> Any:
        """A number of any size in Roman letters would be as long as it is large."""
        if number is not None and picture is not None and re.match("[iI](;|$)", picture):
            check_bytes(int(min(abs(number) / 1000, 1e15)))
        if picture is not None:
            current().budget.spend(len(picture) ** 2 >> 12)
        if number is not None and picture is None:
            raise failure('Cannot invoke "String.lastIndexOf(String)" because "picture" is null')
        try:
            return Library.format_integer(_long(number), picture)
        except RuntimeError as e:
            raise unsupported(e, picture) from None
