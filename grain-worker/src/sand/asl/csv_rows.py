"""Rows of delimited text, by the rules of AWS's guide, which go beyond RFC 4180: a doubled quote stands for one, outside quotes
too, and a backslash before a quote, a backslash or the delimiter takes its meaning from it; before anything else it is passed
over.
"""

from __future__ import annotations

import re
from collections.abc import Iterator


class NoCsv(Exception):
    """What is wrong with the text, in half a sentence."""


_IN_QUOTES = re.compile(r'[^"\\]+')


def rows(text: str, delimiter: str) -> Iterator[list[str]]:
    """Lines without a character are passed over. Raises NoCsv at the row that is none."""
    plain = re.compile(rf'[^"\\\r\n{re.escape(delimiter)}]+')
    at = 0
    while at < len(text):
        if text[at] in "\r\n":
            at += 1
            continue
        row: list[str] = []
        while True:
            field, at = _field(text, at, delimiter, plain)
            row.append(field)
            if text[at : at + 1] != delimiter:
                break
            at += 1
        yield row


def _field(text: str, at: int, delimiter: str, plain: re.Pattern[str]) -> tuple[str, int]:
    """The field, and the place of what ends it."""
    out: list[str] = []
    ends = ("", delimiter, "\r", "\n")
    if text[at : at + 1] == '"':
        at = _quoted(text, at + 1, delimiter, out)
        if text[at : at + 1] not in ends:
            raise NoCsv("there is something between the end of a field in quotes and what ends the field")
        return "".join(out), at
    while text[at : at + 1] not in ends:
        run = plain.match(text, at)
        at = _special(text, at, delimiter, out) if run is None else _taken(run, out)
    return "".join(out), at


def _quoted(text: str, at: int, delimiter: str, out: list[str]) -> int:
    """The place behind the closing quote."""
    while at < len(text):
        run = _IN_QUOTES.match(text, at)
        if run is not None:
            at = _taken(run, out)
        elif text[at] == '"' and text[at + 1 : at + 2] != '"':
            return at + 1
        else:
            at = _special(text, at, delimiter, out)
    raise NoCsv("it ends within a field in quotes")


def _taken(run: re.Match[str], out: list[str]) -> int:
    out.append(run[0])
    return run.end()


def _special(text: str, at: int, delimiter: str, out: list[str]) -> int:
    """A quote or a backslash, with the character that it stands for."""
    following = text[at + 1 : at + 2]
    if text[at] == '"':
        out.append('"')
        return at + (2 if following == '"' else 1)
    if following and following in ("\\", '"', delimiter):
        out.append(following)
        return at + 2
    return at + 1
