"""An application's objects, as its workflows read and write them: through the calls that `context.data.objects` makes."""

from __future__ import annotations

from typing import Any

from sand.asl.objects import ItemFault, Listed
from sand.emulator.data import Data
from sand.errors import SandError
from sand.messages import ObjectReply, ObjectRequest
from sand.objects import RANGE_BYTES

_PAGE = 1000


class WorkflowObjects:
    def __init__(self, data: Data) -> None:
        self._data = data

    def _call(self, operation: str, key: str, **more: Any) -> ObjectReply:
        try:
            reply: ObjectReply = self._data.call("object", ObjectRequest(operation, key, **more), "workflow")
        except SandError as e:
            raise ItemFault(f"The object {key} cannot be used: {e}") from None
        return reply

    def content(self, key: str, version: int | None) -> bytes:
        info = self._call("info", key)
        if info.version == 0:
            raise ItemFault(f"There is no object {key}.")
        if version not in (None, info.version):
            raise ItemFault(
                f"The object {key} was to be read at version {version} and is at version {info.version}: it was replaced."
            )
        parts = []
        for offset in range(0, info.size or 0, RANGE_BYTES):
            part = self._call("read", key, offset=offset, size=RANGE_BYTES, if_version=info.version)
            parts.append(part.bytes or b"")
        return b"".join(parts)

    def listed(self, prefix: str) -> list[Listed]:
        found: list[Listed] = []
        keys = self._call("list", prefix, size=_PAGE).keys
        while keys:
            for key in keys:
                info = self._call("info", key)
                found.append(Listed(key, info.size or 0, info.sha256 or f"v{info.version}"))
            keys = self._call("list", prefix, size=_PAGE, after=keys[-1]).keys
        return found

    def write(self, key: str, content_type: str, offset: int, content: bytes, is_last: bool) -> None:
        for at in range(0, len(content), RANGE_BYTES):
            part = content[at : at + RANGE_BYTES]
            self._call("write", key, offset=offset + at, bytes=part, content_type=content_type)
        if is_last and (self._call("info", key).size or 0) > offset + len(content):
            self._call("resize", key, size=offset + len(content))
