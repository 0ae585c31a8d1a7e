"""What grains write, line by line: kept for the API, and shown to whoever watches the terminal."""

from __future__ import annotations

import json
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Any, NamedTuple

KEPT_LINES = 20_000
ATTEMPT_BYTES = 256 * 1024
_COUNTED = 1000
LINE_BYTES = 16 * 1024
"""Of one line: the rest is dropped."""
LEVELS = ("debug", "info", "warning", "error", "critical")
STREAMS = ("stdout", "stderr", "platform")
_AS_LEVELS = {name: LEVELS.index(name) for name in LEVELS} | {
    "trace": 0, "notice": 1, "warn": 2, "severe": 3, "fatal": 4, "alert": 4, "emergency": 4,
}  # fmt: skip


class Origin(NamedTuple):
    """Whose output it is; without an attempt the worker's own (an import's)."""

    application: str
    version: int
    grain: str | None = None
    execution_id: str | None = None
    event_id: str | None = None
    attempt: int = 0


class Which(NamedTuple):
    """Lines that are asked for; None: of all."""

    execution_id: str | None = None
    grain: str | None = None
    process: str | None = None
    text: str | None = None
    level: str | None = None
    streams: frozenset[str] | None = None

    def has(self, line: dict[str, Any]) -> bool:
        return (
            self.execution_id in (None, line["executionId"])
            and self.grain in (None, line["grain"])
            and self.process in (None, line["process"])
            and (self.streams is None or line["stream"] in self.streams)
            and (self.level is None or gravity(line) >= LEVELS.index(self.level))
            and (self.text is None or self.text.lower() in line["text"].lower())
        )


class Lines:
    """The newest lines of all applications."""

    def __init__(self, show: Callable[[dict[str, Any]], None] | None = None) -> None:
        self.changed = threading.Condition()
        self._kept: deque[tuple[str, dict[str, Any]]] = deque(maxlen=KEPT_LINES)
        self._sequence = 0
        self._show = show
        self._written: dict[Origin, int] = {}
        self._processes: dict[str, tuple[str, str]] = {}
        """In which the last executions run."""

    def add(self, origin: Origin, stream: str, text: str, is_shown: bool = True) -> None:
        """Keeps the line, unless its attempt has written too much. :param is_shown: on the terminal too"""
        cut = text.encode("utf-8", "replace")[:LINE_BYTES]
        if origin.event_id is None or self._has_room(origin, len(cut)):
            kept = cut.decode("utf-8", "replace")
            self._keep(origin, stream, level(kept), kept, is_shown)

    def _has_room(self, origin: Origin, size: int) -> bool:
        with self.changed:
            before = self._written.pop(origin, 0)
            self._written[origin] = before + size
            if len(self._written) > _COUNTED:
                del self._written[next(iter(self._written))]
        if before <= ATTEMPT_BYTES < before + size:
            words = f"truncated: one attempt's output is kept up to {ATTEMPT_BYTES} bytes"
            self._keep(origin, "platform", "warning", words)
        return before + size <= ATTEMPT_BYTES

    def _keep(self, origin: Origin, stream: str, grade: str | None, text: str, is_shown: bool = True) -> None:
        line = self._line(origin, stream, grade, text)
        with self.changed:
            self._sequence += 1
            line["sequence"] = self._sequence
            self._kept.append((origin.application, line))
            self.changed.notify_all()
        if is_shown and self._show is not None:
            self._show(line)

    def failed(self, origin: Origin, text: str) -> None:
        """How an execution ended, for whoever watches; its record has it, and so no log."""
        if self._show is not None:
            self._show(self._line(origin, "platform", "error", text))

    def _line(self, origin: Origin, stream: str, grade: str | None, text: str) -> dict[str, Any]:
        return {
            "sequence": 0, "epochMs": time.time_ns() // 1_000_000, "version": origin.version, "grain": origin.grain,
            "executionId": origin.execution_id, "eventId": origin.event_id, "attempt": origin.attempt, "stream": stream,
            "level": grade, "text": text, "process": self._processes.get(origin.execution_id or "", (None, None))[1],
        }  # fmt: skip

    def runs_in(self, execution_id: str, application: str, process: str) -> None:
        with self.changed:
            self._processes[execution_id] = (application, process)
            if len(self._processes) > KEPT_LINES:
                del self._processes[next(iter(self._processes))]

    def delete_process(self, application: str, process: str) -> None:
        """What was written in it so far is found under its name no more, nor is what its functions still write."""
        with self.changed:
            for execution_id in [one for one, of in self._processes.items() if of == (application, process)]:
                del self._processes[execution_id]
            for whose, line in self._kept:
                if whose == application and line["process"] == process:
                    line["process"] = None

    def after(self, application: str, which: Which, sequence: int, limit: int) -> tuple[list[Any], bool]:
        """The first lines behind one, and whether there are more."""
        found = [line for line in self._of(application, which) if line["sequence"] > sequence]
        return found[:limit], len(found) > limit

    def before(self, application: str, which: Which, sequence: int | None, limit: int) -> tuple[list[Any], bool]:
        """The last lines before one, or of all, oldest first; and whether there are more."""
        found = [line for line in self._of(application, which) if sequence is None or line["sequence"] < sequence]
        return found[-limit:], len(found) > limit

    def _of(self, application: str, which: Which) -> list[dict[str, Any]]:
        with self.changed:
            return [line for whose, line in self._kept if whose == application and which.has(line)]


def gravity(line: dict[str, Any]) -> int:
    """Of LEVELS, as the platform counts them: what was printed, or has a level that nobody knows, counts by its stream."""
    return _AS_LEVELS.get((line["level"] or "").lower(), 3 if line["stream"] == "stderr" else 1)


def level(text: str) -> str | None:
    """Of a structured line: one JSON object with "level" and "message"."""
    if not (text.startswith("{") and '"level"' in text and '"message"' in text):
        return None
    try:
        record = json.loads(text)
    except ValueError:
        return None
    found = record.get("level")
    return found if isinstance(found, str) and "message" in record else None
