"""Standard output and error of a sandbox's processes, cut into lines and given to whoever's attempt wrote them."""

from __future__ import annotations

import socket
from collections.abc import Callable

from sand.emulator.attempts import Attempt
from sand.emulator.lines import Lines, Origin

_STREAMS = {"1": "stdout", "2": "stderr"}
Whose = Callable[[str], tuple[str | None, Attempt | None]]


class Output:
    """:param origin: of what no attempt wrote
    :param whose: grain and attempt of a process by its name
    """

    def __init__(self, lines: Lines, origin: Origin, whose: Whose) -> None:
        self._lines = lines
        self._origin = origin
        self._whose = whose

    def collect(self, stream: socket.socket) -> None:
        """One connection, to its end. Its first line says which stream of which process it is; logs.py has the protocol."""
        with stream.makefile("rb") as source:
            number, _, process = source.readline().decode("utf-8", "replace").rstrip("\n").partition(" ")
            name = _STREAMS.get(number)
            marked: Origin | None = None
            while name and (raw := source.readline(1 << 16)):
                text = raw.decode("utf-8", "replace").rstrip("\n")
                grain, attempt = self._whose(process)
                if text.startswith("\x1e"):
                    execution, event, at = text[1:].split(" ")
                    marked = self._origin._replace(grain=grain, execution_id=execution, event_id=event, attempt=int(at))
                    continue
                origin = marked or self._origin._replace(grain=grain)
                if marked is None and attempt is not None:
                    origin = origin._replace(
                        execution_id=attempt.execution_id, event_id=attempt.event_id, attempt=attempt.number
                    )
                self._lines.add(origin, name, text)
