"""Where a cluster on this machine keeps things, and what it remembers from one `up` to the next."""

import hashlib
import json
import os
import secrets
import socket
from dataclasses import asdict, dataclass, field
from pathlib import Path

from sand.command.failure import ExitCode, Failure
from sand.command.key import cluster_home

from cluster.compose import DATA_PORTS_AFTER, FRONTEND_PORT, data_variables, host_names

SOCKET_PATH_BYTES = 107
# What lies between a host agent's home and the end of a sandbox's longest socket.
SOCKET_SUFFIX = "/run/sXXXXXXXXXX/data.sock"
KEY_BYTES = 32
COMPOSE_FILE = "compose.yaml"
EVERYWHERE = ("0.0.0.0", "[::]", "*")


@dataclass(frozen=True)
class Cluster:
    """One cluster.

    home: everything of it that is not in Docker's volumes; name: its containers' label and compose's project;
    kind: containers or processes; listen: HOST:PORT of nginx on this machine; environment: the images or jars to start;
    ports: of processes, by part; management: on or off, at every host and frontend.
    """

    home: Path
    name: str
    kind: str
    hosts: int
    listen: str
    environment: dict[str, str]
    ports: dict[str, int] = field(default_factory=dict)
    management: str = "on"

    @property
    def server(self) -> str:
        return f"http://{self.listen}"

    @property
    def compose_file(self) -> Path:
        return self.home / COMPOSE_FILE

    @property
    def key_file(self) -> Path:
        return self.home / "cluster.key"

    @property
    def operator_key_file(self) -> Path:
        return self.home / "operator.key"

    @property
    def secrets_key_file(self) -> Path:
        return self.home / "secrets.key"

    def operator_key(self) -> str | None:
        """None: the cluster was last started by a version that made none."""
        return self.operator_key_file.read_text().strip() if self.operator_key_file.exists() else None

    def host_home(self, host: str) -> Path:
        return self.home / host

    def _data_addresses(self) -> dict[str, str]:
        """Of the hosts' data planes: where `listen` is, on ports after nginx's."""
        where, port = self.listen.rsplit(":", 1)
        told = socket.getfqdn() if where in EVERYWHERE else where
        found = {}
        for number, host in enumerate(host_names(self.hosts), int(port) + DATA_PORTS_AFTER - FRONTEND_PORT + 1):
            published, advertised = data_variables(host)
            found |= {published: f"{where}:{number}", advertised: f"{told}:{number}"}
        return found

    def variables(self) -> dict[str, str]:
        """For the compose file: ours, then what was given."""
        return {
            "SAND_CLUSTER": self.name,
            "SAND_CLUSTER_HOME": str(self.home),
            "SAND_CLUSTER_KEY": str(self.key_file),
            "SAND_OPERATOR_KEY": str(self.operator_key_file),
            "SAND_SECRETS_KEY": str(self.secrets_key_file),
            "SAND_LISTEN": self.listen,
            **self._data_addresses(),
            "SAND_MANAGEMENT": self.management,
        } | self.environment

    def save(self) -> None:
        record = asdict(self) | {"home": str(self.home), "schema": 1}
        (self.home / "cluster.json").write_text(json.dumps(record, indent=2) + "\n")


def name_of(home: Path) -> str:
    """A cluster a home: the default home's is called sand, another's by its path."""
    return "sand" if home == cluster_home() else "sand-" + hashlib.sha256(str(home).encode()).hexdigest()[:8]


def check(home: Path, hosts: list[str]) -> None:
    """Fails when sockets of sandboxes would have too long a path."""
    longest = max(len(os.fsencode(home / host)) for host in hosts) + len(SOCKET_SUFFIX)
    if longest > SOCKET_PATH_BYTES:
        raise Failure(
            ExitCode.USAGE,
            f"the folder {home} is too deep: a socket's path would have {longest} bytes, the system allows {SOCKET_PATH_BYTES}",
            ("Choose a shorter one with --home.",),
        )


def prepare(cluster: Cluster, hosts: list[str]) -> None:
    """Folders of the hosts, passable for sandboxes' users as the host agent wants them, and the three keys."""
    cluster.home.mkdir(parents=True, exist_ok=True)
    cluster.home.chmod(0o711)
    for host in hosts:
        cluster.host_home(host).mkdir(exist_ok=True)
    make_key(cluster.key_file)
    make_key(cluster.operator_key_file)
    make_key(cluster.secrets_key_file)


def make_key(file: Path) -> None:
    """For this user alone; one that is there stays."""
    if not file.exists():
        new = file.with_suffix(".new")
        new.touch(mode=0o600)
        new.write_text(secrets.token_urlsafe(KEY_BYTES) + "\n")
        new.rename(file)


def known(home: Path) -> Cluster | None:
    """The cluster that was last started in this home, running or not."""
    try:
        record = json.loads((home / "cluster.json").read_text())
    except FileNotFoundError:
        return None
    del record["schema"]
    return Cluster(**(record | {"home": home}))
