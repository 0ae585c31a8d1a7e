"""Real brokers on loopback: one Kafka node in KRaft mode from its jars, one Redis server."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from cluster import processes
from cluster.place import Cluster
from sand.command.ports import free_port

from ..several_hosts import broker_environment
from ..under_test import ROOT
from .process import Peer

IMAGES = ROOT / "deploy" / "images"


@contextmanager
def kafka() -> Iterator[int]:
    """A broker as a cluster has it. Yields its port."""
    home = Path(tempfile.mkdtemp(prefix="sand-kafka-", dir="/tmp"))
    ports = {"kafka": free_port(), "controller": free_port()}
    cluster = Cluster(home, "bench", "processes", 1, "", broker_environment(), ports)
    program = processes.kafka(cluster, IMAGES)
    (home / "kafka").mkdir()
    try:
        with Peer(program.command, "kafka", environment=program.environment, cwd=home) as peer:
            peer.wait_for_port(ports["kafka"], 60)
            yield ports["kafka"]
    finally:
        shutil.rmtree(home, ignore_errors=True)


@contextmanager
def redis(*options: str) -> Iterator[int]:
    """A server that keeps everything in memory alone, unless `options` say otherwise."""
    if not shutil.which("redis-server"):
        raise RuntimeError("redis-server is not installed")
    port = free_port()
    command = ["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", *options]
    with Peer(command, "redis") as peer:
        peer.wait_for_port(port)
        yield port


class Hop:
    """A program that measures: told a count, it prints so many nanoseconds (peers/handlers/, DeliveryBench.java)."""

    def __init__(self, command: list[str]) -> None:
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def measure(self, count: int, size: int | None = None) -> list[float]:
        """Seconds, one a message. :param size: bytes, of programs that want to be told"""
        self._process.stdin.write(f"{count}\n" if size is None else f"{size} {count}\n")
        self._process.stdin.flush()
        lines = [self._process.stdout.readline() for _ in range(count)]
        if not lines[-1]:
            raise RuntimeError((self._process.stderr.read().strip().splitlines() or ["it ended"])[-1][:200])
        return [int(line) / 1e9 for line in lines]

    def __enter__(self) -> Hop:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.stdin.close()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait(10)
        self._process.stdout.close()
        self._process.stderr.close()
