"""`./sand cluster up | down | status`: the words and their options."""

import os
import shutil
import sys
import time
from pathlib import Path
from types import ModuleType

import click
from sand.command.failure import ExitCode, Failure
from sand.command.key import cluster_home
from sand.command.output import say, show_json, show_table

from cluster import answer, containers, place, processes
from cluster.compose import MOST_HOSTS, host_names
from cluster.part import Part
from cluster.place import Cluster

# A machine of two cores that has other work too starts eight Java programs slowly.
READY_SECONDS = 600
MANAGEMENT_SECONDS = 180
LAST_LINES = 12
# Set by deploy/setup/cluster.sh: the images that this checkout's sources make, or the jars where there is no Docker.
GIVEN = (
    *("SAND_PLATFORM_IMAGE", "SAND_KAFKA_IMAGE", "SAND_CASSANDRA_IMAGE", "SAND_NGINX_IMAGE", "SAND_SANDBOX_IMAGE"),
    *("SAND_KAFKA_JARS", "SAND_CASSANDRA_JARS", "SAND_JAVA17_HOME"),
)

home_option = click.option(
    "--home",
    type=click.Path(path_type=Path, file_okay=False, resolve_path=True),
    help="Where the cluster keeps everything.  [default: /var/lib/sand/cluster for root, else ~/.local/state/sand/cluster]",
)


@click.group(name="sand cluster", context_settings={"help_option_names": ["-h", "--help"]})
def command() -> None:
    """A platform of several hosts on this machine: host agents, two frontends, nginx, Kafka, Cassandra; in containers where
    a Docker engine answers, else as plain processes."""


@command.command()
@click.option("--hosts", type=click.IntRange(1, MOST_HOSTS), help="Host agents.  [default: 3, or as it was]")
@click.option("--listen", metavar="HOST:PORT", help="Where nginx listens.  [default: 127.0.0.1:7263, or as it was]")
@click.option(
    "--management",
    type=click.Choice(["on", "off"]),
    help="Whether grains of the management application do the platform's operations.  [default: on, or as it was]",
)
@home_option
def up(hosts: int | None, listen: str | None, management: str | None, home: Path | None) -> None:
    """Start it, wait until a deployed application answers through nginx, and print its address.

    What runs already stays as it is; with another number of hosts, some come or go, and with another --management all host
    agents and frontends start again.
    """
    began = time.monotonic()
    cluster = wanted(home or cluster_home(), hosts, listen, management)
    names = host_names(cluster.hosts)
    place.check(cluster.home, names)
    place.prepare(cluster, names)
    cluster.save()
    say(f"starting {cluster.hosts} host agents, two frontends, nginx, Kafka and Cassandra as {cluster.kind} ({cluster.home})")
    runtime(cluster).start(cluster)
    wait(cluster)
    say(f"ready after {time.monotonic() - began:.0f} s; for the sand command:")
    say(f"  export SAND_SERVER={cluster.server} SAND_KEY_FILE={cluster.operator_key_file}")
    click.echo(f"ready {cluster.server}")


def wanted(home: Path, hosts: int | None, listen: str | None, management: str | None) -> Cluster:
    """What was asked for; what was not, as it was before, else the defaults."""
    before = place.known(home)
    kind = os.environ.get("SAND_CLUSTER_KIND", "containers")
    if before and before.kind != kind:
        raise Failure(
            ExitCode.CONFLICT,
            f"the cluster in {home} was made of {before.kind}, and now they would be {kind}: its data is not in the same place",
            ("Remove it with ./sand cluster down --purge, or take another --home.",),
        )
    count = hosts or (before.hosts if before else 3)
    ports = dict(before.ports) if before else {}
    if kind == "processes":
        ports = processes.choose_ports(count) | ports
    return Cluster(
        home,
        place.name_of(home),
        kind,
        count,
        listen or (before.listen if before else "127.0.0.1:7263"),
        {name: os.environ[name] for name in GIVEN if name in os.environ},
        ports,
        management or (before.management if before else "on"),
    )


def runtime(cluster: Cluster) -> ModuleType:
    return containers if cluster.kind == "containers" else processes


def wait(cluster: Cluster) -> None:
    deadline = time.monotonic() + READY_SECONDS
    try:
        say("waiting for Kafka, Cassandra and the frontends")
        answer.wait_until("a frontend that is ready", lambda: answer.ready(cluster), deadline)
        answer.wait_until("all host agents with their slots", lambda: answer.all_owned(cluster), deadline)
        if not answer.invoke(cluster):
            answer.deploy(cluster)
            answer.wait_until("an answer of a deployed application", lambda: answer.invoke(cluster), deadline)
    except Failure as e:
        raise Failure(e.code, e.title, (*e.lines, *what_is_wrong(cluster))) from e
    if cluster.management == "on":
        wait_for_management(cluster)


def wait_for_management(cluster: Cluster) -> None:
    """A cluster without it answers all the same, so that one which does not come is no failure."""
    say("waiting for the management application")
    try:
        deadline = time.monotonic() + MANAGEMENT_SECONDS
        answer.wait_until("the management application", lambda: answer.managed(cluster), deadline)
    except Failure:
        say(f"warning: operations are done without the management application; it is {answer.management(cluster)}")


def what_is_wrong(cluster: Cluster) -> list[str]:
    """The last lines of each part that is not well, or of all when nothing shows."""
    parts = runtime(cluster)
    found = parts.parts(cluster)
    ill = [part for part in found if not parts.probe(cluster, part)] or found
    lines = []
    for part in ill:
        lines += [
            f"-- {part.name} ({part.state}, restarted {part.restarts} times):",
            *parts.last_words(cluster, part, LAST_LINES),
        ]
    return lines


@command.command()
@click.option("--purge", is_flag=True, help="Its data too: events, records, applications, bundles.")
@home_option
def down(purge: bool, home: Path | None) -> None:
    """End everything that `up` started, and only that. Data stays for the next `up` unless --purge."""
    home = home or cluster_home()
    cluster = place.known(home)
    if cluster is None:
        say(f"there is no cluster in {home}")
        return
    say("stopping: what runs may end (up to 40 s)")
    runtime(cluster).stop(cluster, purge=purge)
    if purge:
        shutil.rmtree(cluster.home)
    kept = home if cluster.kind == "processes" else f"{home} and in volumes of Docker"
    say(f"the cluster is down{', and its data is gone' if purge else f'; its data stays in {kept}'}")


@command.command()
@click.option("-o", "output", type=click.Choice(["table", "json"]), default="table", show_default=True)
@home_option
def status(output: str, home: Path | None) -> int:
    """Each part's health, and each host's slots and sandboxes. Ends with 70 when a part is not well."""
    home = home or cluster_home()
    cluster = place.known(home)
    if cluster is None:
        raise Failure(ExitCode.NOT_FOUND, f"there is no cluster in {home}", ("./sand cluster up starts one.",))
    known = {host["host"]: host for host in answer.hosts(cluster)}
    rows = [row(cluster, part, known.get(part.name)) for part in runtime(cluster).parts(cluster)]
    if output == "json":
        shown = {"server": cluster.server, "home": str(home), "hosts": cluster.hosts, "management": answer.management(cluster)}
        show_json(shown | {"parts": rows})
    else:
        columns = ["part", "state", "well", "restarts", "slots", "busy", "sandboxes"]
        show_table(columns, [[entry.get(column) for column in columns] for entry in rows])
        say(f"management: {answer.management(cluster)}")
        say(f"address: {cluster.server}" if rows else "nothing of it runs; ./sand cluster up starts it")
    return ExitCode.OK if rows and all(entry["well"] for entry in rows) else ExitCode.PLATFORM_FAILED


def row(cluster: Cluster, part: Part, host: dict | None) -> dict:
    entry: dict = {
        "part": part.name,
        "state": part.state,
        "well": runtime(cluster).probe(cluster, part),
        "restarts": part.restarts,
    }
    if part.name.startswith("host"):
        entry["well"] = entry["well"] and host is not None and not host.get("problem")
        entry["slots"] = ranges(answer.slots(host or {}))
        entry["busy"] = ((host or {}).get("place") or {}).get("busy")
        entry["sandboxes"] = len(runtime(cluster).sandboxes(cluster, part.name))
    return entry


def ranges(slots: list[int]) -> str:
    """0-3,8: consecutive ones together."""
    runs: list[list[int]] = []
    for slot in sorted(slots):
        if runs and slot == runs[-1][1] + 1:
            runs[-1][1] = slot
        else:
            runs.append([slot, slot])
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in runs)


def main() -> int:
    try:
        return int(command(standalone_mode=False) or 0)
    except Failure as e:
        for line in (e.title, *e.lines):
            say(line if line != e.title else f"sand cluster: {line}")
        return int(e.code)
    except click.exceptions.Exit as e:
        return e.exit_code
    except click.ClickException as e:
        e.show()
        return ExitCode.USAGE
    except (KeyboardInterrupt, click.Abort):
        say("interrupted; ./sand cluster down ends what was started")
        return 130


if __name__ == "__main__":
    sys.exit(main())
