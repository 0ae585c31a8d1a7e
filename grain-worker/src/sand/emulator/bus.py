"""The host agent's end of a sandbox's sockets: calls from bytes, answers to bytes, a thread a connection."""

from __future__ import annotations

import array
import contextlib
import socket
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sand import wire
from sand.errors import SandError
from sand.messages import BusError
from sand.protocol import METHODS, Method

_ARGUMENT = b"\x0c\0\1"


def decode_call(frame: bytes) -> tuple[Method, Any, int]:
    """Method, argument and sequence number of a frame without its length.

    :raises wire.ProtocolError: it is no call of the protocol
    """
    _, name, sequence, at = wire.header(frame)
    method = METHODS.get(name)
    if method is None or frame[at : at + 3] != _ARGUMENT:
        raise wire.ProtocolError(f"no call that a host agent knows: {name}")
    argument, _ = method.argument.decode(frame, at + 3)
    return method, argument, sequence


def encode_answer(method: Method, sequence: int, value: Any) -> bytes:
    """The frame of a call's result; a BusError refuses it."""
    body: list[bytes] = []
    if isinstance(value, BusError):
        body += (b"\x0c\0\1\x0b\0\1", *_text(value.error), b"\x0b\0\2", *_text(value.message), b"\0")
    elif method.result is not None:
        body.append(bytes((method.result.code, 0, 0)))
        method.result.encode(body, value)
    body.append(b"\0")
    return wire.message(wire.REPLY, method.name, sequence, body)


def _text(text: str) -> list[bytes]:
    parts: list[bytes] = []
    wire.TEXT.encode(parts, text)
    return parts


class Caller:
    """One connection of a process in the sandbox. `name` is what it said it is."""

    def __init__(self, stream: socket.socket) -> None:
        self._stream = stream
        self._lock = threading.Lock()
        self.name = ""

    def frames(self) -> Any:
        """Frames without their length, until the other end is gone."""
        while True:
            head = self._stream.recv(4, socket.MSG_WAITALL)
            if len(head) < 4:
                return
            size = int.from_bytes(head, "big")
            frame = self._stream.recv(size, socket.MSG_WAITALL)
            if len(frame) < size:
                return
            yield frame

    def answer(self, method: Method, sequence: int, value: Any, descriptor: int | None = None) -> None:
        frame = encode_answer(method, sequence, value)
        # A process that has died gets no answer, and needs none.
        with self._lock, contextlib.suppress(OSError):
            if descriptor is None:
                self._stream.sendall(frame)
                return
            rights = array.array("i", [descriptor])
            sent = self._stream.sendmsg([frame], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, rights)])
            self._stream.sendall(frame[sent:])

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self._stream.shutdown(socket.SHUT_RDWR)


def listen(path: Path, serve: Callable[[socket.socket], None]) -> socket.socket:
    """Serves each connection on a thread of its own until the listener is shut down."""
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(str(path))
    listener.listen(512)

    def one(stream: socket.socket) -> None:
        with stream, contextlib.suppress(OSError):
            serve(stream)

    def accept() -> None:
        while True:
            try:
                stream, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=one, args=(stream,), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    return listener


def refused(error: SandError) -> BusError:
    return BusError(error.error, str(error))
