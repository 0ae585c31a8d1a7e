"""The local bus against brokers: hand-over of one event, and a hop of a chain of functions."""

from __future__ import annotations

from pathlib import Path

from .peers.brokers import kafka, redis, script
from .peers.venv import python
from .table import Row, figure, latency, missing, percentile
from .under_test import Platform
from .warm import PACE_SECONDS, interaction_samples

HANDLERS = Path(__file__).resolve().parent / "peers" / "handlers"
COUNT = 1000


def local_vs_global(platform: Platform) -> list[Row]:
    """Our side is the whole interaction: F1's end to F2's start in fresh processes, through the local bus."""
    local = interaction_samples(platform.port, COUNT, PACE_SECONDS)
    rows = [latency("handover-local-bus", "SAND", local, "us", note="end of one grain to start of the next")]
    rows += peers()
    through_kafka = next((row for row in rows if row.id == "handover-kafka" and row.p50), None)
    if through_kafka is None:
        return [*rows, missing("local-vs-global", "SAND / Kafka", "Kafka could not be measured")]
    median = through_kafka.p50 / (percentile(local, 0.5) * 1e6)
    tail = through_kafka.p99 / (percentile(local, 0.99) * 1e6)
    return [
        *rows,
        figure("local-vs-global", "Kafka / SAND", "ratio", median, at_least=5, note="hand-over, medians"),
        figure("local-vs-global-p99", "Kafka / SAND", "ratio", tail, at_least=10, note="hand-over, p99"),
    ]


def peers() -> list[Row]:
    rows = []
    for id, system, start, source, kind, count in (
        ("handover-kafka", "Kafka 4.3", kafka, "kafka_hop.py", "handover", COUNT),
        ("chain-kafka", "Kafka 4.3 + fork a hop", kafka, "kafka_hop.py", "chain", 200),
        ("handover-redis", "Redis list", redis, "redis_hop.py", "handover", COUNT),
        ("chain-redis", "Redis stream + fork a hop", redis, "redis_hop.py", "chain", 300),
    ):
        try:
            with start() as port:
                printed = script(python(), HANDLERS / source, str(port), str(count), kind)
            rows.append(latency(id, system, [int(line) / 1e9 for line in printed.split()], "us", note="one at a time"))
        except (RuntimeError, OSError) as error:
            rows.append(missing(id, system, " ".join(str(error).split())[:160]))
    return rows
