"""Reductions (PraaS 6.3): a vector is added to a sum, N times. The sum is a process's state, or Redis has it."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy
from sand.client import Process
from sand.command.ports import free_port

from .peers.brokers import redis
from .table import Row, figure, latency, missing, percentile
from .under_test import APPS, Platform, timed, warm

SIZES = {1 << 10: "1 KiB", 64 << 10: "64 KiB", 1 << 20: "1 MiB"}
TIMES = [1, 10, 100]
ROUNDS = {1: 40, 10: 8, 100: 3}
# Of each size, before the first is measured.
WARM_SECONDS = 25
# What a process promises when a function has ended: it is on disk.
SOCKET = "/tmp/sand-redis-{}.sock"
DURABLE = ("--appendonly", "yes", "--appendfsync", "always")


@contextmanager
def server(*options: str) -> Iterator[int]:
    """A Redis that sandboxes can reach. Yields the number in its socket's name."""
    number = free_port()
    with tempfile.TemporaryDirectory(prefix="sand-redis-", dir="/tmp") as folder:
        path = SOCKET.format(number)
        with redis("--unixsocket", path, "--unixsocketperm", "777", "--dir", folder, *options):
            yield number
    Path(path).unlink(missing_ok=True)


def reduction() -> list[Row]:
    """Both functions run in a process and are invoked in turns over the data plane; what differs is where the sum is. A
    sandbox has no network: Redis is reached through a Unix socket, which takes a sandbox of plain processes."""
    try:
        with Platform("process") as platform, server() as memory, server(*DURABLE) as disk:
            platform.deploy(APPS / "reduction")
            with Process(f"http://127.0.0.1:{platform.port}", "bench-reduction", "sums") as process:
                for size in SIZES:
                    each = [(function, vector(size, port)) for function, port in ways(memory, disk).values()]
                    warm(lambda each=each: [process.invoke(function, given) for function, given in each], WARM_SECONDS)
                return [row for size in SIZES for times in TIMES for row in compared(process, size, times, memory, disk)]
    except (RuntimeError, OSError) as error:
        return [missing("process-reduction", "Redis", " ".join(str(error).split())[:160])]


def compared(process: Process, size: int, times: int, memory: int, disk: int) -> list[Row]:
    compares = ways(memory, disk)
    samples: dict[str, list[float]] = {way: [] for way in compares}
    for round in range(-1, ROUNDS[times]):
        for way, (function, port) in compares.items():
            given = vector(size, port)
            took = timed(lambda function=function, given=given: process.invoke(function, given), times)
            if round >= 0:
                samples[way].append(took)
    id = f"process-reduction-{SIZES[size].replace(' ', '')}-{times}"
    note = f"{SIZES[size]}, {times} in a row"
    ours = percentile(samples[""], 0.5)
    found = [latency(id, "SAND", samples[""], note=f"{note}: the sum is the process's state, on disk when it answers")]
    for way, kept in (("-redis", "in memory alone"), ("-redis-durable", "with appendfsync always, on disk too")):
        found.append(latency(id + way, "Redis", samples[way], note=f"{note}: load, update, store; {kept}"))
        at_least = 1 if way == "-redis" else None
        found.append(figure(f"{id}{way}-ratio", "Redis / SAND", "x", percentile(samples[way], 0.5) / ours, at_least=at_least))
    return found


def ways(memory: int, disk: int) -> dict[str, tuple[str, int]]:
    """By the end of a row's name: the function, and where its Redis is."""
    return {"": ("in_process", 0), "-redis": ("in_redis", memory), "-redis-durable": ("in_redis", disk)}


def vector(size: int, port: int) -> numpy.ndarray:
    given = numpy.arange(size // 8, dtype=numpy.int64)
    given[0] = port
    return given
