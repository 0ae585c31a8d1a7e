"""States.ArrayUnique, and the order of what a payload template computes. AWS promises none; recorded executions show that of
a java.util.HashSet of plain values (`[true, false]` becomes `[false, true]`), which definitions may have come to depend on.
Unique.java is the same."""

import struct
from collections.abc import Collection
from typing import Any

from sand.asl import document

_FIRST_CAPACITY = 16


def of(array: list[Any]) -> list[Any]:
    """Of equal elements the first; in the order of the buckets that their hashes fall into, then in their own."""
    found: dict[Any, Any] = {}
    for element in array:
        found.setdefault(document.key(element), element)
    return placed(found.values())


def placed(elements: Collection[Any]) -> list[Any]:
    """Elements of which no two are equal, in the order in which a java.util.HashSet, or HashMap of such keys, has them."""
    capacity = _FIRST_CAPACITY
    while len(elements) > capacity // 4 * 3:
        capacity *= 2

    def bucket(element: Any) -> int:
        hashed = _hash(element) & 0xFFFFFFFF
        return (hashed ^ hashed >> 16) & (capacity - 1)

    return sorted(elements, key=bucket)


def _hash(value: Any) -> int:
    """That of the value as an Integer, Long, Double, String, Boolean, null, List or Map of Java; the lowest 32 bits count."""
    if value is None:
        return 0
    if isinstance(value, bool):
        return 1231 if value else 1237
    if isinstance(value, str):
        hashed = 0
        units = value.encode("utf-16-le", "surrogatepass")
        for (unit,) in struct.iter_unpack("<H", units):
            hashed = (31 * hashed + unit) & 0xFFFFFFFF
        return hashed
    if isinstance(value, list):
        hashed = 1
        for element in value:
            hashed = (31 * hashed + _hash(element)) & 0xFFFFFFFF
        return hashed
    if isinstance(value, dict):
        return sum((_hash(name) ^ _hash(member)) & 0xFFFFFFFF for name, member in value.items())
    return _number(value)


def _number(value: Any) -> int:
    """Beyond 64 bits a number counts as a Double."""
    real = _double(value)
    if abs(real) < 2.0**62 and real == int(real):
        whole = int(value)
        if -(1 << 31) <= whole < 1 << 31:
            return whole
        bits = whole & 0xFFFFFFFFFFFFFFFF
    else:
        (bits,) = struct.unpack("<Q", struct.pack("<d", real))
    return (bits ^ bits >> 32) & 0xFFFFFFFF


def _double(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")
