"""What a client of the emulator's data plane reads, byte for byte, whoever writes to it."""

from __future__ import annotations

import socket
import struct
import threading

import pytest

from sand.emulator.data_plane_wire import WebSocketWire, Wire

SIZE = 16 << 20


def test_a_websockets_pong_stands_between_two_messages_and_never_in_one() -> None:
    here, there = socket.socketpair()
    with here, there:
        there.settimeout(30)
        wire = WebSocketWire(here, b"")
        writes = threading.Thread(target=wire.send_all, args=(bytes(SIZE),), daemon=True)
        writes.start()
        head = there.recv(10, socket.MSG_WAITALL)
        assert struct.unpack(">BBQ", head) == (128 | 2, 127, SIZE)
        there.sendall(bytes((128 | 9, 128 | 1, 0, 0, 0, 0)) + b"p" + bytes((128 | 2, 128 | 1, 0, 0, 0, 0)) + b"d")
        heard = bytearray(1)
        reads = threading.Thread(target=wire.recv_into, args=(memoryview(heard),), daemon=True)
        reads.start()
        left = SIZE
        while left:
            data = there.recv(min(left, 64 << 10))
            assert not any(data)
            left -= len(data)
        assert there.recv(3, socket.MSG_WAITALL) == bytes((128 | 10, 1)) + b"p"
        for thread in (writes, reads):
            thread.join(30)
        assert heard == b"d"


class Room:
    """Of a socket whose other side reads nothing."""

    def __init__(self) -> None:
        self.waits: list[int] = []

    def poll(self, ms: int) -> list[tuple[int, int]]:
        self.waits.append(ms)
        return []


def test_who_reads_nothing_is_waited_for_once_though_the_socket_takes_a_part() -> None:
    here, there = socket.socketpair()
    with here, there:
        wire = Wire(here)
        wire._room = room = Room()
        with pytest.raises(TimeoutError):
            wire.send_all(b"head", memoryview(bytes(SIZE)))
        assert room.waits == [30_000]
