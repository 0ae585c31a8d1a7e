"""Standard output and error of the sandbox's processes, as connections to log.sock, and `context.logger`.

A connection begins with "1 <process>" or "2 <process>"; a line "\\x1e<execution> <event> <attempt>" begins each attempt.
Output that the collector does not read in time is dropped: logs never hold up a result.
"""

from __future__ import annotations

import io
import os
import select
import sys
import time
from _socket import SO_SNDTIMEO, SOL_SOCKET, socket
from json import JSONEncoder
from os import dup2, write
from struct import pack
from typing import Any

from sand.connection import ConnectionClosed, connect

# How long one write may wait for the collector before output is dropped.
PATIENCE_SECONDS = 1
_TIMEOUT = pack("ll", PATIENCE_SECONDS, 0)
_to_json = JSONEncoder(ensure_ascii=False, default=repr, separators=(",", ":")).encode


_LINE_END = 10
_files: dict[int, _LogFile] = {}
"""What sys.stdout and sys.stderr write to, by descriptor."""


class _LogFile(io.FileIO):
    """A descriptor whose writes never fail: what cannot be written is lost, as the collector's bounds would have it."""

    _process = 0
    _stalled = False
    has_open_line = False

    def write(self, data: Any) -> int:
        size = len(data) if isinstance(data, bytes) else memoryview(data).nbytes
        if size:
            self.has_open_line = data[-1] != _LINE_END
        try:
            if self._process != os.getpid():
                self._begin()
            if self._stalled and not _writable(self.fileno()):
                return size
            written = super().write(data)
        except OSError:
            return size
        # A blocking write that comes back with less has waited in vain.
        self._stalled = written is None or written < size
        return size

    def _begin(self) -> None:
        """The process's first output: an instance that writes nothing is spared this."""
        self._process = os.getpid()
        self._stalled = False
        stream = socket(fileno=os.dup(self.fileno()))
        try:
            stream.setsockopt(SOL_SOCKET, SO_SNDTIMEO, _TIMEOUT)
        finally:
            stream.close()


def _writable(fd: int) -> bool:
    poller = select.poll()
    poller.register(fd, select.POLLOUT)
    return bool(poller.poll(0))


def install_streams() -> None:
    """Once, in the supervisor: sys.stdout and sys.stderr by line, as all its descendants use them."""
    sys.stdout = _stream(1, "stdout")
    sys.stderr = _stream(2, "stderr")


def _stream(fd: int, name: str) -> io.TextIOWrapper:
    raw = _LogFile(fd, "wb", closefd=False)
    raw.name = f"<{name}>"
    _files[fd] = raw
    return io.TextIOWrapper(io.BufferedWriter(raw), encoding="utf-8", errors="backslashreplace", line_buffering=True)


def attach(directory: str, process: str) -> bool:
    """Makes descriptors 1 and 2 this process's own connections to the collector; false when there is none."""
    for fd in (1, 2):
        try:
            stream = connect(f"{directory}/log.sock")
        except ConnectionClosed:
            return False
        dup2(stream.fileno(), fd)
        stream.close()
        mark(fd, f"{fd} {process}\n".encode())
        if fd in _files:
            _files[fd].has_open_line = False
    return True


def mark(fd: int, line: bytes) -> None:
    """A line of the collector's own, past the stream's buffer."""
    try:
        write(fd, line)
    except OSError:
        pass


def mark_attempt(fd: int, line: bytes) -> None:
    """As `mark`, behind a line that the attempt before has left without its end."""
    file = _files.get(fd)
    if file is not None and file.has_open_line:
        file.has_open_line = False
        line = b"\n" + line
    mark(fd, line)


def flush() -> None:
    """Whatever sys.stdout is by now: user code may have replaced or closed it."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except Exception:
            continue


class Logger:
    """`context.logger`: one JSON object a line, on standard output. Extra keyword arguments become fields."""

    __slots__ = ()

    def _write(self, level: str, message: object, args: tuple[object, ...], fields: dict[str, object]) -> None:
        text = str(message)
        if args:
            try:
                text = text % args
            except (TypeError, ValueError):
                text = f"{text} {args!r}"
        record = {"level": level, "message": text, "time": _now(), **fields}
        try:
            line = _to_json(record)
        except (ValueError, TypeError, RecursionError):
            line = _to_json({**record, **{name: repr(value) for name, value in fields.items()}})
        sys.stdout.write(line + "\n")

    def debug(self, message: object, *args: object, **fields: object) -> None:
        self._write("debug", message, args, fields)

    def info(self, message: object, *args: object, **fields: object) -> None:
        self._write("info", message, args, fields)

    def warning(self, message: object, *args: object, **fields: object) -> None:
        self._write("warning", message, args, fields)

    def error(self, message: object, *args: object, **fields: object) -> None:
        self._write("error", message, args, fields)

    def exception(self, message: object, *args: object, **fields: object) -> None:
        """As error, with the traceback of the exception that is being handled."""
        import traceback

        self._write("error", message, args, {**fields, "exception": traceback.format_exc().rstrip()})


def _now() -> str:
    seconds, nanos = divmod(time.time_ns(), 1_000_000_000)
    moment = time.gmtime(seconds)
    return f"{time.strftime('%Y-%m-%dT%H:%M:%S', moment)}.{nanos // 1_000_000:03d}Z"
