"""A peer's process: its own session, output to a file, ended by its id."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
from pathlib import Path

CACHE = Path(__file__).resolve().parents[3] / ".sand" / "peers"


class Peer:
    def __init__(self, command: list[str], log: str, environment: dict[str, str] | None = None, cwd: Path | None = None):
        CACHE.mkdir(parents=True, exist_ok=True)
        self.log = CACHE / f"{log}.log"
        self._process = subprocess.Popen(
            command,
            stdout=self.log.open("wb"),
            stderr=subprocess.STDOUT,
            cwd=cwd,
            stdin=subprocess.DEVNULL,
            env=dict(os.environ, **(environment or {})),
            start_new_session=True,
        )

    def wait_for_port(self, port: int, seconds: float = 30) -> None:
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if self._process.poll() is not None:
                raise RuntimeError(f"it ended: {self.log.read_text(errors='replace')[-400:]}")
            with socket.socket() as probe:
                probe.settimeout(1)
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    return
            time.sleep(0.1)
        raise RuntimeError(f"port {port} does not answer after {seconds} s")

    def close(self) -> None:
        if self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGTERM)
            try:
                self._process.wait(10)
            except subprocess.TimeoutExpired:
                os.killpg(self._process.pid, signal.SIGKILL)
                self._process.wait(10)

    def __enter__(self) -> Peer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def run(command: list[str], cwd: Path | None = None, seconds: float = 300, environment: dict[str, str] | None = None) -> None:
    """Runs a build step; raises with the end of its output."""
    done = subprocess.run(
        command,
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=seconds,
        stdin=subprocess.DEVNULL,
        env=dict(os.environ, **(environment or {})),
    )
    if done.returncode != 0:
        said = (done.stderr or done.stdout).strip().splitlines()
        raise RuntimeError(said[-1][:200] if said else f"{command[0]} exited with {done.returncode}")
