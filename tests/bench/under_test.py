"""Starts the platform under test, `sand up` with Docker sandboxes, in a home of its own, and ends it again."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from sand.command.ports import free_port

ROOT = Path(__file__).resolve().parents[2]
APPS = Path(__file__).resolve().parent / "apps"
READY_SECONDS = 60
# Of calls of a kind, or of a few in turns, before the first is measured: as a platform that has run for a while is called.
WARM_SECONDS = 25


def warm(call: Callable[[], object]) -> None:
    """Makes a call for WARM_SECONDS. A platform's first seconds under load belong to Java's compiler: on two cores, what a call
    runs through is translated after ten to thirty seconds of such calls, until when the compiler has up to one of the cores."""
    end = time.monotonic() + WARM_SECONDS
    while time.monotonic() < end:
        call()


def timed(call: Callable[[], object], times: int = 1) -> float:
    """Seconds of all together."""
    began = time.perf_counter()
    for _ in range(times):
        call()
    return time.perf_counter() - began


class Platform:
    """A running `sand up`. `sandbox` is docker or process; `pool` the number of blank sandboxes kept ready; `environment`
    goes beside this process's."""

    def __init__(
        self, sandbox: str = "docker", pool: int = 1, environment: Mapping[str, str] | None = None, options: Sequence[str] = ()
    ) -> None:
        self.home = Path(tempfile.mkdtemp(prefix="sand-bench-", dir="/tmp"))
        self.port = free_port()
        self.log = self.home / "up.log"
        command = [
            "sand",
            "up",
            "--home",
            str(self.home),
            "--listen",
            f"127.0.0.1:{self.port}",
            "--sandbox",
            sandbox,
            "--pool",
            str(pool),
            *(() if "--management" in options else ("--management", "off")),
            *options,
        ]
        self._process = subprocess.Popen(
            command,
            stdout=self.log.open("wb"),
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            start_new_session=True,
            env=os.environ | (environment or {}),
        )
        self._wait_until_ready()

    def _wait_until_ready(self) -> None:
        deadline = time.monotonic() + READY_SECONDS
        while time.monotonic() < deadline:
            if self._process.poll() is not None:
                raise RuntimeError(f"sand up ended: {self.log.read_text()[-2000:]}")
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/readyz", timeout=2):
                    return
            except OSError:
                time.sleep(0.05)
        raise RuntimeError(f"sand up is not ready after {READY_SECONDS} s: {self.log.read_text()[-2000:]}")

    def deploy(self, folder: Path) -> None:
        self.sand("deploy", str(folder))

    def sand(self, *arguments: str, key_file: Path | None = None) -> str:
        done = subprocess.run(
            ["sand", "--server", f"http://127.0.0.1:{self.port}", *arguments],
            capture_output=True,
            text=True,
            timeout=600,
            env=os.environ | ({} if key_file is None else {"SAND_KEY_FILE": str(key_file)}),
        )
        if done.returncode != 0:
            raise RuntimeError(f"sand {' '.join(arguments)}: {done.returncode}\n{done.stdout}\n{done.stderr}")
        return done.stdout

    def get(self, path: str) -> object:
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=30) as answer:
            return json.load(answer)

    def java_pid(self) -> int:
        """The JVM's process id: the command's own (it replaces itself) or its child."""
        for folder in Path("/proc").iterdir():
            if folder.name.isdigit():
                try:
                    line = (folder / "cmdline").read_bytes().split(b"\0")
                except OSError:
                    continue
                if line[0].endswith(b"java") and str(self.home).encode() in line:
                    return int(folder.name)
        raise RuntimeError("no java process of this platform")

    def containers(self, application: str) -> list[str]:
        listed = subprocess.run(["docker", "ps", "-q", "--no-trunc"], capture_output=True, text=True, check=True)
        found = []
        for container in listed.stdout.split():
            mounts = subprocess.run(
                ["docker", "inspect", "-f", "{{json .Mounts}}", container], capture_output=True, text=True, check=False
            ).stdout
            if str(self.home) in mounts and (Path(json.loads(mounts)[0]["Source"]) / "app").exists():
                name = Path(json.loads(mounts)[0]["Source"]) / "app" / "sand.yaml"
                if name.exists() and f"name: {application}" in name.read_text():
                    found.append(container)
        return found

    def close(self) -> None:
        if self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGTERM)
            try:
                self._process.wait(60)
            except subprocess.TimeoutExpired:
                os.killpg(self._process.pid, signal.SIGKILL)
                self._process.wait(10)
        shutil.rmtree(self.home, ignore_errors=True)

    def __enter__(self) -> Platform:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def cgroup_bytes(container: str) -> int:
    """All memory charged to the container's cgroup but for clean file cache: page tables and kernel memory included."""
    one = Path(f"/sys/fs/cgroup/memory/docker/{container}")
    if one.exists():
        stat = dict(line.split() for line in (one / "memory.stat").read_text().splitlines())
        cache = int(stat["total_inactive_file"]) + int(stat["total_active_file"])
        return int((one / "memory.usage_in_bytes").read_text()) - cache
    for two in Path("/sys/fs/cgroup").glob(f"**/*{container}*"):
        if (two / "memory.current").exists():
            stat = dict(line.split() for line in (two / "memory.stat").read_text().splitlines())
            return int((two / "memory.current").read_text()) - int(stat["inactive_file"]) - int(stat["active_file"])
    raise RuntimeError(f"no memory cgroup of container {container}")
