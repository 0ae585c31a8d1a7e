"""`context.data.objects`: values of up to 1 GiB, read and written whole or in ranges.

A write is seen whole or not at all: whoever reads has the object as it was before it or after.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from sand import values
from sand.errors import Conflict, NotFound
from sand.messages import ObjectReply, ObjectRequest, Payload
from sand.protocol import OBJECT

RANGE_BYTES = 512 * 1024
_TRIES = 10


class ObjectInfo(NamedTuple):
    """`sha256` in hexadecimal; None once the object was written in part."""

    version: int
    size: int
    content_type: str
    sha256: str | None


class Objects:
    __slots__ = ("_context",)

    def __init__(self, context: Any) -> None:
        self._context = context

    def put(self, key: str, value: Any, if_version: int | None = None) -> int:
        """Writes a whole object, as results are: JSON, bytes or an array. The new version.

        :param if_version: the version that the object must have now; 0: there must be none
        :raises Conflict: it has another
        """
        context = self._context
        encoded = values.encode(value, context.invocation_id, f"the object {key}", context.segments)
        return self._call(ObjectRequest("put", key, encoded, None, None, None, if_version)).version

    def get(self, key: str, default: Any = None) -> Any:
        """The whole object, decoded by its content type."""
        info = self.info(key)
        if info is None:
            return default
        return values.decode(Payload(info.content_type, self.read(key)), self._context.segments)

    def read(self, key: str, offset: int = 0, size: int | None = None, if_version: int | None = None) -> bytes:
        """The bytes from `offset` on, at most `size`; fewer at the end. All of one version.

        :raises NotFound: there is no such object
        """
        for tries in range(_TRIES):
            try:
                return self._read(key, offset, size, if_version)
            except Conflict:
                if if_version is not None or tries == _TRIES - 1:
                    raise
        raise AssertionError("unreachable")

    def _read(self, key: str, offset: int, size: int | None, version: int | None) -> bytes:
        parts: list[bytes] = []
        left = size
        while left is None or left > 0:
            count = RANGE_BYTES if left is None else min(left, RANGE_BYTES)
            reply = self._call(ObjectRequest("read", key, None, offset, count, None, version))
            if reply.version == 0:
                raise NotFound(f"there is no object {key}")
            version = reply.version
            got = reply.bytes or b""
            parts.append(got)
            offset += len(got)
            left = None if left is None else left - len(got)
            if len(got) < count:
                break
        return b"".join(parts)

    def write(self, key: str, offset: int, data: Any, if_version: int | None = None, content_type: str = values.OCTETS) -> int:
        """Writes part of an object, which is made or grows when need be. The new version.

        More than RANGE_BYTES go in several writes, each seen by itself.
        """
        view = memoryview(data).cast("B")
        version = if_version
        at = 0
        while True:
            part = bytes(view[at : at + RANGE_BYTES])
            written = self._call(ObjectRequest("write", key, None, offset + at, None, part, version, content_type)).version
            at += len(part)
            if at >= len(view):
                return written
            version = written if if_version is not None else None

    def resize(self, key: str, size: int, if_version: int | None = None) -> int:
        """Cuts the object, or lets it grow by zeros. The new version."""
        return self._call(ObjectRequest("resize", key, None, None, size, None, if_version)).version

    def info(self, key: str) -> ObjectInfo | None:
        reply = self._call(ObjectRequest("info", key))
        if reply.version == 0:
            return None
        return ObjectInfo(reply.version, reply.size or 0, reply.content_type or values.OCTETS, reply.sha256)

    def delete(self, key: str, if_version: int | None = None) -> bool:
        """Whether there was one."""
        return self._call(ObjectRequest("delete", key, None, None, None, None, if_version)).version == 1

    def list(self, prefix: str = "", after: str | None = None, limit: int = 1000) -> list[str]:
        """Keys in byte order, at most `limit`; the next page is after the last one."""
        return [*(self._call(ObjectRequest("list", prefix, None, None, limit, None, None, None, after)).keys or ())]

    def _call(self, request: ObjectRequest) -> ObjectReply:
        return self._context._connection.call(OBJECT, request)
