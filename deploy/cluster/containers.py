"""A cluster in containers: compose for the parts, labels to find what belongs to it."""

import json
import os
import shutil
import subprocess

import yaml
from sand.command.failure import ExitCode, Failure

from cluster.compose import MOST_HOSTS, host_names
from cluster.compose import compose as compose_description
from cluster.part import Part
from cluster.place import Cluster
from cluster.surroundings import carried_into

COMPOSE_SECONDS = 300
CALL_SECONDS = 60
CLUSTER_LABEL = "dev.sand.cluster"
PART_LABEL = "dev.sand.part"
# On sandboxes, by the host agents that started them.
SANDBOX_HOME_LABEL = "dev.sand.home"


def compose_command() -> list[str]:
    if shutil.which("docker") and run(["docker", "compose", "version"], check=False).returncode == 0:
        return ["docker", "compose"]
    if shutil.which("docker-compose"):
        return ["docker-compose"]
    raise Failure(
        ExitCode.PLATFORM_FAILED,
        "neither 'docker compose' nor docker-compose is here",
        ("Install one (on Debian: apt-get install docker-compose).",),
    )


def compose(cluster: Cluster, *arguments: str) -> None:
    """Runs compose over the cluster's file; its talk is shown only when it fails."""
    command = [*compose_command(), "-p", cluster.name, "-f", str(cluster.compose_file), *arguments]
    done = run(command, seconds=COMPOSE_SECONDS, check=False, environment=cluster.variables())
    if done.returncode != 0:
        raise Failure(
            ExitCode.PLATFORM_FAILED,
            f"compose could not do '{' '.join(arguments)}'",
            last_lines(done.stderr.strip() or done.stdout, 20),
        )


def run(
    command: list[str], *, seconds: float = CALL_SECONDS, check: bool = True, environment: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            timeout=seconds,
            check=False,
            env=os.environ | (environment or {}),
        )
    except subprocess.TimeoutExpired as e:
        raise Failure(ExitCode.TIMED_OUT, f"'{' '.join(command[:4])} …' did not end within {seconds:.0f} s") from e
    if check and done.returncode != 0:
        raise Failure(ExitCode.PLATFORM_FAILED, f"'{' '.join(command[:4])} …' failed", last_lines(done.stderr, 5))
    return done


def last_lines(text: str, most: int) -> tuple[str, ...]:
    return tuple(text.strip().splitlines()[-most:])


def start(cluster: Cluster) -> None:
    """Starts what does not run or is not as it should be; ends what is no longer wanted."""
    file = compose_description(cluster.hosts)
    for name in host_names(cluster.hosts):
        file["services"][name] = carried_into(file["services"][name])
    cluster.compose_file.touch(mode=0o600)  # proxies may hold credentials
    cluster.compose_file.write_text(yaml.safe_dump(file, sort_keys=False, width=140))
    compose(cluster, "up", "-d", "--remove-orphans")
    leave_no_sandboxes(cluster, beyond=cluster.hosts)


def stop(cluster: Cluster, *, purge: bool) -> None:
    compose(cluster, "down", "--remove-orphans", *(["-v"] if purge else []))
    leave_no_sandboxes(cluster, beyond=0)
    if purge:
        remove_host_homes(cluster)


def leave_no_sandboxes(cluster: Cluster, *, beyond: int) -> None:
    """A host agent that was killed could not end its own."""
    for name in host_names(MOST_HOSTS)[beyond:]:
        found = sandboxes(cluster, name)
        if found:
            run(["docker", "rm", "-f", *found])


def remove_host_homes(cluster: Cluster) -> None:
    """Host agents run as root in their containers: their files are removed in one when this is somebody else."""
    homes = [cluster.host_home(name) for name in host_names(MOST_HOSTS)]
    present = [str(home) for home in homes if home.exists()]
    if os.geteuid() != 0 and present:
        image = cluster.environment.get("SAND_SANDBOX_IMAGE", "sand-sandbox:latest")
        where = ["--network", "none", "--user", "0", "-v", f"{cluster.home}:{cluster.home}"]
        run(["docker", "run", "--rm", *where, "--entrypoint", "rm", image, "-rf", *present])


def parts(cluster: Cluster) -> list[Part]:
    """The cluster's containers, by name of the part."""
    inspected = inspect(containers(f"{CLUSTER_LABEL}={cluster.name}"))
    found = [
        Part(
            container["Config"]["Labels"][PART_LABEL],
            container["Id"],
            container["State"]["Status"],
            container["RestartCount"],
        )
        for container in inspected
    ]
    return sorted(found, key=lambda part: part.name)


def probe(_cluster: Cluster, part: Part) -> bool:
    """Whether its own check passes at this moment; Docker's knowledge of it may be ten seconds old."""
    if part.state != "running":
        return False
    command = inspect([part.id])[0]["Config"]["Healthcheck"]["Test"][1]
    return run(["docker", "exec", part.id, "sh", "-c", command], check=False).returncode == 0


def sandboxes(cluster: Cluster, host: str) -> list[str]:
    return containers(f"{SANDBOX_HOME_LABEL}={cluster.host_home(host)}")


def last_words(_cluster: Cluster, part: Part, lines: int) -> list[str]:
    done = run(["docker", "logs", "--tail", str(lines), part.id], check=False)
    return (done.stdout + done.stderr).strip().splitlines()[-lines:]


def containers(label: str) -> list[str]:
    return run(["docker", "ps", "-aq", "--no-trunc", "--filter", f"label={label}"]).stdout.split()


def inspect(found: list[str]) -> list[dict]:
    if not found:
        return []
    # One that ended between the two calls is no failure: what could be inspected is on stdout all the same.
    return json.loads(run(["docker", "inspect", *found], check=False).stdout or "[]")
