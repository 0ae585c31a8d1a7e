"""A host of two is drained in a browser, and takes work again: what a walk over made-up hosts cannot show."""

import os
import shutil
import sys
from collections.abc import Iterator

import pytest
from conftest import APPLICATIONS, CHECKOUT, PATIENCE_SECONDS, until
from walks import walk

sys.path.insert(0, str(CHECKOUT / "deploy"))
sys.path.insert(0, str(CHECKOUT / "tests"))

from bench.several_hosts import SeveralHosts
from sand.command.client import Platform

pytestmark = [
    pytest.mark.slow,
    pytest.mark.long,
    pytest.mark.skipif(
        shutil.which("nginx", path="/usr/sbin:/usr/bin:/usr/local/sbin") is None,
        reason="no nginx, which is before the frontends",
    ),
    pytest.mark.skipif(
        "SAND_JAVA17_HOME" not in os.environ, reason="SAND_JAVA17_HOME names no Java 17, on which Cassandra runs"
    ),
]
CALLS = 40


@pytest.fixture(scope="module")
def hosts() -> Iterator[SeveralHosts]:
    """Two, with an application that has a sandbox on each: where an execution runs its id says."""
    with SeveralHosts(2) as running:
        running.deploy(APPLICATIONS / "gate")
        with Platform(running.cluster.server) as platform:

            def has_sandboxes() -> bool:
                for number in range(CALLS):
                    platform.send("POST", "/invoke/gate/greet", {"name": str(number)})
                found = platform.get("/api/v1/status")["hosts"]
                return all(any(sandbox["state"] != "none" for sandbox in host["sandboxes"]) for host in found)

            until(has_sandboxes, "a sandbox on each host", 3 * PATIENCE_SECONDS)
        yield running


def test_a_walk_where_one_of_two_hosts_is_drained(hosts: SeveralHosts) -> None:
    walk("drained.mjs", hosts.cluster.server, *hosts.hosts)
