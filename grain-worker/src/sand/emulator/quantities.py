"""Sizes and durations as people write them (`512MiB`, `30s`), by the rules of the frontend's `Quantity`."""

from __future__ import annotations

import re
from decimal import Decimal

_NUMBER_UNIT = re.compile(r"([0-9]{1,18}(?:\.[0-9]{1,9})?)([A-Za-z]*)")
_BYTES = {"": 1, "B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "KB": 1000, "MB": 10**6, "GB": 10**9}
_MILLIS = {"ms": 1, "s": 1000, "": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}
_MOST = (1 << 63) - 1


def size(text: str | int | float) -> int:
    """Bytes. :raises ValueError: it is none"""
    return _parse(str(text), _BYTES, "a size like 512MiB, 64KiB or 1GiB")


def millis(text: str | int | float) -> int:
    """Milliseconds; a bare number is seconds. :raises ValueError: it is none"""
    return _parse(str(text), _MILLIS, "a duration like 500ms, 30s or 10m")


def _parse(text: str, units: dict[str, int], expected: str) -> int:
    matched = _NUMBER_UNIT.fullmatch(text.strip())
    if matched is None or matched[2] not in units:
        raise ValueError(f"'{text}' is not {expected}")
    value = int(Decimal(matched[1]) * units[matched[2]])
    if value > _MOST:
        raise ValueError(f"'{text}' is too large")
    return value
