"""`./sand bench [NAME ...] [--json FILE] [--sandbox docker|process] [--kills N] [--minutes N]`: see docs/BENCHMARKS.md."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

import httpx
from sand.command.failure import Failure
from sand.errors import SandError

from . import (
    access,
    backup,
    cold,
    data_plane,
    delivery,
    hop,
    invocation,
    killed,
    management,
    memory,
    pages,
    processes,
    soak,
    transition,
    warm,
)
from .peers import http as peers
from .table import Row, figure, markdown, plain, write_json
from .under_test import ROOT, Platform

# Parts that share one warm platform, in this order.
SHARED: dict[str, Callable[[Platform], list[Row]]] = {
    "interaction": warm.interaction,
    "http-request": warm.http_request,
    "http-worker": warm.http_worker,
    "throughput-request": warm.throughput,
    "local-vs-global": hop.local_vs_global,
    "memory-call": memory.memory_call,
    "shared-library": memory.shared_library,
    "soak": soak.soak,
}
# Parts that bring what they run on.
ALONE: dict[str, Callable[[argparse.Namespace], list[Row]]] = {
    "cold-app": lambda arguments: cold.cold_app(arguments.sandbox),
    "delivery": lambda _: delivery.delivery(),
    "workflow-transition": lambda _: transition.workflow_transition(),
    "wide-map": lambda arguments: transition.wide_map(arguments.sandbox),
    "backup-embedded": lambda arguments: backup.embedded(arguments.sandbox),
    "backup-kafka": lambda arguments: backup.over_kafka(arguments.sandbox),
    "invocation": lambda arguments: invocation.invocation(arguments.sandbox),
    "take-over": lambda arguments: killed.take_over(arguments.sandbox, arguments.kills),
    "host-failures": lambda arguments: killed.host_failures(arguments.sandbox, arguments.minutes),
    "management-call": lambda arguments: management.management_call(arguments.sandbox),
    "management-cluster": lambda arguments: management.management_cluster(arguments.sandbox),
    "access": lambda arguments: access.access(arguments.sandbox),
    "page-load": lambda arguments: pages.page_load(arguments.sandbox),
    "data-plane": lambda arguments: data_plane.data_plane(arguments.sandbox),
    **{name: lambda arguments, part=part: part(arguments.sandbox) for name, part in processes.PARTS.items()},
    "peers": lambda _: peers.measure(),
}
# Names of several.
GROUPS = {"processes": [*processes.PARTS, "data-plane"]}
NAMES = [*SHARED, *ALONE, *GROUPS]
BACKUP = (
    "Backups to the embedded global bus are on (durability: relaxed); what begins and ends within one batch of 10 ms, "
    "with nobody waiting for its backup, leaves nothing to recover and is not written. Rows over Kafka and several hosts have "
    "the brokers, Cassandra, all hosts and their client on the same cores."
)


def main() -> int:
    arguments = parse()
    named = [each for name in arguments.names for each in GROUPS.get(name, [name])]
    names = named or [*SHARED, *ALONE]
    rows: list[Row] = []
    shared = [name for name in names if name in SHARED]
    if shared:
        with Platform(arguments.sandbox) as platform:
            warm.prepare(platform)
            for name in shared:
                rows += show(name, lambda name=name: SHARED[name](platform))
    for name, part in ALONE.items():
        if name in names or (name == "peers" and "http-request" in names):
            rows += show(name, lambda part=part: part(arguments))
    if "peers" in names or "http-request" in names:
        rows += show("ratio", lambda: against_fork(rows))
    if arguments.json:
        write_json(rows, arguments.json)
    if not arguments.names:
        text = markdown(rows, "./sand bench", f"Sandboxes: {arguments.sandbox}. {BACKUP}")
        (ROOT / "docs" / "BENCHMARKS.md").write_text(text)
    missed = [row.id for row in rows if row.met is False]
    print(f"\n{len(rows)} figures; missed: {', '.join(missed) or 'none'}")
    return 0


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="./sand bench", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(NAMES))
    parser.add_argument("--json", type=Path, help="write one object a row to this file")
    parser.add_argument("--sandbox", default="docker", choices=("docker", "process"))
    parser.add_argument("--kills", type=int, default=9, help="how often take-over kills a host [9]")
    parser.add_argument("--minutes", type=int, default=10, help="how long host-failures lasts [10]")
    arguments = parser.parse_args()
    unknown = set(arguments.names) - set(NAMES)
    if unknown:
        parser.error(f"no part named {', '.join(sorted(unknown))}; there are {', '.join(NAMES)}")
    return arguments


def show(name: str, part: Callable[[], list[Row]]) -> list[Row]:
    """Runs a part and prints its rows as they come; a part that breaks is a missed row, and the others go on."""
    print(f"-- {name}", file=sys.stderr, flush=True)
    try:
        rows = part()
    except (RuntimeError, OSError, Failure, SandError, httpx.HTTPError) as error:
        rows = [Row(name, "SAND", "-", None, None, None, "to run", False, " ".join(str(error).split())[:300])]
    for row in rows:
        print(plain(row), flush=True)
    return rows


def against_fork(rows: list[Row]) -> list[Row]:
    """http-request against a process a request elsewhere: of-watchdog's mode, or the least that one can do."""
    ours = next((row.p50 for row in rows if row.id == "http-request"), None)
    theirs = {row.id: row for row in rows if row.p50}
    for id in ("peer-of-watchdog-fork", "peer-exec"):
        if ours and id in theirs:
            note = f"{theirs[id].system}: {theirs[id].p50:g} ms against {ours:g} ms"
            return [figure("http-request-ratio", "SAND", "ratio", theirs[id].p50 / ours, at_least=30, note=note)]
    return []


if __name__ == "__main__":
    sys.exit(main())
