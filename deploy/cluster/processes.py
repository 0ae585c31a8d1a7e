"""A cluster without containers, where no Docker engine answers: the same parts as plain processes of this user, with plain
sandboxes. Each has a folder, a log and a file with its pid and when it began; nothing else is ever ended."""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from sand.command.failure import ExitCode, Failure
from sand.command.ports import free_ports
from sand.command.program import MAIN_CLASS, checkout, class_path, find_java, jvm_options

from cluster.compose import FRONTENDS, KAFKA_ENVIRONMENT, host_names
from cluster.part import Part
from cluster.place import Cluster

STOP_SECONDS = 45
LOG_BYTES = 20 << 20
PORTS = ("kafka", "controller", "cassandra", "storage")


@dataclass(frozen=True)
class Program:
    """How a part is started, and the command that tells whether it is well."""

    name: str
    command: list[str]
    environment: dict[str, str]
    check: list[str]


def choose_ports(hosts: int) -> dict[str, int]:
    """Free ones, kept for the cluster's life: data names them."""
    names = [*PORTS, *FRONTENDS]
    for host in host_names(hosts):
        names += [host, health_of(host), data_of(host)]
    return dict(zip(names, free_ports(len(names)), strict=True))


def health_of(name: str) -> str:
    return f"{name}-health"


def data_of(name: str) -> str:
    return f"{name}-data"


def programs(cluster: Cluster) -> list[Program]:
    images = deploy_folder() / "images"
    ports = cluster.ports
    found = [kafka(cluster, images), cassandra(cluster, images)]
    for name in host_names(cluster.hosts):
        here, health = f"127.0.0.1:{ports[name]}", f"127.0.0.1:{ports[health_of(name)]}"
        options = ["--home", str(cluster.host_home(name)), "--advertise", here, "--agent-listen", here]
        options += ["--data-listen", f"127.0.0.1:{ports[data_of(name)]}"]
        options += ["--health-listen", health, "--sandbox", cluster.environment.get("SAND_CLUSTER_SANDBOX", "process")]
        found.append(platform(cluster, images, name, "host", options, ports[health_of(name)]))
    for name in FRONTENDS:
        options = ["--home", str(cluster.home / name), "--listen", f"127.0.0.1:{ports[name]}"]
        options += ["--operator-key", str(cluster.operator_key_file)]
        found.append(platform(cluster, images, name, "frontend", options, ports[name]))
    return [*found, nginx(cluster, images)]


def kafka(cluster: Cluster, images: Path) -> Program:
    port, controller = cluster.ports["kafka"], cluster.ports["controller"]
    environment = KAFKA_ENVIRONMENT | {
        "KAFKA_CONTROLLER_QUORUM_VOTERS": f"1@127.0.0.1:{controller}",
        "KAFKA_LISTENERS": f"PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller}",
        "KAFKA_ADVERTISED_LISTENERS": f"PLAINTEXT://127.0.0.1:{port}",
        "KAFKA_LOG_DIRS": str(cluster.home / "kafka/data"),
        "KAFKA_PROPERTIES": str(cluster.home / "kafka/server.properties"),
        "KAFKA_CLASSES": cluster.environment["SAND_KAFKA_JARS"] + "/*",
        "JAVA_HOME": str(java().parents[1]),
    }
    return Program(
        "kafka", [str(images / "kafka/start.sh")], environment, [str(images / "kafka/health.sh"), "127.0.0.1", str(port)]
    )


def cassandra(cluster: Cluster, images: Path) -> Program:
    port = cluster.ports["cassandra"]
    environment = {
        "CASSANDRA_HOME": str(images / "cassandra"),
        "CASSANDRA_DATA": str(cluster.home / "cassandra/data"),
        "CASSANDRA_CONF": str(cluster.home / "cassandra/conf"),
        "CASSANDRA_CLASSES": cluster.environment["SAND_CASSANDRA_JARS"] + "/*",
        "CASSANDRA_LISTEN_ADDRESS": "127.0.0.1",
        "CASSANDRA_RPC_ADDRESS": "127.0.0.1",
        "CASSANDRA_STORAGE_PORT": str(cluster.ports["storage"]),
        "CASSANDRA_SEEDS": f"127.0.0.1:{cluster.ports['storage']}",
        "CASSANDRA_NATIVE_PORT": str(port),
        "MAX_HEAP_SIZE": os.environ.get("SAND_CASSANDRA_HEAP", "768M"),
        "JAVA_HOME": os.environ.get("SAND_JAVA17_HOME", cluster.environment.get("SAND_JAVA17_HOME", "")),
    }
    check = [str(images / "cassandra/health.sh"), "127.0.0.1", str(port)]
    return Program("cassandra", [str(images / "cassandra/start.sh")], environment, check)


def platform(cluster: Cluster, images: Path, name: str, role: str, options: list[str], health: int) -> Program:
    jars = class_path()
    command = [str(java()), *jvm_options(jars), "-Xmx768m", "-cp", jars, MAIN_CLASS, "--role", role, "--host-id", name]
    command += ["--secrets-key", str(cluster.secrets_key_file)]
    buses = [
        "--bus",
        f"kafka:127.0.0.1:{cluster.ports['kafka']}",
        "--store",
        f"cassandra:127.0.0.1:{cluster.ports['cassandra']}",
    ]
    check = [str(images / "platform/health.sh"), "127.0.0.1", str(health), "/readyz"]
    shared = ["--cluster-key", str(cluster.key_file), "--session", os.environ.get("SAND_SESSION", "3s")]
    return Program(name, [*command, *buses, *shared, "--management", cluster.management, *options], {}, check)


def nginx(cluster: Cluster, images: Path) -> Program:
    """With the files that its image has, moved to the cluster's home."""
    folder = cluster.home / "nginx"
    program = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/usr/local/sbin")
    if program is None:
        raise Failure(ExitCode.PLATFORM_FAILED, "nginx is not installed", ("On Debian: apt-get install nginx-light.",))
    folder.mkdir(parents=True, exist_ok=True)
    moves = {"/etc/nginx": str(folder), "/var/log/nginx": str(folder), "/tmp/nginx": f"{folder}/nginx"}
    moves["listen 8080"] = f"listen {cluster.listen}"
    for file in (images / "nginx/nginx.conf", images.parent / "nginx/sand.conf"):
        text = file.read_text()
        for there, here in moves.items():
            text = text.replace(there, here)
        (folder / file.name).write_text(text)
    servers = [f"server 127.0.0.1:{cluster.ports[name]} max_fails=2 fail_timeout=5s;\n" for name in FRONTENDS]
    (folder / "sand-frontends.inc").write_text("".join(servers))
    host, _, port = cluster.listen.rpartition(":")
    check = [str(images / "platform/health.sh"), host, port, "/-/nginx"]
    return Program("nginx", [program, "-c", str(folder / "nginx.conf"), "-g", "daemon off;"], {}, check)


def java() -> Path:
    found = find_java()
    if found is None:
        raise Failure(ExitCode.PLATFORM_FAILED, "no Java of version 25 or later was found", ("./sand setup installs one.",))
    return found


def deploy_folder() -> Path:
    top = checkout()
    if top is None:
        raise Failure(ExitCode.PLATFORM_FAILED, "a cluster needs a checkout of the platform")
    return top / "deploy"


def start(cluster: Cluster) -> None:
    """Starts what does not run; ends what is no longer wanted, or wanted with another management."""
    wanted = {program.name: program for program in programs(cluster)}
    unwanted = [name for name in started(cluster) if name not in wanted]
    others = [
        name for name in started(cluster) if name in wanted and managed(cluster, name) != management_of(wanted[name].command)
    ]
    for group in ([name for name in others if name in FRONTENDS], [name for name in others if name not in FRONTENDS], unwanted):
        end(cluster, group)
    for name, program in wanted.items():
        if pid_of(cluster, name) is None:
            launch(cluster, program)


def launch(cluster: Cluster, program: Program) -> None:
    folder = cluster.home / program.name
    folder.mkdir(parents=True, exist_ok=True)
    log = log_file(cluster, program.name)
    if log.exists() and log.stat().st_size > LOG_BYTES:
        log.replace(log.with_suffix(".log.old"))
    with log.open("ab") as output:
        process = subprocess.Popen(
            program.command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            cwd=folder,
            env=os.environ | program.environment,
        )
    record = {"pid": process.pid, "began": began(process.pid), "management": management_of(program.command)}
    pid_file(cluster, program.name).write_text(json.dumps(record))


def management_of(command: list[str]) -> str | None:
    """What a host agent or a frontend is told with --management; None: it is another part."""
    return command[command.index("--management") + 1] if "--management" in command else None


def managed(cluster: Cluster, name: str) -> str | None:
    """What that part was told when it was started."""
    try:
        return json.loads(pid_file(cluster, name).read_text()).get("management")
    except (FileNotFoundError, ValueError):
        return None


def stop(cluster: Cluster, *, purge: bool) -> None:
    """From the top down: nobody asks a frontend any more, then the frontends, the hosts, and what they stand on."""
    names = started(cluster)
    front = [name for name in names if name == "nginx"]
    ends = [front, [n for n in names if n in FRONTENDS], [n for n in names if n.startswith("host")], names]
    for group in ends:
        end(cluster, [name for name in group if pid_file(cluster, name).exists()])


def end(cluster: Cluster, names: list[str]) -> None:
    for name in names:
        signal_to(cluster, name, signal.SIGTERM)
    deadline = time.monotonic() + STOP_SECONDS
    while any(pid_of(cluster, name) for name in names) and time.monotonic() < deadline:
        time.sleep(0.1)
    for name in names:
        signal_to(cluster, name, signal.SIGKILL)
        pid_file(cluster, name).unlink(missing_ok=True)


def signal_to(cluster: Cluster, name: str, number: signal.Signals) -> None:
    pid = pid_of(cluster, name)
    if pid is not None:
        # It may end by itself between the look and the signal.
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)


def parts(cluster: Cluster) -> list[Part]:
    found = []
    for name in sorted(started(cluster)):
        pid = pid_of(cluster, name)
        found.append(Part(name, str(pid or ""), "running" if pid else "exited", 0))
    return found


def sandboxes(cluster: Cluster, host: str) -> list[str]:
    """Their folders: plain processes have nothing else that shows whose they are."""
    run = cluster.host_home(host) / "run"
    return [folder.name for folder in run.iterdir()] if run.is_dir() else []


def probe(cluster: Cluster, part: Part) -> bool:
    check = next((program.check for program in programs(cluster) if program.name == part.name), None)
    if part.state != "running" or check is None:
        return False
    return subprocess.run(check, capture_output=True, timeout=30, check=False).returncode == 0


def last_words(cluster: Cluster, part: Part, lines: int) -> list[str]:
    log = log_file(cluster, part.name)
    return log.read_text(errors="replace").splitlines()[-lines:] if log.exists() else []


def started(cluster: Cluster) -> list[str]:
    return [file.stem for file in cluster.home.glob("*.pid")]


def pid_file(cluster: Cluster, name: str) -> Path:
    return cluster.home / f"{name}.pid"


def log_file(cluster: Cluster, name: str) -> Path:
    return cluster.home / f"{name}.log"


def pid_of(cluster: Cluster, name: str) -> int | None:
    """The part's process, when it still is the one that was started: numbers are given again."""
    try:
        record = json.loads(pid_file(cluster, name).read_text())
    except (FileNotFoundError, ValueError):
        return None
    now = began(record["pid"])
    return record["pid"] if now is not None and now == record["began"] else None


def began(pid: int) -> str | None:
    """When that process began, in the kernel's ticks; None when there is none, or only its remains."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return None
    return None if fields[0] == "Z" else fields[19]
