"""What a body is, by its Content-Type and a look at it; the rule is openapi.yaml's, and the frontend's `BodyType`."""

from __future__ import annotations

import json
import re
from functools import partial
from typing import Any

from sand.arrays import HEADER_BYTES
from sand.asl import document as documents
from sand.asl import malformed
from sand.emulator import problems
from sand.emulator.problems import Problem
from sand.values import JSON, NPY

DEPTH = 500
NUMBER_CHARS = 4300
"""More than these Python reads into no number."""
_FORM = "application/x-www-form-urlencoded"
_FIRST_OF_A_SCALAR = b'"-0123456789tfn'
_LONG = re.compile(rf"[-+.0-9eE]{{{NUMBER_CHARS + 1}}}")
_SCALARS = re.compile(r"[^\"{}\[\]]+|\"(?:[^\"\\]|\\.)*\"", re.DOTALL)


def kind(header: str | None, body: bytes) -> str:
    """The payload's type: exactly JSON when the body is to be decoded."""
    if header is None or not header.strip() or bare(header) == JSON:
        return JSON
    return JSON if bare(header) == _FORM and _is_json(body) else header


def bare(header: str) -> str:
    """The media type without parameters, in lower case."""
    return header.partition(";")[0].strip().lower()


def is_text(media: str) -> bool:
    return (
        media.startswith("text/")
        or media in (JSON, _FORM, "application/javascript")
        or media.endswith(("+json", "/xml", "+xml"))
    )


def json_object(body: bytes, most: int, expected: str, pointer: str | None = "/body") -> dict[str, Any] | None:
    """The JSON object in the body of a request of the control plane; None when there is no body.

    :param expected: the sentence that says what is to be in it
    :param pointer: where the problem says that the mistake is
    """
    if not body:
        return None
    if len(body) > most:
        raise problems.too_large("The body", most, len(body))
    try:
        parsed = documents.parse(body.decode("utf-8"))
    except UnicodeDecodeError as broken:
        raise _no_text(body, broken) from None
    except documents.NoJson as broken:
        # A workflow's limits are narrower than the door's.
        found = None if broken.is_limit else fault(body)
        raise (found or _malformed(str(broken), 1, 1)) from None
    if not isinstance(parsed, dict):
        raise problems.bad_request(expected, pointer=pointer)
    return parsed


def ignored(body: bytes, most: int) -> None:
    """Of an operation that takes none. :raises Problem: it is none that an operation could have"""
    if len(body) > most:
        raise problems.too_large("The body", most, len(body))
    found = fault(body) if body else None
    if found is not None:
        raise found
    if body.strip(b" \t\r\n") == b"null":
        raise problems.bad_request("The body is null: leave it out, or send what the document says.")


def _is_json(body: bytes) -> bool:
    begin = body.lstrip(b" \t\r\n")[:1]
    if begin in (b"{", b"["):
        return True
    return bool(begin) and begin in _FIRST_OF_A_SCALAR and fault(body) is None


def fault(body: bytes) -> Problem | None:
    """Why a body is not one JSON value, with line and column; None when it is."""
    try:
        text = body.decode("utf-8")
        actual = depth(text)
        if actual > DEPTH:
            return _malformed(f"it is nested {actual} levels deep; the limit is {DEPTH}", 1, 1, limit=DEPTH, actual=actual)
        read_number = partial(documents.check_digits, most=NUMBER_CHARS) if _LONG.search(text) else None
        json.loads(text, parse_int=read_number, parse_float=read_number, parse_constant=_constant)
    except documents.NoJson as broken:
        return _malformed(str(broken), 1, 1)
    except UnicodeDecodeError as broken:
        return _no_text(body, broken)
    except (ValueError, RecursionError) as broken:
        return _malformed(*(malformed.fault(text) or (str(broken), 1, 1)))
    return None


def check(media: str, body: bytes) -> Problem | None:
    """Why a body is not what its type says; None when it is, or is bytes."""
    if body and media == NPY and (why := _npy_fault(body)):
        return problems.bad_request(f"The body is no .npy array: {why}.")
    return fault(body) if body and media == JSON else None


def _npy_fault(body: bytes) -> str | None:
    """As far as that is known without numpy: how one begins (NEP 1), and that its header is there."""
    if len(body) < 12 or not body.startswith(b"\x93NUMPY"):
        return "it does not begin as one"
    version = body[6], body[7]
    if version not in ((1, 0), (2, 0), (3, 0)):
        return f"it is of version {version[0]}.{version[1]}"
    start = 10 if version == (1, 0) else 12
    length = int.from_bytes(body[8:start], "little")
    if start + length > len(body):
        return f"its header has {length} bytes, and ends behind the body"
    if length > HEADER_BYTES:
        return f"its header has {length} bytes; the limit is {HEADER_BYTES}"
    header = body[start : start + length]
    if not all(name in header for name in (b"descr", b"fortran_order", b"shape")):
        return "its header does not say what is in it"
    return None


def depth(text: str) -> int:
    """The deepest nesting of brackets outside strings."""
    now = deepest = 0
    for character in _SCALARS.sub("", text):
        now += 1 if character in "{[" else -1
        deepest = max(deepest, now)
    return deepest


def _constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


def _no_text(body: bytes, broken: UnicodeDecodeError) -> Problem:
    before = body[: broken.start]
    line, column = before.count(b"\n") + 1, broken.start + 1 - before.rfind(b"\n")  # behind the byte, as there
    return _malformed(documents.NO_UTF_8, line, column)


def _malformed(why: str, line: int, column: int, **more: int) -> Problem:
    detail = f"At line {line}, column {column}: {why}"
    return Problem(400, "malformed-json", "The body is not JSON", detail, line=line, column=column, **more)
