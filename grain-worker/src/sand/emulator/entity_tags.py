"""The version that a request wants to be there, of a value whose ETag is its version."""

from __future__ import annotations

import re

from sand.emulator import problems
from sand.emulator.http import Request

_TAG = re.compile(r'"([0-9]{1,19})"')
_MOST = 2**63 - 1


def expected(request: Request) -> int | None:
    """0: none at all; None: any. :raises Problem: 400"""
    match, none = request.header("If-Match"), request.header("If-None-Match")
    if match is None and none is None:
        return None
    if match is None and none is not None and none.strip() == "*":
        return 0
    tag = _TAG.fullmatch((match or "").strip())
    if none is not None or tag is None:
        raise problems.bad_request('If-Match takes the ETag of the value, as in "7"; If-None-Match takes *.')
    version = int(tag[1])
    if version > _MOST:
        raise problems.bad_request(f"No value has a version like {tag[1]}.")
    return version
