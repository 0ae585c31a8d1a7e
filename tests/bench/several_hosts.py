"""A cluster of the bench's own as plain processes on this machine, `./sand cluster`'s parts: its hosts can be killed."""

from __future__ import annotations

import dataclasses
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

from cluster import answer, place, processes
from cluster.compose import host_names
from cluster.part import Part
from cluster.place import Cluster
from sand.command.bundle import zip_folder
from sand.command.client import Platform
from sand.command.deploy import deploy
from sand.command.failure import Failure
from sand.command.ports import free_port

from .under_test import ROOT

READY_SECONDS = 300
BROKERS = ("SAND_KAFKA_JARS", "SAND_CASSANDRA_JARS")


def broker_environment() -> dict[str, str]:
    """Where Kafka's and Cassandra's jars are, which are fetched when they are not here."""
    given = {name: os.environ[name] for name in (*BROKERS, "SAND_JAVA17_HOME") if name in os.environ}
    if not set(BROKERS) <= given.keys():
        command = [str(ROOT / "deploy/images/cluster.sh"), "jars"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=900, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"the jars of Kafka and Cassandra: {done.stderr[-300:]}")
        given |= dict(line.split("=", 1) for line in done.stdout.split())
    return given


class SeveralHosts:
    """Runs while it is entered: `hosts` host agents, two frontends, nginx, Kafka, Cassandra, and sessions of 3 s.

    `java` gives parts more options of Java, by name. `management`: on, or off so that nothing but what is measured runs.
    """

    def __init__(
        self, hosts: int, sandbox: str = "process", java: Mapping[str, list[str]] | None = None, management: str = "off"
    ) -> None:
        environment = broker_environment() | {"SAND_CLUSTER_SANDBOX": sandbox}
        if "SAND_JAVA17_HOME" not in environment:
            raise RuntimeError("there is no Java 17, on which Cassandra runs")
        home = Path(tempfile.mkdtemp(prefix="sand-bench-", dir="/tmp"))
        listen = f"127.0.0.1:{free_port()}"
        self.cluster = Cluster(
            home, place.name_of(home), "processes", hosts, listen, environment, processes.choose_ports(hosts), management
        )
        self._java = java or {}

    @property
    def hosts(self) -> list[str]:
        return host_names(self.cluster.hosts)

    @property
    def ports(self) -> dict[str, int]:
        """Of parts, by name."""
        return self.cluster.ports

    def launch(self, name: str) -> None:
        program = next(program for program in processes.programs(self.cluster) if program.name == name)
        java, *rest = without_key(program.command)
        processes.launch(self.cluster, dataclasses.replace(program, command=[java, *self._java.get(name, []), *rest]))

    def kill(self, name: str) -> float:
        """SIGKILL, as a host that loses power; the moment on the machine's monotonic clock, in seconds."""
        processes.signal_to(self.cluster, name, signal.SIGKILL)
        return time.monotonic()

    def wait_until_owned(self) -> None:
        """All hosts run, and each has its share of the slots."""

        def owned() -> bool:
            ended = [part.name for part in processes.parts(self.cluster) if part.state != "running"]
            if ended:
                raise RuntimeError(f"ended by themselves: {' '.join(self._last_words(name) for name in ended)}")
            return answer.all_owned(self.cluster)

        try:
            answer.wait_until("all host agents with their slots", owned, time.monotonic() + READY_SECONDS)
        except Failure as error:
            raise RuntimeError(f"{error.title}: {' '.join(map(self._last_words, self.hosts))}") from error

    def deploy(self, folder: Path) -> None:
        with Platform(self.cluster.server) as platform:
            deploy(platform, zip_folder(folder))

    def __enter__(self) -> SeveralHosts:
        try:
            place.check(self.cluster.home, self.hosts)
            place.prepare(self.cluster, self.hosts)
            for program in processes.programs(self.cluster):
                self.launch(program.name)
            self.wait_until_owned()
        except BaseException:
            self.__exit__()
            raise
        return self

    def _last_words(self, name: str) -> str:
        return " ".join([f"{name}:", *processes.last_words(self.cluster, Part(name, "", "", 0), 3)])

    def __exit__(self, *_: object) -> None:
        processes.stop(self.cluster, purge=True)
        shutil.rmtree(self.cluster.home, ignore_errors=True)


def without_key(command: list[str]) -> list[str]:
    """The measuring clients show no key: these frontends, which only this machine reaches, ask for none. What nginx brings they
    would refuse then, unless it is asked for by a name that they were given."""
    if "--operator-key" not in command:
        return command
    at = command.index("--operator-key")
    return [*command[:at], "--allow-host", "127.0.0.1", *command[at + 2 :]]
