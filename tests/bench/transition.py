"""What a transition costs the workflow engine by itself: `TransitionBench` in workflow/, run on the classes under test."""

from __future__ import annotations

import subprocess

from .java import java_bench
from .table import Row, latency

SECONDS = 300


def workflow_transition() -> list[Row]:
    command = java_bench("workflow", "dev.sand.workflow.TransitionBench", "--rows")
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    if done.returncode != 0:
        raise RuntimeError((done.stderr.strip().splitlines() or ["it failed"])[-1])
    return [row(*line.split("\t")) for line in done.stdout.splitlines()]


def row(id: str, p50_ns: str, p99_ns: str, note: str) -> Row:
    # The samples stay in Java: two of them stand for all.
    seconds = [int(p50_ns) / 1e9] * 98 + [int(p99_ns) / 1e9] * 2
    return latency(id, "SAND workflow engine", seconds, "us", note=note)
