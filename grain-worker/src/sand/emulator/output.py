"""Standard output and error of a sandbox's processes, cut into lines and given to whoever's attempt wrote them."""

from __future__ import annotations

import array
import fcntl
import select
import socket
import termios
import threading
from collections import OrderedDict
from collections.abc import Callable

from sand.emulator.attempts import Attempt
from sand.emulator.lines import LINE_BYTES, Lines, Origin

_STREAMS = {"1": "stdout", "2": "stderr"}
_READ_BYTES = 1 << 16
# Processes whose streams are known; of most, all has been read long since.
_KNOWN = 1_000
# How long a process that has answered may take to be heard of here: its streams were connected before it took its event.
_PATIENCE_SECONDS = 1.0
Whose = Callable[[str], tuple[str | None, Attempt | None]]


class _Stream:
    """One connection. Its own thread reads it, and whoever wants all that was written until now.

    :param take: gets each line, without its end
    """

    def __init__(self, stream: socket.socket, take: Callable[[bytes], None]) -> None:
        self._socket = stream
        self._take = take
        self._lock = threading.Lock()
        self._open_line = b""
        self._has_ended = False

    def read(self) -> None:
        """Until its end."""
        poller = select.poll()
        poller.register(self._socket, select.POLLIN)
        while True:
            poller.poll()
            with self._lock:
                try:
                    data = self._socket.recv(_READ_BYTES, socket.MSG_DONTWAIT)
                except BlockingIOError:  # somebody else has read it
                    continue
                if not data:
                    self._has_ended = True
                    self._cut(self._open_line + b"\n" if self._open_line else b"")
                    return
                self._cut(self._open_line + data)

    def catch_up(self) -> None:
        """What has been written and not been read."""
        with self._lock:
            if self._has_ended:
                return
            left = array.array("i", [0])
            fcntl.ioctl(self._socket, termios.FIONREAD, left)
            while left[0] > 0 and (data := self._socket.recv(min(left[0], _READ_BYTES), socket.MSG_DONTWAIT)):
                left[0] -= len(data)
                self._cut(self._open_line + data)

    def _cut(self, text: bytes) -> None:
        *lines, open_line = text.split(b"\n")
        for line in lines:
            self._take(line)
        self._open_line = open_line[:LINE_BYTES]


class Output:
    """:param origin: of what no attempt wrote
    :param whose: grain and attempt of a process by its name
    """

    def __init__(self, lines: Lines, origin: Origin, whose: Whose) -> None:
        self._lines = lines
        self._origin = origin
        self._whose = whose
        self._changed = threading.Condition()
        # By process: the streams that it has, once their first lines have come, and None for one that has ended.
        self._streams: OrderedDict[str, list[_Stream | None]] = OrderedDict()

    def collect(self, connection: socket.socket) -> None:
        """One connection, to its end. Its first line says which stream of which process it is; logs.py has the protocol."""
        process, name = "", ""
        marked: Origin | None = None

        def take(line: bytes) -> None:
            nonlocal process, name, marked
            text = line.decode("utf-8", "replace")
            if not process:
                number, _, process = text.partition(" ")
                # What no instance writes, a worker's import or a supervisor, is the platform's.
                is_instance = process.rpartition(".")[2].startswith("i")
                name = _STREAMS[number] if is_instance and number in _STREAMS else "platform"
                self._begun(process, stream)
            elif text.startswith("\x1e"):
                # An event's id may have spaces, since states' names may.
                execution, _, rest = text[1:].partition(" ")
                event, _, number = rest.rpartition(" ")
                grain, _ = self._whose(process)
                marked = self._origin._replace(grain=grain, execution_id=execution, event_id=event, attempt=int(number))
            else:
                self._lines.add(marked or self._unmarked(process), name, text)

        stream = _Stream(connection, take)
        try:
            stream.read()
        finally:
            with self._changed:
                known = self._streams.get(process, [])
                known[:] = [None if one is stream else one for one in known]

    def _begun(self, process: str, stream: _Stream) -> None:
        with self._changed:
            self._streams.setdefault(process, []).append(stream)
            if len(self._streams) > _KNOWN:
                self._streams.popitem(last=False)
            self._changed.notify_all()

    def _unmarked(self, process: str) -> Origin:
        grain, attempt = self._whose(process)
        origin = self._origin._replace(grain=grain)
        if attempt is None:
            return origin
        return origin._replace(execution_id=attempt.execution_id, event_id=attempt.event_id, attempt=attempt.number)

    def catch_up(self, process: str) -> None:
        """Returns when all whole lines that the process has written are kept."""
        with self._changed:
            self._changed.wait_for(lambda: len(self._streams.get(process, ())) == len(_STREAMS), _PATIENCE_SECONDS)
            streams = [stream for stream in self._streams.get(process, ()) if stream is not None]
        for stream in streams:
            stream.catch_up()
