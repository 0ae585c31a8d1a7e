"""Memory of concurrent calls and of grains that share a library, as the kernel charges it to the sandbox."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

from .client import Client
from .table import Row, figure
from .under_test import Platform, cgroup_bytes
from .warm import checked, together

SYSTEM = "SAND"
HOLD_SECONDS = 4


def memory_call(platform: Platform) -> list[Row]:
    with Client(platform.port) as client:
        checked(client, "/invoke/bench/sleeper", b'{"seconds": 0}')
    container = platform.containers("bench")[0]
    before = settled(container)
    few, many = held(platform, container, 20), held(platform, container, 200)
    after = settled(container)
    slope = (many - few) / 180 / 2**20
    back = (after - before) / 2**20
    return [
        figure(
            "memory-call",
            SYSTEM,
            "MiB",
            slope,
            at_most=1.1,
            note="slope from 20 to 200 concurrent calls: the sandbox's whole charge but for clean file cache",
        ),
        figure(
            "memory-call-after",
            SYSTEM,
            "MiB",
            back,
            at_most=8,
            note="more than before, once the calls have ended (8 MiB: what idle instances kept ready may cost)",
        ),
    ]


def held(platform: Platform, container: str, calls: int) -> int:
    """The sandbox's memory in bytes while so many calls are running."""
    measured: list[int] = []

    def run(index: int) -> None:
        if index == calls:
            time.sleep(HOLD_SECONDS * 0.8)
            measured.append(cgroup_bytes(container))
            return
        with Client(platform.port) as client:
            checked(client, "/invoke/bench/sleeper", f'{{"seconds": {HOLD_SECONDS}}}'.encode())

    together(run, calls + 1)
    return measured[0]


def settled(container: str) -> int:
    """Memory once it has not moved by 1 % for 3 s, within 60 s: the idle pool shrinks by itself."""
    deadline, last, since = time.monotonic() + 60, cgroup_bytes(container), time.monotonic()
    while time.monotonic() < deadline:
        time.sleep(0.25)
        now = cgroup_bytes(container)
        if abs(now - last) > last * 0.01:
            last, since = now, time.monotonic()
        elif time.monotonic() - since > 3:
            break
    return cgroup_bytes(container)


def shared_library(platform: Platform) -> list[Row]:
    """PSS of two workers that share numpy, imported once by the supervisor (SAND 3.1)."""
    with Client(platform.port) as client:
        for grain in ("numpy_a", "numpy_b"):
            checked(client, f"/invoke/shared/{grain}", b"null")
    container = platform.containers("shared")[0]
    top = subprocess.run(["docker", "top", container, "-eo", "pid,args"], capture_output=True, text=True, check=True)
    rows = []
    for grain in ("numpy_a", "numpy_b"):
        pids = [int(line.split()[0]) for line in top.stdout.splitlines() if "worker" in line and grain in line]
        if pids:
            rollup = Path(f"/proc/{pids[0]}/smaps_rollup").read_text()
            sizes = {line.split(":")[0]: int(line.split()[1]) for line in rollup.splitlines()[1:]}
            rows.append(
                figure(
                    f"pss-{grain.replace('_', '-')}",
                    SYSTEM,
                    "MiB",
                    sizes["Pss"] / 1024,
                    note=f"PSS of a worker with numpy shared; its RSS is {sizes['Rss'] / 1024:.1f} MiB",
                )
            )
    return rows
