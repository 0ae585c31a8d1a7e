"""`context.data.objects` in memory: whole values and ranges of them, by the rules of the data layer's `ObjectStore`."""

from __future__ import annotations

import hashlib
from typing import NamedTuple

from sand.emulator.versions import Cells, check
from sand.errors import BadRequest
from sand.messages import ObjectReply, ObjectRequest
from sand.objects import RANGE_BYTES
from sand.values import OBJECT_BYTES, OCTETS

KEY_BYTES = 1024
TYPE_CHARS = 255
LISTED = 1000


class Stored(NamedTuple):
    """:param sha256: None once the object was written in part"""

    content_type: str
    content: bytes
    sha256: str | None


def check_key(key: str) -> None:
    """Of a shared value or an object, or the beginning of some. :raises BadRequest:"""
    size = len(key.encode("utf-8", "replace"))
    if not size:
        raise BadRequest("a key must not be empty")
    if size > KEY_BYTES:
        raise BadRequest(f"a key of {size} bytes is over the limit of {KEY_BYTES}")


class Objects:
    def __init__(self) -> None:
        self._cells: Cells[Stored] = Cells()

    def call(self, request: ObjectRequest) -> ObjectReply:
        key, expected = request.key, request.if_version
        if request.operation != "list" or key:
            check_key(key)
        match request.operation:
            case "put":
                if request.value is None:
                    raise BadRequest("put needs a value")
                kind, content = request.value.content_type, request.value.bytes or b""
                return ObjectReply(
                    self._cells.put(key, Stored(_type(kind), content, hashlib.sha256(content).hexdigest()), expected)
                )
            case "read":
                return self._read(key, request.offset or 0, request.size or 0, expected)
            case "write":
                return ObjectReply(self._write(request, request.bytes or b"", request.offset or 0))
            case "resize":
                return ObjectReply(self._resize(key, request.size or 0, expected))
            case "info":
                return self._info(key)
            case "delete":
                return ObjectReply(1 if self._cells.delete(key, expected) else 0)
            case "list":
                most = min(max(request.size or 0, 1), LISTED)
                return ObjectReply(0, keys=tuple(self._cells.keys(key, request.after)[:most]))
        raise BadRequest(f'objects have no operation "{request.operation}"')

    def _info(self, key: str) -> ObjectReply:
        found = self._cells.get(key)
        if found is None:
            return ObjectReply(0)
        stored = found.value
        return ObjectReply(found.version, len(stored.content), stored.content_type, None, stored.sha256)

    def _read(self, key: str, offset: int, size: int, expected: int | None) -> ObjectReply:
        _in_one_call(size)
        if offset < 0:
            raise BadRequest(f"no {size} bytes can be read at {offset}")
        found = self._cells.get(key)
        if found is None:
            return ObjectReply(0)
        check(key, found.version, expected)
        return self._info(key)._replace(bytes=found.value.content[offset : offset + size])

    def _write(self, request: ObjectRequest, part: bytes, offset: int) -> int:
        _in_one_call(len(part))
        if offset < 0 or offset + len(part) > OBJECT_BYTES:
            raise BadRequest(
                f"a write at {offset} of {len(part)} bytes is not within the limit of {OBJECT_BYTES} bytes of an object"
            )
        found = self._cells.get(request.key)
        kind = found.value.content_type if found else _type(request.content_type or OCTETS)
        before = found.value.content if found else b""
        if part:
            before = before.ljust(offset, b"\0")
        content = before[:offset] + part + before[offset + len(part) :] if part else before
        return self._cells.put(request.key, Stored(kind, content, None), request.if_version)

    def _resize(self, key: str, size: int, expected: int | None) -> int:
        if not 0 <= size <= OBJECT_BYTES:
            raise BadRequest(f"{size} bytes are not within the limit of {OBJECT_BYTES} bytes of an object")
        found = self._cells.get(key)
        check(key, found.version if found else 0, expected)
        if found is None:
            raise BadRequest(f'there is no object "{key}"')
        content = found.value.content[:size].ljust(size, b"\0")
        return self._cells.put(key, Stored(found.value.content_type, content, None))


def _in_one_call(size: int) -> None:
    if not 0 <= size <= RANGE_BYTES:
        raise BadRequest(f"one call reads or writes at most {RANGE_BYTES} bytes of an object, not {size}")


def _type(kind: str) -> str:
    if len(kind) > TYPE_CHARS:
        raise BadRequest(f"a content type of {len(kind)} characters is over the limit of {TYPE_CHARS}")
    return kind
