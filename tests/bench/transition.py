"""What a transition costs the workflow engine by itself (`TransitionBench` in workflow/, run on the classes under test), and
whether a wide Map holds a shard of a platform."""

from __future__ import annotations

import json
import re
import subprocess
import urllib.request

from .client import Client
from .java import java_bench
from .table import Row, figure, latency
from .under_test import APPS, Platform

SECONDS = 300
SMALL_US = 20
"""What a transition of a small state may cost at the median."""
HELD_US = 500
"""For how long nothing may hold a shard; `sand_shard_stalls_total` counts what does."""
ITEMS = 1000
RUNS = 40


def workflow_transition() -> list[Row]:
    command = java_bench("workflow", "dev.sand.workflow.TransitionBench", "--rows")
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    if done.returncode != 0:
        raise RuntimeError((done.stderr.strip().splitlines() or ["it failed"])[-1])
    return [row(*line.split("\t")) for line in done.stdout.splitlines()]


def row(id: str, p50_ns: str, p99_ns: str, most_ns: str, note: str) -> Row:
    # The samples stay in Java: two of them stand for all.
    seconds = [int(p50_ns) / 1e9] * 98 + [int(p99_ns) / 1e9] * 2
    measured = latency(
        id, "SAND workflow engine", seconds, "us", at_most=None if id == "transition-map" else SMALL_US, note=note
    )
    if id != "transition-map":
        return measured
    most = figure(
        id, measured.system, "us", int(most_ns) / 1e3, at_most=HELD_US, note=f"{note}; the value is the longest of all"
    )
    return Row(id, most.system, most.unit, measured.p50, measured.p99, most.value, most.target, most.met, most.note)


def wide_map(sandbox: str) -> list[Row]:
    """The first Maps of a platform just started, of a grain that does nothing, one after the other: inputs that held a shard's
    thread. The very first one, with the start of a sandbox in it, has a row of its own: some of it is new to Java."""
    body = json.dumps(list(range(ITEMS))).encode()
    seconds = []
    with Platform(sandbox) as platform:
        platform.deploy(APPS / "wide")
        client = Client(platform.port)
        for _ in range(RUNS):
            took, status, answer = client.timed("/invoke/wide/main", body)
            if status != 200 or len(json.loads(answer)) != ITEMS:
                raise RuntimeError(f"a Map over {ITEMS} items: {status} {answer[:200]!r}")
            seconds.append(took)
            if len(seconds) == 1:
                first = stalls(platform)
        later = stalls(platform) - first
    held = f"inputs that held a shard for more than {HELD_US / 1000:g} ms"
    maps = f"{ITEMS:,}-way Map, the first {RUNS} runs of a platform just started"
    return [
        latency("wide-map", "SAND", seconds, note=maps),
        figure("wide-map-stalls", "SAND", "count", later, at_most=0, note=f"{maps} but for the very first: {held}"),
        figure("wide-map-stalls-first", "SAND", "count", first, note=f"start, deployment and the very first run: {held}"),
    ]


def stalls(platform: Platform) -> float:
    with urllib.request.urlopen(f"http://127.0.0.1:{platform.port}/metrics", timeout=30) as answer:
        page = answer.read().decode()
    found = re.findall(r"^sand_shard_stalls_total(?:{[^}]*})? ([0-9.eE+]+)$", page, re.MULTILINE)
    if not found:
        raise RuntimeError("the platform does not tell how often its shards were held")
    return sum(map(float, found))
