"""Grants for the data plane, as the platform signs them (dev.sand.dataplane.Grants, which reads the same vectors)."""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
import struct
from dataclasses import dataclass

VERSION = 2
# Without the application's version: older frontends sign it.
_FIRST_VERSION = 1
INVOKE = "invoke"
_MAC_BYTES = 32
_MOST_CHARS = 6 << 10
_LETTERS = re.compile(r"[A-Za-z0-9_-]*={0,2}")


class Refused(Exception):
    """The grant gives nothing. :ivar fault: MALFORMED, OTHER_VERSION, FORGED or EXPIRED"""

    def __init__(self, fault: str, message: str) -> None:
        super().__init__(message)
        self.fault = fault


@dataclass(frozen=True)
class Grant:
    application: str
    process: str
    host: str
    epoch: int
    rights: frozenset[str]
    functions: frozenset[str]
    issued_ms: int
    expires_ms: int
    # The application's, live when it was issued; 0: an older frontend did not say.
    version: int = 0

    def is_of_deleted(self, deleted_up_to: int) -> bool:
        return 0 < self.version <= deleted_up_to

    def allows(self, function: str) -> bool:
        return INVOKE in self.rights and (not self.functions or function in self.functions)


def sign(grant: Grant, key: bytes) -> str:
    wire = VERSION if grant.version else _FIRST_VERSION
    parts = [struct.pack(">BqqQ", wire, grant.issued_ms, grant.expires_ms, grant.epoch)]
    parts += [struct.pack(">I", grant.version)] if grant.version else []
    parts += [_text(text) for text in (grant.application, grant.process, grant.host)]
    for names in (grant.rights, grant.functions):
        parts += [bytes((len(names),)), *(_text(name) for name in sorted(names))]
    signed = b"".join(parts)
    return base64.urlsafe_b64encode(signed + hmac.digest(key, signed, hashlib.sha256)).rstrip(b"=").decode()


def read(token: str, key: bytes, now_ms: int) -> Grant:
    """:raises Refused:"""
    data = _bytes(token)
    if len(data) <= _MAC_BYTES + 1 or len(token) > _MOST_CHARS:
        raise Refused("MALFORMED", "that is no grant, or not all of it")
    if not _FIRST_VERSION <= data[0] <= VERSION:
        raise Refused("OTHER_VERSION", f"the grant has version {data[0]}, this host reads {VERSION}")
    signed, mac = data[:-_MAC_BYTES], data[-_MAC_BYTES:]
    if not hmac.compare_digest(hmac.digest(key, signed, hashlib.sha256), mac):
        raise Refused("FORGED", "the grant was not signed by this platform")
    try:
        grant = _parse(signed)
    except (struct.error, IndexError):
        raise Refused("MALFORMED", "the grant is signed, and ends too early") from None
    if now_ms >= grant.expires_ms:
        raise Refused("EXPIRED", f"the grant has expired {now_ms - grant.expires_ms} ms ago; ask for another")
    return grant


def _bytes(token: str) -> bytes:
    """As the platform's decoder takes them: filled up to a multiple of four letters, or not at all; nothing: it is no token."""
    if not _LETTERS.fullmatch(token) or (token.endswith("=") and len(token) % 4):
        return b""
    try:
        return base64.urlsafe_b64decode(token + "=" * (-len(token) % 4))
    except ValueError:
        return b""


def _text(text: str) -> bytes:
    data = text.encode()
    return bytes((len(data),)) + data


def _parse(signed: bytes) -> Grant:
    wire, issued_ms, expires_ms, epoch = struct.unpack_from(">BqqQ", signed)
    at, version = 25, 0
    if wire > _FIRST_VERSION:
        at, version = 29, struct.unpack_from(">I", signed, 25)[0]

    def text() -> str:
        nonlocal at
        length = signed[at]
        at += 1 + length
        if at > len(signed):
            raise IndexError
        return signed[at - length : at].decode()

    def names() -> frozenset[str]:
        nonlocal at
        count = signed[at]
        at += 1
        return frozenset(text() for _ in range(count))

    application, process, host = text(), text(), text()
    return Grant(application, process, host, epoch, names(), names(), issued_ms, expires_ms, version)
