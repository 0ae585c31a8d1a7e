"""Messages between cloud processes (PraaS 6.2): there and back, half of it, in turns with Redis's lists."""

from __future__ import annotations

import json
import tempfile
import urllib.request
from collections import defaultdict
from collections.abc import Mapping
from contextlib import ExitStack

from sand.client import Process

from .hop import HANDLERS
from .peers.brokers import Hop, redis
from .peers.venv import python
from .process_reduction import DURABLE
from .several_hosts import SeveralHosts
from .table import Row, figure, latency, missing, percentile
from .under_test import APPS, Platform, warm

SIZES = {10: "10 B", 1 << 10: "1 KiB", 64 << 10: "64 KiB", 1 << 20: "1 MiB", 5 << 20: "5 MiB"}
LARGE = 1 << 20
BLOCKS = 8
# Of the paper's 100 round trips and more; what a function has received keeps its room in the mailbox until it ends.
BLOCK = {size: 100 if size < LARGE else 15 for size in SIZES}
# Of small and large ones, before anything is measured.
WARM_BLOCK = {1: 50, LARGE // 8: 10, LARGE: 5}
KEPT = {"redis": "in memory alone", "redis-durable": "with appendfsync always: on disk when RPUSH is answered"}
Samples = dict[tuple[str, int], list[float]]


def on_one_host(platform: Platform) -> list[Row]:
    """Between two processes on one host, and two programs that have a Redis on theirs."""
    server = f"http://127.0.0.1:{platform.port}"
    with Process(server, "processes", "ping") as ping, Process(server, "processes", "pong") as pong:
        samples, why = beside(ping, pong, {"redis": ()})
    note = "half of there and back; received as a copy, as from Redis"
    return [row for size in SIZES for row in rows("one-host", size, samples, why, note, wanted(size))]


def wanted(size: int) -> float:
    return 5 if size >= LARGE else 1


def between_two_hosts(sandbox: str) -> list[Row]:
    """Between two host agents of a cluster, with all its parts and both Redis on this machine. What is kept differs: here a
    message is in Kafka when its sender has ended, of a large one the value in Cassandra before; neither has a second copy."""
    with SeveralHosts(2, sandbox) as cluster:
        cluster.deploy(APPS / "processes")
        server = cluster.cluster.server
        here, there = on_hosts(server, cluster.hosts)
        with Process(server, "processes", here) as ping, Process(server, "processes", there) as pong:
            samples, why = beside(ping, pong, {"redis": (), "redis-durable": DURABLE})
    note = "half of there and back; received as a copy; its sender ends once it is in the journal of the other host (Kafka)"
    return [row for size in SIZES for row in rows("two-hosts", size, samples, why, note, 1)]


def on_hosts(server: str, hosts: list[str]) -> list[str]:
    """A new process on each."""
    found: dict[str, str] = {}
    for number in range(100):
        id = f"ball-{number}"
        asked = urllib.request.Request(f"{server}/api/v1/apps/processes/processes/{id}/connect", data=b"{}", method="POST")
        asked.add_header("Content-Type", "application/json")
        with urllib.request.urlopen(asked, timeout=60) as answer:
            found.setdefault(json.load(answer)["host"], id)
        if len(found) == len(hosts):
            return list(found.values())
    raise RuntimeError(f"all processes are on {', '.join(found)} of {', '.join(hosts)}")


def beside(ping: Process, pong: Process, servers: Mapping[str, tuple[str, ...]]) -> tuple[Samples, str | None]:
    """:return: seconds by way and size, and why there are none of Redis"""
    samples: Samples = defaultdict(list)
    peers: dict[str, Hop] = {}
    why = None
    with ExitStack() as stack:
        try:
            for name, options in servers.items():
                folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="sand-redis-", dir="/tmp"))
                port = stack.enter_context(redis("--dir", folder, *options))
                command = [str(python()), str(HANDLERS / "redis_messages.py"), str(port)]
                peers[name] = stack.enter_context(Hop(command))
        except (RuntimeError, OSError) as error:
            peers.clear()
            why = " ".join(str(error).split())[:160]
        in_turns(samples, ping, pong, peers)
    return samples, why


def in_turns(samples: Samples, ping: Process, pong: Process, peers: Mapping[str, Hop]) -> None:
    warm(lambda: [there_and_back(ping, pong, size, count, shared=False) for size, count in WARM_BLOCK.items()])
    for size, count in BLOCK.items():
        for block in range(-1, BLOCKS):
            found = {"copied": there_and_back(ping, pong, size, count, shared=False)}
            if size >= LARGE:
                found["mapped"] = there_and_back(ping, pong, size, count, shared=True)
            found |= {name: peer.measure(count, size) for name, peer in peers.items()}
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


def rows(place: str, size: int, samples: Samples, why: str | None, note: str, at_least: float) -> list[Row]:
    """:param at_least: how many times as long Redis is to take that keeps everything in memory alone"""
    name = SIZES[size]
    id = f"process-message-{place}-{name.replace(' ', '')}"
    ways = {"": "copied", "-shared": "mapped"} if samples["mapped", size] else {"": "copied"}
    notes = {"": note, "-shared": "half of there and back; received with shared=True"}
    found = [latency(id + way, "SAND", samples[ours, size], note=f"{name}, {notes[way]}") for way, ours in ways.items()]
    if why is not None:
        return [*found, missing(f"{id}-redis", "Redis list", why)]
    for redis_name, kept in KEPT.items():
        through = samples[redis_name, size]
        if not through:
            continue
        in_memory = redis_name == "redis"
        said = f"{name}, half of there and back; RPUSH and BLPOP, {kept}, in turns"
        found.append(latency(f"{id}-{redis_name}", "Redis list", through, note=said))
        infix = "" if in_memory else "-durable"
        for way, ours in ways.items():
            ratio = percentile(through, 0.5) / percentile(samples[ours, size], 0.5)
            target = at_least if in_memory and not way else None
            what = f"medians, {'copies' if not way else 'shared=True'}; Redis {kept.split(':')[0]}"
            found.append(figure(f"{id}{way}{infix}-ratio", "Redis / SAND", "x", ratio, at_least=target, note=what))
    return found
