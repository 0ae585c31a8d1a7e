"""Echoes over the data plane of cloud processes, from Python and Java, beside a bare TCP echo on the same stack, in turns."""

from __future__ import annotations

import socket
import subprocess
import threading
import time
from collections import defaultdict

from sand.client import Process

from .java import java_bench
from .table import Row, figure, latency, percentile
from .under_test import APPS, Platform

SIZES = {10: "10 B", 1 << 10: "1 KiB", 64 << 10: "64 KiB", 1 << 20: "1 MiB", 5 << 20: "5 MiB"}
ROUNDS = 500
# Against TCP from this size on; below, a function's own share is what there is to see.
COMPARED = 1 << 20
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
        found.append(latency(f"{id}-tcp", "TCP echo", tcp, note="the same bytes, in turns with it"))
        ratio = percentile(plane, 0.5) / percentile(tcp, 0.5)
        found.append(figure(f"{id}-ratio", "SAND / TCP", "x", ratio, at_most=1.3 if size >= COMPARED else None))
    return found


def from_python(server: str) -> Samples:
    samples: Samples = defaultdict(list)
    with Process(server, "dataplane", "bench-python") as process, socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=echo, args=(listener,), daemon=True).start()
        with socket.create_connection(listener.getsockname()) as tcp:
            tcp.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            for size in SIZES:
                value = bytes(size)
                count = ROUNDS // 5 if size > 100_000 else ROUNDS
                for round in range(-count // 2, count):
                    begin = time.perf_counter()
                    process.invoke("echo", value)
                    between = time.perf_counter()
                    there_and_back(tcp, value)
                    end = time.perf_counter()
                    if round >= 0:
                        samples["plane", size].append(between - begin)
                        samples["tcp", size].append(end - between)
    return samples


def there_and_back(tcp: socket.socket, value: bytes) -> None:
    """Sent and received at the same time, or both sides would wait for each other."""
    memory = memoryview(bytearray(len(value)))
    sender = threading.Thread(target=tcp.sendall, args=(value,)) if len(value) > 100_000 else None
    if sender:
        sender.start()
    else:
        tcp.sendall(value)
    while memory:
        memory = memory[tcp.recv_into(memory) :]
    if sender:
        sender.join()


def echo(listener: socket.socket) -> None:
    """What comes goes back as it comes."""
    connection, _ = listener.accept()
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    buffer = memoryview(bytearray(1 << 20))
    with connection:
        while got := connection.recv_into(buffer):
            connection.sendall(buffer[:got])


def from_java(server: str) -> Samples:
    samples: Samples = defaultdict(list)
    command = java_bench("data-plane", "dev.sand.dataplane.client.DataPlaneBench", server, "dataplane", str(ROUNDS))
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, timeout=600, check=True)
    for line in done.stdout.splitlines():
        what, size, ns = line.split()
        samples[what, int(size)].append(int(ns) / 1e9)
    return samples
