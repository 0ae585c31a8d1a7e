"""$fromMillis of any time of 64 bits, to the millisecond, as Java has it. The library goes by Python's dates, which end with
the years 1 and 9999, and by fractions of a second that are inexact far from today.

The calendar repeats after 400 years, days of the week too: a time is written as the one of 2000 to 2399 that it repeats, with
its own year.
"""

from __future__ import annotations

import datetime
import functools
import re
from typing import Any

from jsonata.datetimeutils import DateTimeUtils

from sand.asl.query_run import failure

_CYCLE_MS = 146_097 * 86_400_000
_FIRST = datetime.datetime(2000, 1, 1, tzinfo=datetime.UTC)
_FIRST_MS = 946_684_800_000
_YEAR_DIGITS = 20
"""No year has as many."""


class _Date(datetime.datetime):
    """Shows another year than it has."""

    later = 0

    @property
    def year(self) -> int:
        return super().year + self.later


def text(millis: int, picture: str | None, offset: str | None) -> str:
    """picture: None: ISO 8601; offset: hours and minutes, like "+0530"; None: UTC. Others raise what they do in the library."""
    away = 0 if offset is None else _number(offset)
    sign = 1 if away >= 0 else -1
    hours, minutes = (sign * part for part in divmod(abs(away), 100))
    cycles, rest_ms = divmod(millis + (60 * hours + minutes) * 60_000 - _FIRST_MS, _CYCLE_MS)
    plain = _FIRST + datetime.timedelta(milliseconds=rest_ms)
    shown = _Date.combine(plain.date(), plain.timetz())
    shown.later = 400 * cycles
    parts = _iso() if picture is None else _parts(picture)
    return "".join(_part(part, plain, shown, hours, minutes) for part in parts)


def _number(offset: str) -> int:
    """Worded as Java's exception is."""
    if not re.fullmatch("[+-]?[0-9]+", offset):
        raise failure(f'For input string: "{offset}"')
    return int(offset)


def _parts(picture: str) -> Any:
    try:
        parts = DateTimeUtils._analyse_datetime_picture(picture).parts
        for part in parts:
            if part.component == "Y" and part.n is not None and part.n > _YEAR_DIGITS:
                part.n = -1  # no digits are cut off
        return parts
    except KeyError as e:
        raise failure(f"Unknown component specifier {e.args[0]} in date/time picture string") from None


@functools.cache
def _iso() -> Any:
    return DateTimeUtils._analyse_datetime_picture("[Y0001]-[M01]-[D01]T[H01]:[m01]:[s01].[f001][Z01:01t]").parts


def _part(part: Any, plain: datetime.datetime, shown: _Date, hours: int, minutes: int) -> str:
    if part.type == "literal":
        return str(part.value)
    if part.component == "X" and part.names is None:
        year = DateTimeUtils.iso_week_numbering_year(plain) + shown.later
        return str(DateTimeUtils._format_integer(year, part.integerFormat))
    # Weeks of a month are reckoned from other dates, which may be beyond Python's.
    date = plain if part.component in ("w", "x") else shown
    return str(DateTimeUtils._format_component(date, part, hours, minutes))
