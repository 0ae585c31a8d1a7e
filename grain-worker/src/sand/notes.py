"""A line from an instance to its worker: why it ended without having served. For grains imported in each instance."""

from __future__ import annotations

import os

_LONGEST = 4000  # a write of less than PIPE_BUF bytes is never mixed with another


class Notes:
    """A pipe that the worker makes and its instances inherit."""

    def __init__(self) -> None:
        self._read, self._write = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        self._kept: dict[str, str] = {}

    def leave(self, instance: str, text: str) -> None:
        """In the instance."""
        line = f"{instance} {text}".replace("\n", " ").encode("utf-8", "replace")[:_LONGEST] + b"\n"
        try:
            os.write(self._write, line)
        except BlockingIOError:
            return

    def of(self, instance: str) -> str | None:
        """In the worker, when the instance has ended."""
        try:
            for line in os.read(self._read, 1 << 16).decode("utf-8", "replace").split("\n"):
                name, _, text = line.partition(" ")
                self._kept[name] = text
        except BlockingIOError:
            pass
        return self._kept.pop(instance, None)

    def close(self) -> None:
        """In the instance, once its code is loaded."""
        os.close(self._read)
        os.close(self._write)
