"""A connection's socket, plain or over TLS: who reads looks up now and then, and who writes waits for no longer than he may."""

from __future__ import annotations

import select
import socket
import ssl
import struct
import threading
import time
from collections.abc import Sequence

# How often the reader looks up from its connection, and a writer whether its time is over.
TICK_SECONDS = 0.5

Piece = Sequence[memoryview]
"""What one frame has of a value."""


class Plain:
    """A socket that is read by one thread and written by others."""

    def __init__(self, raw: socket.socket) -> None:
        self._socket = raw
        seconds = int(TICK_SECONDS)
        tick = struct.pack("ll", seconds, int((TICK_SECONDS - seconds) * 1_000_000))
        raw.settimeout(None)
        # The kernel waits: that is quicker than to ask it first.
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, tick)
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, tick)

    def recv_into(self, to: memoryview) -> int | None:
        """None: nothing has come for a while."""
        try:
            return self._socket.recv_into(to)
        except BlockingIOError:
            return None

    def send_all(self, head: bytes, rest: Piece, until: float) -> None:
        """:raises OSError: the host has not taken it in time, among others"""
        left = [memoryview(head), *rest]
        while True:
            try:
                sent = self._socket.sendmsg(left)
            except BlockingIOError:
                sent = 0
            while left and sent >= len(left[0]):
                sent -= len(left.pop(0))
            if not left:
                return
            left[0] = left[0][sent:]
            _in_time(until)

    def send_now(self, data: bytes) -> int:
        """How much of it the socket had room for."""
        try:
            return self._socket.send(data, socket.MSG_DONTWAIT)
        except BlockingIOError:
            return 0

    def close(self) -> None:
        _hang_up(self._socket)


class Encrypted:
    """The same over TLS, whose state reading and writing share: one at a time, and nobody waits inside."""

    def __init__(self, raw: socket.socket, host: str, context: ssl.SSLContext) -> None:
        self._socket = context.wrap_socket(raw, server_hostname=host)
        self._socket.setblocking(False)
        self._lock = threading.RLock()  # whoever closes by a signal may have it

    def recv_into(self, to: memoryview) -> int | None:
        try:
            with self._lock:
                return self._socket.recv_into(to)
        except (ssl.SSLWantReadError, ssl.SSLWantWriteError):
            self._await(select.POLLIN)
            return None

    def send_all(self, head: bytes, rest: Piece, until: float) -> None:
        for part in (memoryview(head), *rest):
            while part:
                try:
                    with self._lock:
                        part = part[self._socket.send(part) :]
                except (ssl.SSLWantReadError, ssl.SSLWantWriteError):
                    _in_time(until)
                    self._await(select.POLLOUT)

    def send_now(self, data: bytes) -> int:
        try:
            with self._lock:
                return self._socket.send(data)
        except (ssl.SSLWantReadError, ssl.SSLWantWriteError):
            return 0

    def _await(self, events: int) -> None:
        number = self._socket.fileno()
        if number < 0:
            raise OSError("it is closed")
        waiting = select.poll()
        waiting.register(number, events)
        waiting.poll(TICK_SECONDS * 1000)

    def close(self) -> None:
        with self._lock:  # what is sent while TLS is taken off the socket would go out as it is
            _hang_up(self._socket)


def _hang_up(raw: socket.socket) -> None:
    try:
        raw.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass  # the other side was faster
    raw.close()


def _in_time(until: float) -> None:
    if time.monotonic() > until:
        raise TimeoutError("the host takes nothing")
