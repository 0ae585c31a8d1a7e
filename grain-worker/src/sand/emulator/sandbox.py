"""The process that a sandbox's processes descend from: the distribution's supervisor."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import sand

# What a process in the sandbox sees of the environment; a developer's other variables are not there on a platform either.
_ENVIRONMENT = ("PATH", "HOME", "LANG", "LC_ALL", "TZ", "TMPDIR", "VIRTUAL_ENV")
END_SECONDS = 5


def start(directory: Path, token: str) -> subprocess.Popen[bytes]:
    """:param directory: has bus.sock, data.sock and log.sock; :param token: what it says who it is"""
    environment = {name: os.environ[name] for name in _ENVIRONMENT if name in os.environ}
    here = str(Path(sand.__file__).parent.parent)
    environment |= {"SAND_DIRECTORY": str(directory), "SAND_TOKEN": token, "PYTHONPATH": here}
    command = [sys.executable, "-P", "-m", "sand.supervisor"]
    return subprocess.Popen(command, env=environment, cwd="/tmp", stdin=subprocess.DEVNULL)


def end(process: subprocess.Popen[bytes]) -> None:
    """Everything below it ends with it."""
    process.terminate()
    try:
        process.wait(END_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
