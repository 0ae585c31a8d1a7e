"""The files that a ResultWriter makes of a Map's results: by how they ended, and a manifest of them."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Any

from sand.asl import document, limits
from sand.values import JSON

FAILED, PENDING, SUCCEEDED = "FAILED", "PENDING", "SUCCEEDED"
_LINES = "application/x-ndjson"


@dataclass(frozen=True, slots=True)
class Piece:
    """Part of an object; is_last: it ends with it."""

    key: str
    content_type: str
    offset: int
    content: bytes
    is_last: bool


class _Filling:
    """The file of a kind that is being filled."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.written = 0
        self.is_empty = True
        self.content = bytearray()


class ResultFiles:
    """What is gathered is handed out as pieces to write, one after the other."""

    def __init__(self, bucket: str | None, folder: str, is_lines: bool, map_run: str) -> None:
        """folder: of this run's files, below the bucket; map_run: its name."""
        self._bucket = bucket
        self._folder = folder
        self._is_lines = is_lines
        self._map_run = map_run
        self._filling: dict[str, _Filling] = {}
        self._made: dict[str, list[dict[str, Any]]] = {FAILED: [], PENDING: [], SUCCEEDED: []}
        self._waiting: deque[Piece] = deque()
        self._waiting_bytes = 0
        self._last: Piece | None = None
        """Handed out last."""

    def add(self, kind: str, result: Any) -> None:
        file = self._filling.setdefault(kind, _Filling(0))
        if not self._is_lines:
            file.content += b"[" if file.is_empty else b","
        file.content += document.write(result).encode("utf-8", "replace")
        if self._is_lines:
            file.content += b"\n"
        file.is_empty = False
        if file.written + len(file.content) >= limits.RESULT_FILE_BYTES:
            self._end(kind, file)
        elif len(file.content) >= limits.RESULT_WRITE_BYTES:
            self._write(kind, file, False)

    def _write(self, kind: str, file: _Filling, is_last: bool) -> None:
        self._put(self._name(kind, file), _LINES if self._is_lines else JSON, file.written, bytes(file.content), is_last)
        file.written += len(file.content)
        file.content = bytearray()

    def _put(self, name: str, content_type: str, offset: int, content: bytes, is_last: bool) -> None:
        self._waiting.append(Piece(self._key(name), content_type, offset, content, is_last))
        self._waiting_bytes += len(content)

    def _end(self, kind: str, file: _Filling) -> None:
        if not self._is_lines:
            file.content += b"]"
        self._write(kind, file, True)
        self._made[kind].append({"Key": self._name(kind, file), "Size": file.written})
        self._filling[kind] = _Filling(file.number + 1)

    def _name(self, kind: str, file: _Filling) -> str:
        return f"{self._folder}/{kind}_{file.number}.{'jsonl' if self._is_lines else 'json'}"

    def close(self) -> None:
        """Nothing is added any more: the last pieces, and the manifest."""
        for kind, file in list(self._filling.items()):
            if not file.is_empty:
                self._end(kind, file)
        manifest = {"DestinationBucket": self._bucket, "MapRunArn": self._map_run, "ResultFiles": self._made}
        self._put(f"{self._folder}/manifest.json", JSON, 0, document.write(manifest).encode("utf-8", "replace"), True)

    def poll(self) -> Piece | None:
        """What is to be written next."""
        self._last = self._waiting.popleft() if self._waiting else None
        self._waiting_bytes -= 0 if self._last is None else len(self._last.content)
        return self._last

    def give_back(self) -> None:
        """Nobody knows whether what was handed out last is written."""
        if self._last is not None:
            self._waiting.appendleft(self._last)
            self._waiting_bytes += len(self._last.content)
            self._last = None

    def reopen(self) -> None:
        """The run is redriven: what had not succeeded is told anew, in files with the next numbers; those of before are in no
        manifest."""
        lasting = self._key(f"{self._folder}/{SUCCEEDED}_")
        self._waiting = deque(piece for piece in self._waiting if piece.key.startswith(lasting))
        self._waiting_bytes = sum(len(piece.content) for piece in self._waiting)
        for kind in (FAILED, PENDING):
            self._made[kind] = []
            if (file := self._filling.get(kind)) is not None and not file.is_empty:
                self._filling[kind] = _Filling(file.number + 1)

    def _key(self, name: str) -> str:
        return name if self._bucket is None else f"{self._bucket}/{name}"

    @property
    def is_behind(self) -> bool:
        """More waits to be written than should: iterations are not begun until it is."""
        return self._waiting_bytes > 2 * limits.RESULT_WRITE_BYTES

    def details(self) -> dict[str, Any]:
        """The state's result."""
        where = {"Bucket": self._bucket, "Key": f"{self._folder}/manifest.json"}
        return {"MapRunArn": self._map_run, "ResultWriterDetails": where}
