"""What the platform does when the machine around it fails: Docker's engine goes away, the disk is full."""

import itertools
import os
import shutil
import socket
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import httpx
import pytest
from conftest import Tested, is_problem, sandbox_option, until, zipped
from sand.command.failure import Failure
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


PUT = "def handle(event, context):\n    return context.data.put('key', event)\n"
QUEUE = "/api/v1/applications/small/queues/jobs"


@pytest.mark.slow
def test_a_full_disk_refuses_what_it_cannot_keep_and_loses_nothing(small_disk: Path):
    """Whatever needs room says so, what needs none goes on; all of it works again as soon as there is some."""
    local = LocalPlatform(*sandbox_option(), home=small_disk)
    local.start()
    try:
        tested = Tested(local)
        configuration = "name: {}\nqueues: {{jobs: {{target: hello}}}}\n"
        files = {"sand.yaml": configuration.format("small"), "grains/hello/handler.py": HELLO, "grains/put/handler.py": PUT}
        assert tested.deploy_files(files).status_code == 201
        assert tested.ask("small/hello", 1) == 1
        first = tested.ask("small/put", "before")
        # A little room, that is used up by what is accepted.
        fill(small_disk / "ballast", spare_bytes=2 << 20)
        kept, refused = accept_until_refused(tested)
        assert refused.status_code in (503, 507), refused.text
        problem = is_problem(refused, refused.status_code, "platform")
        assert problem["retryable"] and "no room" in problem["detail"], problem
        assert refused.headers["Retry-After"]
        (small_disk / "rest").touch()
        fill(small_disk / "rest")

        put = until(lambda: (got := tested.invoke("small/put", "x" * 50_000)).status_code != 200 and got, "data is refused")
        assert put.json()["error"] == "Sand.Unavailable" and "no room" in put.json()["detail"], put.text
        for number in range(6):  # more than may be under way at once: none of them stays
            again = {**files, "sand.yaml": configuration.format(f"new-{number}")}
            deployed = without_room(small_disk, lambda again=again: tested.deploy_files(again), "a deployment is refused")
            assert is_problem(deployed, 507, "platform")["retryable"]
            assert deployed.headers["Retry-After"]
        keys = (f"k{number}" for number in itertools.count())
        named = without_room(
            small_disk, lambda: tested.invoke("small/hello", 1, Idempotency_Key=next(keys)), "a request with a key is refused"
        )
        assert named.status_code in (503, 507)
        sent = until(
            lambda: (got := tested.http.post(QUEUE, json="x" * 50_000)).status_code != 202 and got, "messages are refused"
        )
        assert is_problem(sent, 507, "platform")["retryable"]  # the disk, and not a queue that has too many
        assert tested.ask("small/hello", 2) == 2
        # It says so for as long as nothing finds room: what ends gives some back now and then.
        until(
            lambda: (
                tested.http.post(QUEUE, json="x" * 50_000).status_code == 507 and tested.http.get("/readyz").status_code == 503
            ),
            "it is not ready",
        )

        (small_disk / "ballast").unlink()
        (small_disk / "rest").unlink()
        until(lambda: tested.invoke("small/hello", 2, Prefer="respond-async").status_code == 202, "there is room again")
        until(lambda: tested.http.get("/readyz").is_success, "it is ready again")
        assert until(lambda: tested.invoke("small/put", "after").status_code == 200, "data is kept again")
        assert tested.ask("small/put", "last") > first
        assert tested.deploy_files({**files, "sand.yaml": configuration.format("new-1")}).status_code == 201
        assert tested.http.post(QUEUE, json=1).status_code == 202
        assert tested.invoke("small/hello", 1, Idempotency_Key="k").json() == 1
        for invocation in kept:
            assert tested.ended("small", invocation)["status"] == "SUCCEEDED"
        local.kill()
        local.start()
        tested = Tested(local)
        for invocation in kept:
            assert tested.ended("small", invocation)["status"] == "SUCCEEDED"
    finally:
        local.stop()


@pytest.mark.slow
def test_on_a_full_disk_an_application_is_deleted_or_stays(small_disk: Path):
    """Whatever is answered is so; what of it has no room to be removed is, by who deletes it again."""
    local = LocalPlatform(*sandbox_option(), home=small_disk)
    local.start()
    try:
        tested = Tested(local)
        files = {"sand.yaml": "name: small\nqueues: {jobs: {target: hello}}\n", "grains/hello/handler.py": HELLO}
        at = "/api/v1/applications/small"
        for spare_kb in (400, 200, 100, 20, 0):
            assert tested.deploy_files(files).status_code == 201
            assert tested.ask("small/hello", 1) == 1
            fill(small_disk / "ballast", spare_bytes=spare_kb << 10)
            deleted = tested.http.delete(at)
            there = tested.http.get(at).status_code
            (small_disk / "ballast").unlink()
            assert (deleted.status_code, there) in ((204, 404), (507, 200), (503, 200)), (spare_kb, deleted.text)
            if there == 200:
                assert tested.ask("small/hello", 2) == 2
            until(lambda: tested.http.delete(at).status_code in (204, 404), "it is deleted")
            assert tested.http.get(at).status_code == 404
            until(lambda: tested.http.delete(at).status_code == 404, "nothing of it is left")
    finally:
        local.stop()


def without_room(disk: Path, ask: Callable[[], httpx.Response], what: str) -> httpx.Response:
    """The refusal of what is asked again and again: what ends meanwhile gives room back, that is taken first."""

    def refused() -> httpx.Response | None:
        fill(disk / "rest")
        return None if (answer := ask()).is_success else answer

    return until(refused, what)


def accept_until_refused(tested: Tested) -> tuple[list[str], httpx.Response]:
    """Asynchronous requests with bodies, until one is not accepted: the ids of the others, and that answer."""
    kept: list[str] = []
    for _ in range(5000):
        response = tested.invoke("small/hello", "x" * 20_000, Prefer="respond-async")
        if response.status_code != 202:
            return kept, response
        kept.append(response.headers["Sand-Execution-Id"])
    raise AssertionError("the disk does not fill up")


@pytest.mark.slow
def test_a_platform_does_not_start_on_a_full_disk_and_says_why(small_disk: Path):
    fill(small_disk / "ballast")
    (small_disk / "up.log").touch()
    with pytest.raises(Failure) as failed:
        LocalPlatform(*sandbox_option(), home=small_disk).start()
    told = "\n".join(failed.value.lines)
    assert "Traceback" not in told and "\tat " not in told
    (small_disk / "ballast").unlink()
    local = LocalPlatform(*sandbox_option(), home=small_disk).start()
    local.stop()


def fill(path: Path, spare_bytes: int = 0) -> None:
    with path.open("ab") as ballast, suppress(OSError):
        while shutil.disk_usage(path.parent).free > spare_bytes:
            os.write(ballast.fileno(), bytes(64 << 10 if spare_bytes else 4 << 10))
