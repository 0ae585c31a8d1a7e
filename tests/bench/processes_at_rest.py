"""1,000 processes of one application, 950 of them swapped out: what they cost the host that had them."""

from __future__ import annotations

import os
import re
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from sand.client import Process

from .client import Client
from .process_swap import step
from .table import Row, figure
from .under_test import Platform

PROCESSES = 1000
SWAPPED = 950
STATE_BYTES = 256 << 10
REUSE_SECONDS = 30
APPLICATION = "processes"


@dataclass(frozen=True)
class Held:
    """Bytes: memory shared with sandboxes, where state is; live objects of the host agent; the sandbox's resident memory."""

    shared: int
    live: int
    sandbox: int

    def total(self) -> int:
        return self.shared + self.live + self.sandbox


def at_rest(platform: Platform) -> list[Row]:
    server = f"http://127.0.0.1:{platform.port}"
    names = [f"p-{number}" for number in range(PROCESSES)]
    with Client(platform.port) as client:
        with Process(server, APPLICATION, "warm") as process:
            process.invoke("fill", {"bytes": STATE_BYTES})
            step(client, "warm", "swap-out")
        empty = held(platform)
        fill(client, names[SWAPPED:])
        few = held(platform)
        fill(client, names[:SWAPPED])
        all_of_them = held(platform)
        began = time.perf_counter()
        for name in names[:SWAPPED]:
            step(client, name, "swap-out")
        took = time.perf_counter() - began
        wait_for_reuse(platform.java_pid(), few.shared)
        after = held(platform)
    mib = 2**20
    of_one = (all_of_them.total() - few.total()) / SWAPPED / 1024
    left = (after.total() - few.total()) / SWAPPED / 1024
    note = f"{SWAPPED} of {PROCESSES}, each with {STATE_BYTES >> 10} KiB of state"
    said = ", ".join(
        f"{name}: {found.shared / mib:.0f} + {found.live / mib:.0f} + {found.sandbox / mib:.0f}"
        for name, found in (("none", empty), ("50", few), ("1,000", all_of_them), ("950 of them swapped", after))
    )
    return [
        figure("process-memory-active", "SAND", "KiB", of_one, note=f"of one that is active; {note}"),
        figure(
            "process-memory-swapped",
            "SAND",
            "KiB",
            left,
            at_most=8,
            note="of one that is swapped, once the host has given back what it keeps for reuse; MiB shared + live in the "
            f"host agent + resident in the sandbox: {said}",
        ),
        figure("process-memory-swapping", "SAND", "ms", took / SWAPPED * 1e3, note=f"to swap one of them out; {note}"),
    ]


def wait_for_reuse(pid: int, shared: int) -> None:
    """A host keeps the memory that values have left for 30 s, for others of the application, and gives it back then."""
    deadline = time.monotonic() + 2 * REUSE_SECONDS
    while shared_bytes(pid) > 1.2 * shared and time.monotonic() < deadline:
        time.sleep(1)


def fill(client: Client, names: list[str]) -> None:
    body = f'{{"bytes": {STATE_BYTES}}}'.encode()
    for name in names:
        status, answer = client.call(f"/api/v1/applications/{APPLICATION}/processes/invoke?function=fill&process={name}", body)
        if status != 200:
            raise RuntimeError(f"process {name}: {status} {answer[:300]!r}")


def held(platform: Platform) -> Held:
    return Held(shared_bytes(platform.java_pid()), live_bytes(platform.java_pid()), sandbox_bytes(platform))


def shared_bytes(pid: int) -> int:
    """Of memory files, each counted once, whether it is mapped or not."""
    found = {}
    for file in Path(f"/proc/{pid}/fd").iterdir():
        try:
            if os.readlink(file).startswith("/memfd:"):
                status = file.stat()
                found[status.st_dev, status.st_ino] = status.st_blocks * 512
        except OSError:
            continue
    return sum(found.values())


def live_bytes(pid: int) -> int:
    """On the heap after a full collection: its resident memory would show what the collector has not given back."""
    counted = subprocess.run(["jcmd", str(pid), "GC.class_histogram"], capture_output=True, text=True, timeout=60, check=True)
    total = re.search(r"^Total\s+\d+\s+(\d+)", counted.stdout, re.MULTILINE)
    if total is None:
        raise RuntimeError(f"jcmd {pid} GC.class_histogram: {counted.stdout[-300:]}")
    return int(total[1])


def sandbox_bytes(platform: Platform) -> int:
    """Of its processes' own; pages of memory files are counted with those. 0 where the kernel keeps no account of them."""
    for container in platform.containers(APPLICATION):
        for folder in (Path(f"/sys/fs/cgroup/memory/docker/{container}"), *Path("/sys/fs/cgroup").glob(f"**/*{container}*")):
            if (folder / "memory.stat").exists():
                stat = dict(line.split() for line in (folder / "memory.stat").read_text().splitlines())
                return int(next(stat[name] for name in ("total_rss", "anon") if name in stat))
    return 0
