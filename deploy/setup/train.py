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

from sand.command.program import AOT_JARS, class_path, jars_as_they_are

REQUESTS = 400
MAPS = 40
"""Wide Maps: their inputs are the ones that could hold a shard for long."""
ITEMS = 1000
WIDE_MAPS = {"wide": "greet", "shared": "many"}
"""Each over the grain of one kind of isolation."""
WIDE = {
    "StartAt": "All",
    "States": {
        "All": {
            "Type": "Map",
            "ItemSelector": {"i.$": "$$.Map.Item.Index", "name": "Ada"},
            "ItemProcessor": {
                "StartAt": "Greet",
                "States": {"Greet": {"Type": "Task", "Resource": "%s", "End": True}},
            },
            "End": True,
        }
    },
}
UNFINISHED = 20
SCRAPES = 3
READY_LINES = 200
STOP_SECONDS = 120


def main(cache: Path) -> None:
    with tempfile.TemporaryDirectory(prefix="sand-train-", dir="/tmp") as folder:
        Path(folder).chmod(0o711)  # sandboxes have users of their own
        application = Path(folder) / "training"
        sand("init", str(application))
        shutil.copytree(application / "grains" / "greet", application / "grains" / "many")
        manifest = application / "sand.yaml"
        manifest.write_text(manifest.read_text().replace("grains:\n", "grains:\n  many: {isolation: worker}\n", 1))
        for name, grain in WIDE_MAPS.items():
            (application / "workflows" / f"{name}.asl.json").write_text(json.dumps(WIDE) % grain)
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
            for target in ("main", "greet"):
                call(server, f"/invoke/training/{target}", b'{"name": "Ada"}', REQUESTS)
            for name in WIDE_MAPS:
                call(server, f"/invoke/training/{name}", json.dumps(list(range(ITEMS))).encode(), MAPS)
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
        if answer.status != 200:
            raise SystemExit(f"{path} answered {answer.status}")
    connection.close()


main(Path(sys.argv[1]))
