"""Messages between cloud processes (PraaS 6.2): there and back, half of it, in turns with Redis's lists."""

from __future__ import annotations

from collections import defaultdict

from sand.client import Process

from .hop import HANDLERS
from .peers.brokers import Hop, redis
from .peers.venv import python
from .table import Row, figure, latency, missing, percentile
from .under_test import Platform

SIZES = {10: "10 B", 1 << 10: "1 KiB", 64 << 10: "64 KiB", 1 << 20: "1 MiB", 5 << 20: "5 MiB"}
LARGE = 1 << 20
BLOCKS = 8
# Of the paper's 100 round trips and more; what a function has received keeps its room in the mailbox until it ends.
BLOCK = {size: 100 if size < LARGE else 15 for size in SIZES}
Samples = dict[tuple[str, int], list[float]]


def on_one_host(platform: Platform) -> list[Row]:
    """Between two processes on one host, and two programs that have a Redis on theirs."""
    samples: Samples = defaultdict(list)
    why = None
    server = f"http://127.0.0.1:{platform.port}"
    with Process(server, "processes", "ping") as ping, Process(server, "processes", "pong") as pong:
        try:
            with redis() as port, Hop([str(python()), str(HANDLERS / "redis_messages.py"), str(port)]) as peer:
                in_turns(samples, ping, pong, peer)
        except (RuntimeError, OSError) as error:
            why = " ".join(str(error).split())[:160]
            in_turns(samples, ping, pong, None)
    return [row for size in SIZES for row in rows("one-host", size, samples, why)]


def in_turns(samples: Samples, ping: Process, pong: Process, peer: Hop | None) -> None:
    for size, count in BLOCK.items():
        for block in range(-1, BLOCKS):
            found = {"copied": there_and_back(ping, pong, size, count, shared=False)}
            if size >= LARGE:
                found["mapped"] = there_and_back(ping, pong, size, count, shared=True)
            if peer:
                found["redis"] = peer.measure(count, size)
            for way, seconds in found.items():
                if block >= 0:
                    samples[way, size] += seconds


def there_and_back(ping: Process, pong: Process, size: int, count: int, shared: bool) -> list[float]:
    """Seconds of one way."""
    returned = pong.submit("pong", {"to": ping.id, "count": count, "shared": shared}, timeout=120)
    event = {"to": pong.id, "count": count, "size": size, "shared": shared}
    took = ping.invoke("ping", event, timeout=120)
    returned.result()
    return [ns / 1e9 for ns in took]


def rows(place: str, size: int, samples: Samples, why: str | None) -> list[Row]:
    name = SIZES[size]
    id = f"process-message-{place}-{name.replace(' ', '')}"
    note = f"{name}, half of there and back"
    copied, through = samples["copied", size], samples["redis", size]
    found = [latency(id, "SAND", copied, note=f"{note}; received as a copy, as from Redis")]
    if samples["mapped", size]:
        found.append(latency(f"{id}-shared", "SAND", samples["mapped", size], note=f"{note}; received with shared=True"))
    if not through:
        return [*found, missing(f"{id}-redis", "Redis list", why or "no samples")]
    found.append(latency(f"{id}-redis", "Redis list", through, note=f"{note}; RPUSH and BLPOP, in memory alone, in turns"))
    ratio = percentile(through, 0.5) / percentile(copied, 0.5)
    found.append(figure(f"{id}-ratio", "Redis / SAND", "x", ratio, at_least=5 if size >= LARGE else 1, note="medians, copies"))
    if samples["mapped", size]:
        ratio = percentile(through, 0.5) / percentile(samples["mapped", size], 0.5)
        found.append(figure(f"{id}-shared-ratio", "Redis / SAND", "x", ratio, note="medians, shared=True"))
    return found
