"""A cluster's parts as plain processes: started once, known by pid and beginning, ended and nothing else with them."""

import contextlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "deploy"))

from cluster import processes
from cluster.place import Cluster
from cluster.processes import Program

SLEEPER = Program("kafka", ["sleep", "600"], {}, ["true"])


@pytest.fixture
def cluster(tmp_path: Path):
    made = Cluster(tmp_path, "sand-x", "processes", 1, "127.0.0.1:1", {})
    yield made
    processes.end(made, processes.started(made))


def test_a_part_runs_until_it_is_ended(cluster: Cluster) -> None:
    processes.launch(cluster, SLEEPER)
    (part,) = processes.parts(cluster)
    assert (part.name, part.state) == ("kafka", "running")
    processes.end(cluster, ["kafka"])
    assert processes.parts(cluster) == []
    assert not Path(f"/proc/{part.id}").exists() or Path(f"/proc/{part.id}/stat").read_text().split()[2] == "Z"


def test_a_part_that_died_is_told_as_such(cluster: Cluster) -> None:
    processes.launch(cluster, Program("kafka", ["true"], {}, ["true"]))
    pid = json.loads(processes.pid_file(cluster, "kafka").read_text())["pid"]
    # Whoever collects its remains, it has ended then.
    with contextlib.suppress(ChildProcessError):
        os.waitpid(pid, 0)
    assert processes.parts(cluster)[0].state == "exited"


def test_another_process_that_was_given_the_number_is_left_alone(cluster: Cluster) -> None:
    other = subprocess.Popen(["sleep", "600"])
    try:
        processes.pid_file(cluster, "kafka").write_text(json.dumps({"pid": other.pid, "began": "1"}))
        processes.end(cluster, ["kafka"])
        assert other.poll() is None
        assert not processes.pid_file(cluster, "kafka").exists()
    finally:
        other.kill()
        other.wait()


def test_ports_are_free_and_different() -> None:
    ports = processes.choose_ports(3)
    assert set(ports) >= {"kafka", "cassandra", "frontend1", "host3"}
    assert len(set(ports.values())) == len(ports)


def test_a_part_that_was_told_something_else_of_the_management_is_started_anew(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    def pids(management: str) -> dict[str, str]:
        # The words after the script are its arguments, which it does not look at.
        told = Program("host1", ["sh", "-c", "sleep 600", "--management", management], {}, ["true"])
        monkeypatch.setattr(processes, "programs", lambda _: [SLEEPER, told])
        processes.start(cluster)
        return {part.name: part.id for part in processes.parts(cluster)}

    on = pids("on")
    assert pids("on") == on
    off = pids("off")
    assert off["kafka"] == on["kafka"]
    assert off["host1"] != on["host1"]
