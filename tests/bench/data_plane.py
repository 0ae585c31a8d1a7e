"""Echoes over the data plane of cloud processes, from Python and Java, beside bare TCP echoes on the same stack, in turns of a
block of each: call by call, each would measure the caches that the other leaves."""

from __future__ import annotations

import socket
import struct
import subprocess
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from sand.client import Process

from .java import java_bench
from .table import Row, figure, latency, percentile
from .under_test import APPS, WARM_SECONDS, Platform, timed, warm

SIZES = {10: "10 B", 1 << 10: "1 KiB", 64 << 10: "64 KiB", 1 << 20: "1 MiB", 5 << 20: "5 MiB"}
BLOCK = 50
BLOCKS = 10
# Against TCP from this size on; below, a function's own share is what there is to see.
COMPARED = 1 << 20
LENGTH = struct.Struct(">I")
Samples = dict[tuple[str, int], list[float]]


def data_plane(sandbox: str) -> list[Row]:
    with Platform(sandbox) as platform:
        platform.deploy(APPS / "dataplane")
        server = f"http://127.0.0.1:{platform.port}"
        return [*rows("python", from_python(server)), *rows("java", from_java(server))]


def rows(client: str, samples: Samples) -> list[Row]:
    found = []
    for size, name in SIZES.items():
        plane, tcp = samples["plane", size], samples["tcp", size]
        id = f"data-plane-{client}-{name.replace(' ', '')}"
        note = f"{name} there and back, {client} client"
        found.append(latency(id, "SAND", plane, at_most=0.4 if size == 10 else None, note=note))
        note = "the same bytes, whole there and then back, in turns of blocks"
        found.append(latency(f"{id}-tcp", "TCP echo", tcp, note=note))
        ratio = percentile(plane, 0.5) / percentile(tcp, 0.5)
        found.append(figure(f"{id}-ratio", "SAND / TCP", "x", ratio, at_most=1.3 if size >= COMPARED else None))
        stream = samples["stream", size]
        note = "the same bytes, each back as soon as it has come: no function can do that"
        found.append(latency(f"{id}-tcp-stream", "TCP echo", stream, note=note))
    return found


def from_python(server: str) -> Samples:
    samples: Samples = defaultdict(list)
    with Process(server, "dataplane", "bench-python") as process, echoing(whole) as tcp, echoing(as_it_comes) as stream:
        for size in SIZES:
            warm(lambda value=bytes(size): process.invoke("echo", value))
        for size in SIZES:
            value = bytes(size)
            ways = {
                "plane": lambda value=value: process.invoke("echo", value),
                "tcp": lambda value=value: there_and_back(tcp, value),
                "stream": lambda value=value: there_while_back(stream, value),
            }
            for block in range(-1, BLOCKS):
                for way, call in ways.items():
                    took = [timed(call) for _ in range(BLOCK)]
                    if block >= 0:
                        samples[way, size] += took
    return samples


@contextmanager
def echoing(echo: Callable[[socket.socket], None]) -> Iterator[socket.socket]:
    """A connection to a thread that echoes."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=lambda: echo(listener.accept()[0]), daemon=True).start()
        with socket.create_connection(listener.getsockname()) as connection:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            yield connection


def there_and_back(tcp: socket.socket, value: bytes) -> None:
    sent = tcp.sendmsg([LENGTH.pack(len(value)), value]) - LENGTH.size
    tcp.sendall(memoryview(value)[sent:])
    read(tcp, memoryview(bytearray(len(value))))


def whole(connection: socket.socket) -> None:
    """What a server does that has to have a value whole, as a function has."""
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    memory = memoryview(bytearray(max(SIZES)))
    with connection:
        while head := connection.recv(LENGTH.size, socket.MSG_WAITALL):
            value = memory[: LENGTH.unpack(head)[0]]
            read(connection, value)
            connection.sendall(value)


def read(connection: socket.socket, memory: memoryview) -> None:
    while memory:
        memory = memory[connection.recv_into(memory) :]


def there_while_back(tcp: socket.socket, value: bytes) -> None:
    """Sent and received at the same time, or both sides would wait for each other."""
    sender = threading.Thread(target=tcp.sendall, args=(value,)) if len(value) > 100_000 else None
    if sender:
        sender.start()
    else:
        tcp.sendall(value)
    read(tcp, memoryview(bytearray(len(value))))
    if sender:
        sender.join()


def as_it_comes(connection: socket.socket) -> None:
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    buffer = memoryview(bytearray(1 << 20))
    with connection:
        while got := connection.recv_into(buffer):
            connection.sendall(buffer[:got])


def from_java(server: str) -> Samples:
    samples: Samples = defaultdict(list)
    arguments = [server, "dataplane", *map(str, (BLOCKS, BLOCK, WARM_SECONDS))]
    command = java_bench("data-plane", "dev.sand.dataplane.client.DataPlaneBench", *arguments)
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, timeout=600, check=True)
    for line in done.stdout.splitlines():
        what, size, ns = line.split()
        samples[what, int(size)].append(int(ns) / 1e9)
    return samples
