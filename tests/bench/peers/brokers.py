"""Real brokers on loopback: one Kafka node in KRaft mode from its jars, one Redis server."""

from __future__ import annotations

import base64
import shutil
import subprocess
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..under_test import free_port
from .process import CACHE, Peer, run

POM = Path(__file__).resolve().parent / "kafka" / "pom.xml"


def kafka_jars() -> Path:
    folder = CACHE / "kafka-4.3.1"
    if not (folder / "ready").exists():
        run(
            [
                "mvn",
                "-q",
                "-B",
                "-f",
                str(POM),
                "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies",
                f"-DoutputDirectory={folder}",
            ],
            seconds=600,
        )
        (folder / "ready").touch()
    return folder


@contextmanager
def kafka() -> Iterator[int]:
    """Yields the broker's port."""
    jars = f"{kafka_jars()}/*"
    port, controller = free_port(), free_port()
    home = Path(tempfile.mkdtemp(prefix="sand-kafka-", dir="/tmp"))
    settings = home / "server.properties"
    settings.write_text(f"""process.roles=broker,controller
node.id=1
controller.quorum.bootstrap.servers=127.0.0.1:{controller}
listeners=PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller}
controller.listener.names=CONTROLLER
log.dirs={home}/data
offsets.topic.replication.factor=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
group.initial.rebalance.delay.ms=0
""")
    try:
        run(
            [
                "java",
                "-cp",
                jars,
                "kafka.tools.StorageTool",
                "format",
                "--standalone",
                "-t",
                new_cluster_id(),
                "-c",
                str(settings),
            ],
            cwd=home,
        )
        with Peer(["java", "-Xmx1g", "-cp", jars, "kafka.Kafka", str(settings)], "kafka", cwd=home) as peer:
            peer.wait_for_port(port, 60)
            yield port
    finally:
        shutil.rmtree(home, ignore_errors=True)


def new_cluster_id() -> str:
    return base64.urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("=")


@contextmanager
def redis() -> Iterator[int]:
    if not shutil.which("redis-server"):
        raise RuntimeError("redis-server is not installed")
    port = free_port()
    command = ["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
    with Peer(command, "redis") as peer:
        peer.wait_for_port(port)
        yield port


def script(interpreter: Path, source: Path, *arguments: str, seconds: float = 180) -> str:
    """Runs a measuring script of the peers' environment and returns what it printed."""
    done = subprocess.run([str(interpreter), str(source), *arguments], capture_output=True, text=True, timeout=seconds)
    if done.returncode != 0:
        raise RuntimeError((done.stderr.strip().splitlines() or ["it failed"])[-1][:200])
    return done.stdout
