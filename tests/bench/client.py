"""A keep-alive HTTP client that costs little, so that what is measured is the server. Loopback only."""

from __future__ import annotations

import socket
import time
from collections.abc import Mapping


class Client:
    """One connection. `call` sends a POST and waits for the whole answer. `headers`: what each has beside."""

    def __init__(self, port: int, timeout: float = 60.0, headers: Mapping[str, str] | None = None) -> None:
        self._headers = "".join(f"{name}: {value}\r\n" for name, value in (headers or {}).items())
        self._socket = socket.create_connection(("127.0.0.1", port), timeout)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._rest = b""

    def call(self, path: str, body: bytes = b"{}", content_type: str = "application/json") -> tuple[int, bytes]:
        """Returns status and body; raises ConnectionError when the server hangs up."""
        head = (
            f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n{self._headers}"
            f"Content-Type: {content_type}\r\nContent-Length: {len(body)}\r\n\r\n"
        ).encode()
        self._socket.sendall(head + body)
        return self._answer()

    def timed(self, path: str, body: bytes = b"{}") -> tuple[float, int, bytes]:
        began = time.perf_counter()
        status, answer = self.call(path, body)
        return time.perf_counter() - began, status, answer

    def _answer(self) -> tuple[int, bytes]:
        data = self._rest
        while (end := data.find(b"\r\n\r\n")) < 0:
            data += self._receive()
        head = data[:end].decode("latin-1")
        status = int(head[9:12])
        headers = {
            name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in head.split("\r\n")[1:])
        }
        start = end + 4
        if headers.get("transfer-encoding", "").lower() == "chunked":
            return status, self._chunks(data[start:])
        length = int(headers.get("content-length", 0))
        while len(data) < start + length:
            data += self._receive()
        self._rest = data[start + length :]
        return status, data[start : start + length]

    def _chunks(self, data: bytes) -> bytes:
        body = b""
        while True:
            while (end := data.find(b"\r\n")) < 0:
                data += self._receive()
            size = int(data[:end], 16)
            while len(data) < end + 2 + size + 2:
                data += self._receive()
            body += data[end + 2 : end + 2 + size]
            data = data[end + 4 + size :]
            if size == 0:
                self._rest = data
                return body

    def _receive(self) -> bytes:
        data = self._socket.recv(1 << 16)
        if not data:
            raise ConnectionError("the server closed the connection")
        return data

    def close(self) -> None:
        self._socket.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
