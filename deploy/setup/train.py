"""A short run of the platform from which Java keeps loaded classes and profiles (an AOT cache), so that later runs start
with them: a quicker start, and first requests that do not wait for the compiler. Called by deploy/setup/java.sh.

Usage: train.py CACHE
"""

import contextlib
import http.client
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from sand.client import Process
from sand.command.program import AOT_JARS, class_path, jars_as_they_are

APPLICATION = Path(__file__).with_name("training")
SUMS_APPLICATION = Path(__file__).with_name("training_sums")
REQUESTS = 400
COMPUTED = 100
MAPS = {"wide": 3, "shared": 10}
"""Wide Maps: their inputs are the ones that could hold a shard for long. A process an item, and an instance for many."""
ITEMS = 1000
ECHOES = {10: 1000, 64 << 10: 100, 1 << 20: 50, 5 << 20: 5}
"""Over the data plane: how many of so many bytes each."""
WORKS = {10: 200, 256 << 10: 20}
"""Of what a function does in its process, with values of so many bytes."""
SUMS = {1 << 10: 400, (64 << 10) + 128: 400}
"""Of functions that change their process one after the other, with values of so many bytes."""
SWAPS = 5
UNFINISHED = 20
SCRAPES = 3
READY_LINES = 200
STOP_SECONDS = 120


def main(cache: Path) -> None:
    with tempfile.TemporaryDirectory(prefix="sand-train-", dir="/tmp") as folder:
        Path(folder).chmod(0o711)  # sandboxes have users of their own
        application = Path(folder) / "training"
        shutil.copytree(APPLICATION, application)
        command = [
            sys.executable,
            "-P",
            "-m",
            "sand.command",
            "up",
            "--home",
            f"{folder}/home",
            "--listen",
            "127.0.0.1:0",
            "--sandbox",
            "process",
            "--management",
            "off",
        ]
        with started(command, None) as (server, first):
            sand("--server", server, "deploy", str(application))
            leave_unfinished(server)
            first.kill()
        # What comes back from the journal is recovered in the run that Java learns from.
        with started(command, f"-XX:AOTCacheOutput={cache} -Xlog:aot=off") as (server, _):
            (application / "grains" / "greet" / "handler.py").open("a").write("\n# a second version\n")
            sand("--server", server, "deploy", str(application))
            for target, times in {"main": REQUESTS, "greet": REQUESTS, "computed": COMPUTED}.items():
                call(server, f"/invoke/training/{target}", b'{"name": "Ada"}', times)
            for target, times in MAPS.items():
                call(server, f"/invoke/training/{target}", json.dumps(list(range(ITEMS))).encode(), times)
            call(server, "/api/v1/applications/training/queues/later", b'{"name": "Ada"}', REQUESTS)
            converse(server)
            sand("--server", server, "deploy", str(SUMS_APPLICATION))
            add_up(server)
            sand("--server", server, "invocations", "list", "training")
            call(server, "/metrics", b"", SCRAPES, "GET")
    cache.with_name(AOT_JARS).write_text(jars_as_they_are(class_path()))


@contextlib.contextmanager
def started(command: list[str], options: str | None) -> Iterator[tuple[str, subprocess.Popen]]:
    """The platform's address and process; it is stopped afterwards."""
    environment = dict(os.environ) if options is None else dict(os.environ, SAND_JVM_OPTIONS=options)
    platform = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
    try:
        yield ready(platform), platform
    finally:
        platform.terminate()
        platform.communicate(timeout=STOP_SECONDS)


def leave_unfinished(server: str) -> None:
    """Requests that were accepted and do not end before the platform is killed: their sandbox is not there yet."""
    connection = http.client.HTTPConnection(server.removeprefix("http://"), timeout=60)
    for _ in range(UNFINISHED):
        connection.request("POST", "/invoke/training/main", b'{"name": "Ada"}', {"Prefer": "respond-async"})
        connection.getresponse().read()
    connection.close()


def converse(server: str) -> None:
    """What clients and functions do with a cloud process."""
    with Process(server, "training", "one") as process:
        for function, rounds in {"echo": ECHOES, "work": WORKS}.items():
            for size, times in rounds.items():
                for _ in range(times):
                    process.invoke(function, bytes(size))
    for _ in range(SWAPS):
        for step in ("swap-out", "swap-in", "checkpoint"):
            call(server, f"/api/v1/applications/training/processes/one/{step}", b"", 1)


def add_up(server: str) -> None:
    """As functions do that reduce: what they find and leave is the process's state."""
    with Process(server, "training-sums", "one") as process:
        for size, times in SUMS.items():
            for _ in range(times):
                process.invoke("add", bytes(size))


def sand(*arguments: str) -> None:
    subprocess.run([sys.executable, "-P", "-m", "sand.command", *arguments], check=True, stdout=sys.stderr, timeout=120)


def ready(platform: subprocess.Popen) -> str:
    for _ in range(READY_LINES):
        line = platform.stdout.readline()
        if found := re.match(r"ready (http://\S+)", line):
            return found[1]
        if not line:
            break
    raise SystemExit("the platform did not start")


def call(server: str, path: str, body: bytes, times: int, method: str = "POST") -> None:
    connection = http.client.HTTPConnection(server.removeprefix("http://"), timeout=60)
    for _ in range(times):
        connection.request(method, path, body, {"Content-Type": "application/json"})
        answer = connection.getresponse()
        answer.read()
        if answer.status >= 300:
            raise SystemExit(f"{path} answered {answer.status}")
    connection.close()


main(Path(sys.argv[1]))
