"""What the platform does when the machine around it fails: Docker's engine goes away, the disk is full."""

import os
import shutil
import socket
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from conftest import Tested, is_problem, sandbox_option, until, zipped
from sand.command.local import LocalPlatform

HELLO = "def handle(event, context):\n    return event\n"
ENGINE = Path("/var/run/docker.sock")


def deploy(tested: Tested, name: str) -> int:
    files = {"sand.yaml": f"name: {name}\n", "grains/hello/handler.py": HELLO}
    return tested.http.post(
        "/api/v1/applications", content=zipped(files), headers={"Content-Type": "application/zip"}
    ).status_code


class Engine:
    """Stands before Docker's engine and can be taken away, without anybody else noticing."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.there = True
        self._open: list[socket.socket] = []
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(path))
        self._listener.listen(64)
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            if not self.there:
                client.close()
                continue
            engine = socket.socket(socket.AF_UNIX)
            engine.connect(str(ENGINE))
            self._open += [client, engine]
            for source, target in ((client, engine), (engine, client)):
                threading.Thread(target=self._pump, args=(source, target), daemon=True).start()

    @staticmethod
    def _pump(source: socket.socket, target: socket.socket) -> None:
        try:
            while data := source.recv(1 << 16):
                target.sendall(data)
            target.shutdown(socket.SHUT_WR)
        except OSError:
            target.close()

    def leave(self) -> None:
        self.there = False
        for connection in self._open:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        self._open.clear()

    def come_back(self) -> None:
        self.there = True

    def close(self) -> None:
        self.leave()
        self._listener.close()


@pytest.mark.slow
def test_docker_gone_in_mid_run_is_told_and_got_over():
    if not ENGINE.exists() or sandbox_option() == ["--sandbox", "process"]:
        pytest.skip("needs Docker's engine on this machine")
    with tempfile.TemporaryDirectory(prefix="sand-", dir="/tmp") as folder:
        engine = Engine(Path(folder) / "docker.sock")
        environment = {"DOCKER_HOST": f"unix://{folder}/docker.sock"}
        with LocalPlatform("--sandbox", "docker", "--pool", "0", environment=environment) as local:
            tested = Tested(local)
            assert deploy(tested, "warm") == 201
            assert deploy(tested, "cold") == 201
            assert tested.ask("warm/hello", 1) == 1
            engine.leave()
            assert tested.ask("warm/hello", 2) == 2
            problem = is_problem(tested.invoke("cold/hello", 3, Sand_Timeout="20s"), 503, "platform")
            assert problem["error"] == "Sand.SandboxFailed"
            assert tested.ask("warm/hello", 4) == 4
            engine.come_back()
            assert until(lambda: tested.invoke("cold/hello", 5).status_code == 200, "the engine is used again")
        engine.close()


@pytest.fixture
def small_disk() -> Iterator[Path]:
    """A file system of 64 MiB that belongs to the test alone."""
    folder = Path(tempfile.mkdtemp(prefix="sand-", dir="/tmp"))
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=64m", "sand-test", str(folder)], capture_output=True, check=False
    )
    if mounted.returncode != 0:
        folder.rmdir()
        pytest.skip("needs the right to mount")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=False)
        shutil.rmtree(folder, ignore_errors=True)


@pytest.mark.slow
def test_a_full_disk_refuses_what_it_cannot_keep_and_loses_nothing(small_disk: Path):
    local = LocalPlatform(*sandbox_option(), home=small_disk)
    local.start()
    try:
        tested = Tested(local)
        assert deploy(tested, "small") == 201
        assert tested.ask("small/hello", 1) == 1
        kept = tested.invoke("small/hello", "kept", Prefer="respond-async").headers["Sand-Execution-Id"]
        fill(small_disk / "ballast")
        refused = until(
            lambda: (
                (response := tested.invoke("small/hello", "x" * 50_000, Prefer="respond-async")).status_code != 202 and response
            ),
            "the disk is full",
        )
        assert refused.status_code in (503, 507), refused.text
        assert refused.json()["retryable"]
        (small_disk / "ballast").unlink()
        until(lambda: tested.invoke("small/hello", 2, Prefer="respond-async").status_code == 202, "there is room again")
        assert tested.ended("small", kept)["status"] == "SUCCEEDED"
    finally:
        local.stop()


def fill(path: Path) -> None:
    with path.open("wb") as ballast, suppress(OSError):
        while True:
            os.write(ballast.fileno(), bytes(64 << 10))
