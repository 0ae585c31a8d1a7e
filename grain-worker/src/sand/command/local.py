"""A platform of one's own: `sand up` as a child on a free port, in a home of its own. For the demo and the tests."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import httpx

from sand.command.failure import ExitCode, Failure
from sand.command.ports import free_port

READY_SECONDS = 90
STOP_SECONDS = 30


class LocalPlatform:
    """A context manager. The home is a new folder with a short path, and gone afterwards unless it was given."""

    def __init__(self, *options: str, home: Path | None = None, environment: dict[str, str] | None = None) -> None:
        self.home = home or Path(tempfile.mkdtemp(prefix="sand-", dir="/tmp"))
        self.port = free_port()
        self.server = f"http://127.0.0.1:{self.port}"
        self.log = self.home / "up.log"
        self._owns_home = home is None
        self._options = options
        self._environment = environment or {}
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> "LocalPlatform":
        command = [sys.executable, "-P", "-m", "sand.command", "up", "--home", str(self.home)]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [*command, "--listen", f"127.0.0.1:{self.port}", *self._options],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env={**os.environ, **self._environment},
                start_new_session=True,
            )
        self._wait_until_ready()
        return self

    def _wait_until_ready(self) -> None:
        deadline = time.monotonic() + READY_SECONDS
        # It speaks no TLS; certificates read anew for each look would take the processor from what is to start.
        with httpx.Client(base_url=self.server, timeout=5, trust_env=False, verify=False) as http:
            while time.monotonic() < deadline:
                if self.process.poll() is not None:
                    raise self._failure(f"`sand up` ended with {self.process.returncode}")
                try:
                    if http.get("/readyz").is_success:
                        return
                except httpx.TransportError:
                    pass
                time.sleep(0.05)
        self.kill()
        raise self._failure(f"`sand up` was not ready within {READY_SECONDS} s")

    def _failure(self, title: str) -> Failure:
        last = self.log.read_text(errors="replace").splitlines()[-30:]
        return Failure(ExitCode.PLATFORM_FAILED, title, tuple(last))

    def stop(self) -> None:
        """As Ctrl-C does: drains, ends its sandboxes, and is gone."""
        if self.process is None or self.process.poll() is not None:
            return
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.kill()

    def kill(self) -> None:
        """`kill -9` of the program alone: what it started is its next run's to clean up."""
        self.process.kill()
        self.process.wait()

    def __enter__(self) -> "LocalPlatform":
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()
        if self._owns_home:
            shutil.rmtree(self.home, ignore_errors=True)
