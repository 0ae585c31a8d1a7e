"""RFC 3339 timestamps with a capital T between date and time and a capital Z for UTC (specification, "Timestamps")."""

import re
from datetime import UTC, datetime, timedelta, timezone

_FORM = re.compile(r"(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)", re.ASCII)
_LOOSE = re.compile(r"(\d{4}-\d\d-\d\d)[Tt](\d\d:\d\d)(:\d\d(?:\.\d{1,9})?)?([Zz]|[+-]\d\d:\d\d)", re.ASCII)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def parse(text: str) -> int | None:
    """Nanoseconds since the epoch; None when it is no timestamp."""
    found = _FORM.fullmatch(text)
    if found is None:
        return None
    *fields, fraction, zone = found.groups()
    year, *rest = map(int, fields)
    try:
        # The calendar comes again after 400 years; Python's begins with the year 1.
        time = datetime(year or 400, *rest, tzinfo=_zone(zone))  # type: ignore[arg-type]
        seconds = (time - _EPOCH) // timedelta(seconds=1) - (0 if year else 146_097 * 86_400)
    except (ValueError, OverflowError):
        return None
    return seconds * 1_000_000_000 + int((fraction or "").ljust(9, "0"))


def parse_loosely(text: str) -> int | None:
    """As `parse`, and as AWS takes what an expression gives: without seconds too, and with small letters."""
    found = _LOOSE.fullmatch(text)
    return None if found is None else parse(f"{found[1]}T{found[2]}{found[3] or ':00'}{found[4].upper()}")


def _zone(text: str) -> timezone:
    if text == "Z":
        return UTC
    hours, minutes = map(int, text[1:].split(":"))
    offset = timedelta(hours=hours, minutes=minutes)
    if minutes > 59 or offset > timedelta(hours=18):
        raise ValueError(text)
    return timezone(-offset if text[0] == "-" else offset)


def text(epoch_ms: int) -> str:
    return (_EPOCH + timedelta(milliseconds=epoch_ms)).strftime("%Y-%m-%dT%H:%M:%S.") + f"{epoch_ms % 1000:03d}Z"
