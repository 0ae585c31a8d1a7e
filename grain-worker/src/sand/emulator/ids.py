"""Executions' ids: ULIDs, as the platform draws them."""

from __future__ import annotations

import re
import secrets
import time

_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
VALID = re.compile(r"[0-7][0-9A-HJKMNP-TV-Z]{25}")


def new() -> str:
    value = (time.time_ns() // 1_000_000) << 80 | secrets.randbits(80)
    return "".join(_ALPHABET[value >> shift & 31] for shift in range(125, -1, -5))
