"""Reductions (PraaS 6.3): a vector is added to a sum, N times. The sum is a process's state, or Redis has it."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

import numpy
from sand.client import Process
from sand.command.ports import free_port

from .peers.brokers import redis
from .table import Row, figure, latency, missing, percentile
from .under_test import APPS, Platform, timed, warm

SIZES = {1 << 10: "1 KiB", 64 << 10: "64 KiB", 1 << 20: "1 MiB"}
TIMES = [1, 10, 100]
ROUNDS = {1: 200, 10: 30, 100: 15}
PAUSE_SECONDS = 0.03
SOCKET = "/tmp/sand-redis-{}.sock"
# More than a process promises: it is in a file when its function has ended, and on the disk 10 ms later.
DURABLE = ("--appendonly", "yes", "--appendfsync", "always")
# By the end of a row's name: what is said of that Redis, how it is started, and how many times as long it is to take.
REDIS: dict[str, tuple[str, tuple[str, ...], float | None]] = {
    "redis": ("in memory alone", (), 1),
    "redis-durable": ("with appendfsync always, on disk when it answers", DURABLE, None),
}


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
        with ExitStack() as stack:
            platform = stack.enter_context(Platform("process"))
            ports = {name: stack.enter_context(server(*options)) for name, (_, options, _) in REDIS.items()}
            platform.deploy(APPS / "reduction")
            process = stack.enter_context(Process(f"http://127.0.0.1:{platform.port}", "bench-reduction", "sums"))
            for size in SIZES:
                calls = [call for port in ports.values() for call in ways(process, size, port)]
                warm(lambda calls=calls: [call() for call in calls])
            return [row for size in SIZES for times in TIMES for row in compared(process, size, times, ports)]
    except (RuntimeError, OSError) as error:
        return [missing("process-reduction", "Redis", " ".join(str(error).split())[:160])]


def compared(process: Process, size: int, times: int, ports: Mapping[str, int]) -> list[Row]:
    """Each Redis in turns with SAND alone: three in turns are not alike to who comes behind which."""
    id = f"process-reduction-{SIZES[size].replace(' ', '')}-{times}"
    note = f"{SIZES[size]}, {times} in a row"
    found: list[Row] = []
    for name, (kept, _, at_least) in REDIS.items():
        ours, theirs = in_turns(ways(process, size, ports[name]), times)
        beside = "" if not found else f"-beside-{name}"
        found.append(latency(id + beside, "SAND", ours, note=f"{note}: the sum is the process's state, on disk within 10 ms"))
        found.append(latency(f"{id}-{name}", "Redis", theirs, note=f"{note}: load, update, store; {kept}"))
        ratio = percentile(theirs, 0.5) / percentile(ours, 0.5)
        found.append(figure(f"{id}-{name}-ratio", "Redis / SAND", "x", ratio, at_least=at_least))
    return found


def ways(process: Process, size: int, port: int) -> tuple[Callable[[], object], Callable[[], object]]:
    """A sum that is the process's state, and one that a Redis has."""
    ours, theirs = vector(size, 0), vector(size, port)
    return lambda: process.invoke("in_process", ours), lambda: process.invoke("in_redis", theirs)


def in_turns(calls: Sequence[Callable[[], object]], times: int) -> list[list[float]]:
    """Seconds of so many in a row, of each."""
    rounds = [[after_a_pause(call, times) for call in calls] for _ in range(ROUNDS[times] + 1)]
    return [list(each) for each in zip(*rounds[1:], strict=True)]


def after_a_pause(call: Callable[[], object], times: int) -> float:
    """Behind what the other has left to do, as to bring to the disk what it answered, and behind one that is not counted."""
    time.sleep(PAUSE_SECONDS)
    call()
    return timed(call, times)


def vector(size: int, port: int) -> numpy.ndarray:
    given = numpy.arange(size // 8, dtype=numpy.int64)
    given[0] = port
    return given
