"""Executions' ids: ULIDs, as the platform draws them."""

from __future__ import annotations

import hashlib
import re
import secrets
import time

_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
VALID = re.compile(r"[0-7][0-9A-HJKMNP-TV-Z]{25}")


def new() -> str:
    return _text((time.time_ns() // 1_000_000) << 80 | secrets.randbits(80))


def derived(event_id: str, drawn: bytes) -> str:
    """Of the same time as the execution that an event's id begins with, and always the same for the same drawn bytes."""
    return event_id[:10] + _text(int.from_bytes(drawn[:10]))[10:]


def of_child(parent_id: str, step: str, asked_ms: int) -> str:
    """Of the execution that a step of another one starts, as the platform has it where there is one slot."""
    drawn = hashlib.sha256(f"{parent_id}/{step}".encode("utf-8", "replace")).digest()
    return _text(asked_ms << 80 | int.from_bytes(drawn[:10]))


def epoch_ms(id: str) -> int:
    """The wall clock in an id."""
    ms = 0
    for character in id[:10]:
        ms = ms << 5 | _ALPHABET.index(character)
    return ms


def _text(value: int) -> str:
    return "".join(_ALPHABET[value >> shift & 31] for shift in range(125, -1, -5))
