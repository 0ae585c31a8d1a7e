"""The local bus against brokers: delivery of one event, and a hop of a chain of functions (SAND 6.2, figure 5b)."""

from __future__ import annotations

import shutil
import tempfile
from contextlib import ExitStack
from pathlib import Path

from .peers.brokers import Hop, kafka, redis
from .peers.venv import python
from .table import Row, figure, latency, missing, percentile
from .under_test import APPS, Platform
from .warm import interaction_samples

HANDLERS = Path(__file__).resolve().parent / "peers" / "handlers"
# Through a broker a message has 148 bytes, and so has F1's output with this.
PAD_BYTES = 100
BLOCK = 50
BLOCKS = 20
BROKERS = {"kafka": ("Kafka 4.3", kafka, "kafka_hop.py"), "redis": ("Redis list", redis, "redis_hop.py")}
CHAINS = {"kafka": "Kafka 4.3 + fork a hop", "redis": "Redis stream + fork a hop"}
CHAIN_COUNT = 200
DELIVERY = """name: delivery
sandbox: {memory: 512MiB}
grains:
  first: {isolation: worker}
  second: {isolation: worker}
"""


def local_vs_global(platform: Platform) -> list[Row]:
    """As the paper measures it: a message of one Python process to another that waits for it, both living long, through the
    local bus (two grains with `isolation: worker`) and through a broker. And beside them what a chain has of it when each
    event gets a fresh process. In turns, a message every 8 ms."""
    platform.deploy(APPS / "pair")
    with tempfile.TemporaryDirectory(prefix="sand-", dir="/tmp") as folder:
        delivery = shutil.copytree(APPS / "pair", Path(folder) / "delivery")
        (delivery / "sand.yaml").write_text(DELIVERY)
        platform.deploy(delivery)
    rows = []
    for peer in ("redis", "kafka"):
        rows += against(platform, peer)
    return rows + [row for peer in CHAINS for row in chain(peer)]


def against(platform: Platform, peer: str) -> list[Row]:
    """Hand-over through both, and how many times longer the same takes through the peer."""
    system, start, source = BROKERS[peer]
    id = {"kafka": "local-vs-global"}.get(peer, f"local-vs-{peer}")
    body = f'{{"holdMs": 0, "pad": "{"x" * PAD_BYTES}"}}'.encode()
    lasting: list[float] = []
    fresh: list[float] = []
    through: list[float] = []
    try:
        with ExitStack() as stack:
            hop = stack.enter_context(through_broker(source, stack.enter_context(start()), "handover"))
            hop.measure(1)
            for block in range(BLOCKS):
                warm = 0 if block else 300
                lasting += interaction_samples(platform.port, BLOCK, "delivery/chain", body, warm=warm)
                through += hop.measure(BLOCK)
                fresh += interaction_samples(platform.port, BLOCK, "pair/chain", body, warm=warm)
    except (RuntimeError, OSError) as error:
        return [missing(id, f"{system} / SAND", " ".join(str(error).split())[:160])]
    at_least, at_p99 = (5, 10) if peer == "kafka" else (None, None)
    note = "148 bytes, a message every 8 ms, in turns with the others"
    ratio = f"{system} / SAND"
    return [
        latency(f"handover-local-bus-{peer}", "SAND", lasting, "us", note=f"grain to grain, processes that live long; {note}"),
        latency(f"handover-fresh-{peer}", "SAND", fresh, "us", note=f"grain to grain, a fresh process an event; {note}"),
        latency(f"handover-{peer}", system, through, "us", note=f"from process to process; {note}"),
        figure(id, ratio, "ratio", times(through, lasting, 0.5), at_least=at_least, note="hand-over, medians"),
        figure(f"{id}-p99", ratio, "ratio", times(through, lasting, 0.99), at_least=at_p99, note="hand-over, p99"),
        figure(f"{id}-fresh", ratio, "ratio", times(through, fresh, 0.5), note="with a fresh process an event, medians"),
    ]


def through_broker(source: str, port: int, kind: str) -> Hop:
    return Hop([str(python()), str(HANDLERS / source), str(port), kind])


def times(through: list[float], local: list[float], share: float) -> float:
    return percentile(through, share) / percentile(local, share)


def chain(peer: str) -> list[Row]:
    _, start, source = BROKERS[peer]
    try:
        with start() as port, through_broker(source, port, "chain") as hop:
            return [latency(f"chain-{peer}", CHAINS[peer], hop.measure(CHAIN_COUNT), "us", note="a message every 8 ms")]
    except (RuntimeError, OSError) as error:
        return [missing(f"chain-{peer}", CHAINS[peer], " ".join(str(error).split())[:160])]
