"""Tokens of tasks that wait for a callback, as the platform makes them: base64url of `application/execution/step`, a point,
base64url of its HMAC-SHA256. A step is one attempt's, so a token is one attempt's too."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
from typing import NamedTuple

SUFFIX = ".waitForTaskToken"
"""What a resource ends in whose task waits for a callback."""
STEP = ">token"
"""What the step of a callback has behind its task's."""
MOST_CHARACTERS = 64 * 1024
KEY_BYTES = 32


class Place(NamedTuple):
    """What a token names. step: of the callback, which ends in `>token`."""

    application: str
    execution_id: str
    step: str


class TaskTokens:
    """key: of 32 bytes; without one, tokens of trials, which anybody could make."""

    def __init__(self, key: bytes = bytes(KEY_BYTES)) -> None:
        self._key = key

    def token(self, place: Place) -> str:
        named = "/".join(place).encode("utf-8", "replace")
        return f"{_encoded(named)}.{_encoded(self._signature(named))}"

    def read(self, token: str) -> Place | None:
        """None when it is none of ours."""
        if len(token) > MOST_CHARACTERS:
            return None
        text, _, signature = token.partition(".")
        try:
            named = _decoded(text)
            if not hmac.compare_digest(self._signature(named), _decoded(signature)):
                return None
            return Place(*named.decode("utf-8").split("/", 2))
        except (ValueError, TypeError, binascii.Error):
            return None

    def _signature(self, named: bytes) -> bytes:
        return hmac.new(self._key, named, hashlib.sha256).digest()


def without(resource: str) -> str:
    return resource.removesuffix(SUFFIX)


def _encoded(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def _decoded(text: str) -> bytes:
    return base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
