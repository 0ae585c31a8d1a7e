"""Ten thousand invocations in a row, then 200 at once: no error, nothing left behind."""

from __future__ import annotations

import os
import time
from pathlib import Path

from .client import Client
from .table import Row, figure
from .under_test import Platform, cgroup_bytes
from .warm import checked, together

SYSTEM = "SAND"
IN_A_ROW = 10_000
AT_ONCE = 200
SETTLE_SECONDS = 60


def soak(platform: Platform) -> list[Row]:
    with Client(platform.port) as client:
        for _ in range(2000):
            checked(client, "/invoke/bench/noop")
    container = platform.containers("bench")[0]
    before = footprint(platform, container)
    errors = 0
    with Client(platform.port) as client:
        for _ in range(IN_A_ROW):
            errors += client.call("/invoke/bench/noop")[0] != 200

    failed = []

    def one(_: int) -> None:
        with Client(platform.port) as client:
            if client.call("/invoke/bench/noop")[0] != 200:
                failed.append(1)

    together(one, AT_ONCE)
    after = footprint(platform, container)
    deadline = time.monotonic() + SETTLE_SECONDS
    while time.monotonic() < deadline and any(after[key] > before[key] + slack for key, slack in SLACK.items()):
        time.sleep(1)
        after = footprint(platform, container)
    return [
        figure(
            "soak-errors",
            SYSTEM,
            "count",
            errors + len(failed),
            at_most=0,
            note=f"{IN_A_ROW} in a row, then {AT_ONCE} at once",
        )
    ] + [
        figure(f"soak-{key}", SYSTEM, unit, after[key] - before[key], at_most=slack, note="more than before")
        for key, slack in SLACK.items()
        for unit in ["MiB" if "memory" in key else "count"]
    ]


# What a pool of idle instances and a JVM's heap may differ by without a leak.
SLACK = {"processes": 16, "descriptors": 64, "sockets": 64, "sandbox-memory": 16, "agent-memory": 256}


def footprint(platform: Platform, container: str) -> dict[str, float]:
    java = Path(f"/proc/{platform.java_pid()}")
    descriptors = [link_of(entry) for entry in (java / "fd").iterdir()]
    resident = next(line for line in (java / "status").read_text().splitlines() if line.startswith("VmRSS"))
    pids = Path(f"/sys/fs/cgroup/pids/docker/{container}/pids.current")
    return {
        "processes": int(pids.read_text()) if pids.exists() else 0,
        "descriptors": len(descriptors),
        "sockets": sum(link.startswith("socket:") for link in descriptors),
        "sandbox-memory": cgroup_bytes(container) / 2**20,
        "agent-memory": int(resident.split()[1]) / 1024,
    }


def link_of(entry: Path) -> str:
    try:
        return os.readlink(entry)
    except OSError:
        return ""
