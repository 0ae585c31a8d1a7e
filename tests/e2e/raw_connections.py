"""Connections of the data plane in a test's hands, frame by frame: over TCP, and in messages of a WebSocket."""

import socket
import time
from typing import Any

from sand.client import frames
from sand.client.calls import new_id


class Raw:
    """A connection in a test's hands."""

    def __init__(self, address: str) -> None:
        host, port = address.split(":")
        self.socket = socket.create_connection((host, int(port)), 20)
        self.reader = frames.Reader(self.socket.recv_into, lambda request, count: None)

    def send(self, *all_frames: Any) -> None:
        self.socket.sendall(b"".join(frame if isinstance(frame, bytes) else frames.encode(frame) for frame in all_frames))

    def hello(self, grant: str) -> Any:
        self.send(frames.PREFACE, frames.Hello(1, grant, "test"))
        return self.reader.next()

    def invoke(self, request: int, function: str, data: bytes, size: int | None = None) -> frames.Invoke:
        size = len(data) if size is None else size
        id = new_id(time.time_ns() // 1_000_000)
        return frames.Invoke(request, id, False, 0, function, "application/octet-stream", size, data)

    def ends(self) -> None:
        """The host hangs up, whatever it still says."""
        try:
            while self.socket.recv(1 << 20):
                pass
        except ConnectionResetError:
            pass


class WebSocket(Raw):
    """The same in messages, masked as a client's are."""

    def __init__(self, address: str) -> None:
        host, port = address.split(":")
        self.socket = socket.create_connection((host, int(port)), 20)
        self.socket.sendall(
            b"GET /data HTTP/1.1\r\nHost: sand\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
        )
        answer = b""
        while b"\r\n\r\n" not in answer:
            answer += self.socket.recv(1)
        assert b" 101 " in answer and b"s3pPLMBiTxaQ9kYGzzhZRbK+xOo=" in answer
        self.left = b""
        self.reader = frames.Reader(self.receive, lambda request, count: memoryview(self.memory)[:count])
        self.memory = bytearray(1 << 20)

    def message(self, kind: int, data: bytes) -> None:
        mask = b"\1\2\3\4"
        masked = bytes(byte ^ mask[at % 4] for at, byte in enumerate(data))
        length = bytes((128 | len(data),)) if len(data) < 126 else bytes((128 | 126,)) + len(data).to_bytes(2, "big")
        self.socket.sendall(bytes((128 | kind,)) + length + mask + masked)

    def send(self, *all_frames: Any) -> None:
        data = b"".join(frame if isinstance(frame, bytes) else frames.encode(frame) for frame in all_frames)
        for at in range(0, len(data), 1000):  # where a message ends means nothing
            self.message(2, data[at : at + 1000])

    def receive(self, to: memoryview) -> int:
        while not self.left:
            head = self.read(2)
            length = head[1] & 127
            if length > 125:
                length = int.from_bytes(self.read(2 if length == 126 else 8), "big")
            data = self.read(length)
            if head[0] & 15 == 8:
                raise EOFError(int.from_bytes(data[:2], "big"))
            self.left = data
        count = min(len(to), len(self.left))
        to[:count], self.left = self.left[:count], self.left[count:]
        return count

    def read(self, count: int) -> bytes:
        data = b""
        while len(data) < count:
            more = self.socket.recv(count - len(data))
            if not more:
                raise EOFError(0)
            data += more
        return data
