"""What the backup to the global bus costs an interaction: the same application twice on one host agent, one of them without."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from .client import Client
from .several_hosts import SeveralHosts
from .table import Row, latency, percentile
from .under_test import APPS, Platform
from .warm import PACE_SECONDS, WARM_CALLS, checked, interaction_of

SYSTEM = {"embedded": "SAND, embedded bus", "kafka": "SAND, Kafka 4.3"}
BACKED, UNBACKED = "pair-backed", "pair-unbacked"
# Read by the host agent (BenchOptions): nothing of that application goes to the journal.
WITHOUT = f"-Dsand.bench.unbacked={UNBACKED}"
COUNT = 1000
PAD_BYTES = 900
# Longer than a batch of backups waits: then they are all written, and not passed over because the execution has ended.
WRITTEN_MS = 15
MOST_US, MOST_SHARE = 30, 0.2


def embedded(sandbox: str) -> list[Row]:
    with Platform(sandbox, environment={"SAND_JVM_OPTIONS": f"{os.environ.get('SAND_JVM_OPTIONS', '')} {WITHOUT}"}) as platform:
        return measure("embedded", platform.port, platform.deploy)


def over_kafka(sandbox: str) -> list[Row]:
    with SeveralHosts(1, sandbox, {"host1": [WITHOUT]}) as platform:
        return measure("kafka", platform.ports["frontend1"], platform.deploy)


def measure(bus: str, port: int, deploy: Callable[[Path], None]) -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        for name in (BACKED, UNBACKED):
            named = shutil.copytree(APPS / "pair", Path(folder) / name)
            (named / "sand.yaml").write_text((named / "sand.yaml").read_text().replace("name: pair", f"name: {name}"))
            deploy(named)
    passing, written = alternating(port, 0), alternating(port, WRITTEN_MS)
    quick = "executions that end within a batch of backups: most are passed over"
    return [
        *rows(f"backup-{bus}", SYSTEM[bus], *written, f"F1 takes {WRITTEN_MS} ms: every backup is written"),
        *rows(f"backup-{bus}-quick", SYSTEM[bus], *passing, quick),
    ]


def alternating(port: int, hold_ms: int) -> tuple[list[float], list[float]]:
    """Interactions with backup and without, in turns; which comes first changes every time."""
    body = json.dumps({"holdMs": hold_ms, "pad": "x" * PAD_BYTES}).encode()
    samples: dict[str, list[float]] = {BACKED: [], UNBACKED: []}
    with Client(port) as client:
        for turn in range(WARM_CALLS + COUNT):
            for name in (BACKED, UNBACKED) if turn % 2 else (UNBACKED, BACKED):
                time.sleep(PACE_SECONDS)
                answer = checked(client, f"/invoke/{name}/chain", body)
                if turn >= WARM_CALLS:
                    samples[name].append(interaction_of(answer))
    return samples[BACKED], samples[UNBACKED]


def rows(id: str, system: str, backed: list[float], unbacked: list[float], note: str) -> list[Row]:
    return [
        latency(f"{id}-on", system, backed, "us", note=f"interaction, {PAD_BYTES} bytes; {note}"),
        latency(f"{id}-off", system, unbacked, "us", note="the same without backup, in turns on the same host agent"),
        cost(f"{id}-cost", system, percentile(backed, 0.5) * 1e6, percentile(unbacked, 0.5) * 1e6),
    ]


def cost(id: str, system: str, on_us: float, off_us: float) -> Row:
    """What backup adds to the median: at most a fifth of it or 30 µs, whichever is more."""
    more = on_us - off_us
    met = more <= max(MOST_US, MOST_SHARE * off_us)
    target = f"<= {MOST_US} or {MOST_SHARE:.0%}"
    return Row(id, system, "us", None, None, round(more, 1), target, met, f"medians: {more / off_us:+.1%}")
