"""$toMillis without a picture, as Java reads it, and so AWS: a year; a date; a date and a time, with an offset or in UTC."""

from __future__ import annotations

import calendar
import datetime
import re

from sand.asl.query_run import failure

_OFFSET_WITHOUT_COLON = re.compile(r"[+-][0-9]{4}$", re.ASCII)
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)
_YEAR = r"-[0-9]{4,10}|\+[0-9]{5,10}|[0-9]{4}(?![0-9])"
_PARTS = tuple(map(re.compile, (_YEAR, "-", "[0-9]{2}", "-", "[0-9]{2}", "[Tt]", "[0-9]{2}", ":", "[0-9]{2}")))
_SECONDS = re.compile(r":([0-9]{2})(?:\.([0-9]{0,9}))?", re.ASCII)
_OFFSET = re.compile(r"[Zz]|[+-]([0-9]{2})(?::?([0-9]{2})(?::?([0-9]{2}))?)?", re.ASCII)
_DAY_MS = 86_400_000
_FIELDS = (
    ("MonthOfYear", 1, 12),
    ("DayOfMonth", 1, 31),
    ("HourOfDay", 0, 23),
    ("MinuteOfHour", 0, 59),
    ("SecondOfMinute", 0, 59),
)


def millis(text: str) -> int:
    """Milliseconds since 1970. Raises StateError, worded as Java's exceptions are."""
    if text.isdecimal():
        return _of_year(int(text))
    if len(text) > 5 and _OFFSET_WITHOUT_COLON.search(text):
        text = f"{text[:-2]}:{text[-2:]}"
    if _DATE.fullmatch(text):
        year, month, day = map(int, text.split("-"))
        if 1 <= month <= 12 and 1 <= day <= 31 and year > 0:
            # As Java does: a day that the month does not have is its last one.
            return _DAY_MS * _days(year, month, min(day, _last_day(year, month)))
    return _of_time(text)


def _of_year(year: int) -> int:
    """Its first day, in the calendar of its time."""
    return _DAY_MS * (_days(year, 1, 1) if year > 1582 else 365 * (year - 1) + (year - 1) // 4 - 719_164)


def _days(year: int, month: int, day: int) -> int:
    """Since 1970. Years beyond those of Python's dates repeat after 400."""
    cycles, rest = divmod(year - 2000, 400)
    return cycles * 146_097 + (datetime.date(2000 + rest, month, day) - datetime.date(1970, 1, 1)).days


def _last_day(year: int, month: int) -> int:
    return calendar.monthrange(year % 400 + 2000, month)[1]


def _of_time(text: str) -> int:
    at = 0
    found: list[str] = []
    for part in _PARTS:
        matched = part.match(text, at)
        if matched is None:
            raise failure(f"Text '{text}' could not be parsed at index {at}")
        found.append(matched[0])
        at = matched.end()
    year, month, day, hour, minute = map(int, found[::2])
    second, fraction = 0, ""
    matched = _SECONDS.match(text, at)
    if matched is not None:
        second, fraction, at = int(matched[1]), matched[2] or "", matched.end()
    wrong = _wrong(year, month, day, hour, minute, second)
    away = _offset(text[at:])
    if at < len(text) and (wrong or away is None):
        raise failure(f"Text '{text}' could not be parsed, unparsed text found at index {at}")
    if wrong:
        raise failure(wrong)
    seconds = hour * 3600 + minute * 60 + second - (away or 0)
    return _DAY_MS * _days(year, month, day) + 1000 * seconds + int(f"{fraction:0<3}"[:3])


def _wrong(year: int, month: int, day: int, hour: int, minute: int, second: int) -> str | None:
    for (field, least, most), value in zip(_FIELDS, (month, day, hour, minute, second), strict=True):
        if not least <= value <= most:
            return f"Invalid value for {field} (valid values {least} - {most}): {value}"
    if day <= _last_day(year, month):
        return None
    leap = f"Invalid date 'February 29' as '{year}' is not a leap year"
    return leap if day == 29 else f"Invalid date '{calendar.month_name[month].upper()} {day}'"


def _offset(text: str) -> int | None:
    """In seconds; None for what is none."""
    matched = _OFFSET.fullmatch(text)
    if matched is None:
        return None
    hours, minutes, seconds = (int(part or 0) for part in matched.groups())
    away = hours * 3600 + minutes * 60 + seconds
    if away > 18 * 3600 or minutes > 59 or seconds > 59:
        return None
    return -away if text[0] == "-" else away
