"""Swapping (PraaS 6.6, table 4): out to the global data layer and in again, once more after little has changed, and the same
bytes through the platform's object store."""

from __future__ import annotations

import time
import urllib.request

from sand.client import Process

from .client import Client
from .table import Row, latency
from .under_test import Platform

PROCESSES = "/api/v1/applications/processes/processes"
# The paper's, of a Fargate container to S3, in ms.
FARGATE_MS = {1: 98.4, 10: 232.0, 100: 1719.3, 200: 3480.4}
ROUNDS = {1: 15, 10: 8, 100: 4, 200: 3}
FIRST_CALLS = 40
# Values of 1 MiB, and how many of them are in memory.
OVERFLOW = 64
OVERFLOW_MEMORY = 16
MIB = 1 << 20


def swap(platform: Platform) -> list[Row]:
    server = f"http://127.0.0.1:{platform.port}"
    rows: list[Row] = []
    with Client(platform.port) as client:
        for mib in FARGATE_MS:
            with Process(server, "processes", f"swap-{mib}") as process:
                rows += of_size(process, client, mib)
            kill(platform, f"swap-{mib}")
        with Process(server, "processes", "swap-first") as process:
            rows.append(first_call(process, client))
    return rows


def of_size(process: Process, client: Client, mib: int) -> list[Row]:
    out: list[float] = []
    back: list[float] = []
    again: list[float] = []
    stored: list[list[float]] = []
    for round in range(-1, ROUNDS[mib]):
        process.invoke("fill", {"bytes": mib * MIB}, timeout=120)
        first, returned = step(client, process.id, "swap-out"), step(client, process.id, "swap-in")
        process.invoke("fill", {"bytes": MIB, "first": mib // 2}, timeout=60)
        second = step(client, process.id, "swap-out")
        through = [ns / 1e9 for ns in process.invoke("objects", mib * MIB, timeout=120)]
        if round >= 0:
            out.append(first)
            back.append(returned)
            again.append(second)
            stored.append(through)
    at_most = FARGATE_MS[mib] / 4
    what = f"{mib} MiB of random bytes"
    rows = [
        latency(
            f"process-swap-out-{mib}", "SAND", out, at_most=at_most, note=f"{what}; S3 in the paper: {FARGATE_MS[mib]:g} ms"
        ),
        latency(f"process-swap-in-{mib}", "SAND", back, at_most=at_most, note=f"{what}, until it is active"),
        latency(
            f"process-object-put-{mib}", "SAND object store", [put for put, _ in stored], note=f"{what}, put by a function"
        ),
        latency(
            f"process-object-get-{mib}", "SAND object store", [got for _, got in stored], note=f"{what}, got by a function"
        ),
    ]
    if mib > 1:
        rows.insert(2, latency(f"process-swap-again-{mib}", "SAND", again, note=f"out, when 1 of {mib} MiB has changed since"))
    return rows


def first_call(process: Process, client: Client) -> Row:
    process.invoke("fill", {"bytes": MIB})
    took = []
    for _ in range(FIRST_CALLS):
        step(client, process.id, "swap-out")
        began = time.perf_counter()
        found = process.invoke("touch")
        took.append(time.perf_counter() - began)
        if found != MIB:
            raise RuntimeError(f"{found} bytes of state came back")
    return latency(
        "process-first-call", "SAND", took, at_most=100, note="of a swapped one, over the data plane; reads its 1 MiB"
    )


def overflow(platform: Platform) -> list[Row]:
    """PraaS 8: state over its memory, read back by a function, by its clock; for each value that comes another leaves."""
    keys = [f"part-{number:04}" for number in range(OVERFLOW)]
    with Client(platform.port) as client:
        _, status, answer = client.timed(PROCESSES, b'{"id": "swap-over", "memory": "%dMiB"}' % OVERFLOW_MEMORY)
        if status != 201:
            raise RuntimeError(f"no process: {status} {answer[:200]!r}")
    with Process(f"http://127.0.0.1:{platform.port}", "processes", "swap-over") as process:
        for number in range(OVERFLOW):
            process.invoke("fill", {"bytes": MIB, "first": number}, timeout=60)
        here = process.invoke("timed", keys[-2:] * OVERFLOW, timeout=60)[2:]
        took = process.invoke("timed", keys * 2, timeout=120)[OVERFLOW:]
    kill(platform, "swap-over")
    note = f"1 MiB of random bytes of {OVERFLOW} MiB of state in {OVERFLOW_MEMORY} MiB of memory, {{}}; by the function's clock"
    back, there = ([ns / 1e9 for ns in each] for each in (took, here))
    return [
        latency("process-overflow-read", "SAND", back, note=note.format("from the global data layer")),
        latency("process-state-read", "SAND", there, note=note.format("one that is in memory")),
    ]


def step(client: Client, process: str, name: str) -> float:
    """Seconds from the request to its answer."""
    took, status, answer = client.timed(f"{PROCESSES}/{process}/{name}")
    if status != 200:
        raise RuntimeError(f"{name} of {process}: {status} {answer[:300]!r}")
    return took


def kill(platform: Platform, process: str) -> None:
    """So that its state is not in the way of the next one's."""
    asked = urllib.request.Request(f"http://127.0.0.1:{platform.port}{PROCESSES}/{process}", method="DELETE")
    urllib.request.urlopen(asked, timeout=60).close()
