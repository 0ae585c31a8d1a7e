"""A connection's bytes: as they are, or in the binary messages of a WebSocket."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import select
import socket
import struct
import threading

from sand.client.frames import PREFACE

_GUID = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
_BINARY, _CONTINUED, _CLOSE, _PING, _PONG = 2, 0, 8, 9, 10
_NORMAL, _NO_TEXT = 1000, 1003
# Of RFC 6455, 4.4; what came before were drafts.
_VERSION = b"13"
_HEAD_BYTES = 8 << 10
_UNREAD_SECONDS = 30


class HungUp(Exception):
    """It is no client of the data plane."""


class Wire:
    """As it is.

    :param begun: what has been read of it
    """

    def __init__(self, raw: socket.socket, begun: bytes = b"") -> None:
        self._socket = raw
        self._room = select.poll()
        self._room.register(raw, select.POLLOUT)
        # Who reads answers a WebSocket's ping, while others send.
        self._sending = threading.Lock()
        self._begun = begun

    def recv_into(self, to: memoryview) -> int:
        if self._begun:
            count = min(len(to), len(self._begun))
            to[:count], self._begun = self._begun[:count], self._begun[count:]
            return count
        return self._socket.recv_into(to)

    def recv_all(self, to: memoryview) -> None:
        while to:
            got = self.recv_into(to)
            if not got:
                raise EOFError
            to = to[got:]

    def send_all(self, data: bytes, rest: memoryview | None = None) -> None:
        with self._sending:
            self._send(data)
            if rest is not None:
                self._send(rest)

    def _send(self, data: bytes | memoryview) -> None:
        """A socket's own time-out counts anew for what it has taken a part of, and tells nothing of that.

        :raises TimeoutError: it has read nothing for so long
        """
        left = memoryview(data)
        while left:
            try:
                left = left[self._socket.send(left, socket.MSG_DONTWAIT) :]
            except BlockingIOError:
                if not self._room.poll(_UNREAD_SECONDS * 1000):
                    raise TimeoutError from None

    def patience(self, seconds: int) -> None:
        """A client that says nothing for so long is cut off."""
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, struct.pack("ll", seconds, 0))

    def farewell(self) -> None:
        """What is said last, without waiting; by whoever is the only one that writes."""

    def close(self) -> None:
        try:
            self._socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass  # the other side was faster


class WebSocketWire(Wire):
    """What binary messages contain, one after another."""

    def __init__(self, raw: socket.socket, begun: bytes) -> None:
        super().__init__(raw, begun)
        self._left = 0
        self._mask = b""
        self._has_closed = False

    def recv_into(self, to: memoryview) -> int:
        while not self._left:
            self._message()
        count = super().recv_into(to[: self._left])
        if not count:
            return 0
        self._left -= count
        mask = (self._mask * (count // 4 + 1))[:count]
        to[:count] = (int.from_bytes(to[:count]) ^ int.from_bytes(mask)).to_bytes(count)
        self._mask = self._mask[count % 4 :] + self._mask[: count % 4]
        return count

    def _plain(self, count: int) -> bytes:
        data = bytearray(count)
        view = memoryview(data)
        while view:
            got = super().recv_into(view)
            if not got:
                raise EOFError
            view = view[got:]
        return bytes(data)

    def _message(self) -> None:
        first, second = self._plain(2)
        length = second & 127
        if length > 125:
            length = int.from_bytes(self._plain(2 if length == 126 else 8))
        if not second & 128:
            raise HungUp("a client's messages are masked")
        self._mask = self._plain(4)
        kind = first & 15
        if kind in (_BINARY, _CONTINUED):
            self._left = length
            return
        data = bytes(byte ^ self._mask[at % 4] for at, byte in enumerate(self._plain(min(length, 125))))
        if kind == _PING:
            super().send_all(bytes((128 | _PONG, len(data))) + data)
        elif kind != _PONG:
            self._say_close(data[:2] if kind == _CLOSE else struct.pack(">H", _NO_TEXT))
            raise HungUp("binary messages only" if kind != _CLOSE else "closed")

    def _say_close(self, code: bytes) -> None:
        if not self._has_closed:
            self._has_closed = True
            with contextlib.suppress(OSError):  # the client has gone, or reads nothing
                self._socket.send(bytes((128 | _CLOSE, len(code))) + code, socket.MSG_DONTWAIT)

    def farewell(self) -> None:
        """RFC 6455, 7.1.1: without it a client cannot tell this from a connection that was lost."""
        self._say_close(struct.pack(">H", _NORMAL))

    def send_all(self, data: bytes, rest: memoryview | None = None) -> None:
        size = len(data) + (len(rest) if rest is not None else 0)
        head = struct.pack(">BB", 128 | _BINARY, size) if size < 126 else struct.pack(">BBQ", 128 | _BINARY, 127, size)
        super().send_all(head + data, rest)


def accepted(raw: socket.socket) -> Wire:
    """By its first bytes. :raises HungUp, OSError:"""
    begun = b""
    while len(begun) < len(PREFACE):
        more = raw.recv(len(PREFACE) - len(begun))
        if not more:
            raise HungUp("it said nothing")
        begun += more
    if begun == b"GET ":
        return _handshake(raw, begun)
    if begun != PREFACE:
        raise HungUp("it begins as no client does")
    return Wire(raw, begun)


def _handshake(raw: socket.socket, begun: bytes) -> WebSocketWire:
    while b"\r\n\r\n" not in begun:
        more = raw.recv(4096)
        if not more:
            raise HungUp("that is no request")
        begun += more
        if len(begun) > _HEAD_BYTES:
            raise _refused(raw, b"431 Request Header Fields Too Large")
    head, _, rest = begun.partition(b"\r\n\r\n")
    line, *lines = head.split(b"\r\n")
    headers = {name.strip().lower(): value.strip() for name, _, value in (one.partition(b":") for one in lines)}
    key = headers.get(b"sec-websocket-key")
    if line.split()[1:2] != [b"/data"] or headers.get(b"upgrade", b"").lower() != b"websocket" or not key:
        raise _refused(raw, b"400 Bad Request")
    if headers.get(b"sec-websocket-version") != _VERSION:
        raise _refused(raw, b"426 Upgrade Required")
    accept = base64.b64encode(hashlib.sha1(key + _GUID).digest())
    raw.sendall(
        b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: "
        + accept + b"\r\n\r\n"
    )  # fmt: skip
    return WebSocketWire(raw, rest)


def _refused(raw: socket.socket, status: bytes) -> HungUp:
    known = b"Sec-WebSocket-Version: " + _VERSION
    raw.sendall(b"HTTP/1.1 " + status + b"\r\n" + known + b"\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
    return HungUp("that is no WebSocket's handshake")
