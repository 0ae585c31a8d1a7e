"""A sandbox under test: a supervisor's process between a Broker and the files of an application."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

from broker import Broker
from broker_data import sand

TOKEN = "token-of-the-sandbox"
SOURCE = Path(__file__).parents[1] / "src"
DEFAULT_COMMAND = f"{shlex.quote(sys.executable)} -m sand.supervisor"


class Sandbox:
    """
    :param command: how the runtime's supervisor is started
    """

    def __init__(self, command: str = DEFAULT_COMMAND, environment: dict[str, str] | None = None) -> None:
        self.broker = Broker()
        self.app = self.broker.directory / "app"
        self.app.mkdir()
        self.temporary = self.broker.directory / "tmp"
        self.temporary.mkdir()
        self._names = 0
        self.process = subprocess.Popen(
            shlex.split(command),
            env={
                **os.environ,
                "PYTHONPATH": str(SOURCE),
                "PYTHONDONTWRITEBYTECODE": "1",
                "SAND_DIRECTORY": str(self.broker.directory),
                "SAND_TOKEN": TOKEN,
                "TMPDIR": str(self.temporary),
                **(environment or {}),
            },
            start_new_session=True,
        )

    def close(self) -> None:
        self.broker.collect_logs.set()
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.broker.close()

    def name(self, kind: str) -> str:
        self._names += 1
        return f"{kind}{self._names}"

    def claim(self, preload: list[str] | None = None, path: list[str] | None = None) -> None:
        self.broker.command(
            TOKEN, claim=sand.ClaimCommand(application="app", version="1", preload=preload or [], path=path or [])
        )

    def write(self, file: str, text: str) -> Path:
        """A file of the application."""
        target = self.app / file
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(textwrap.dedent(text))
        return target

    def start(self, code: str | None, **configuration: Any) -> str:
        """Starts a worker for a grain with that handler.py (None: it is there); the worker's id. Does not wait for it."""
        worker = self.name("w")
        grain = configuration.setdefault("grain", "main")
        if code is not None:
            self.write(f"grains/{grain}/handler.py", code)
        defaults = {
            "entry": "handler:handle", "path": [f"{self.app}/grains/{grain}", f"{self.app}/.dependencies"],
            "isolation": "request", "preload": "auto", "environment": {}, "instanceMemoryBytes": 0, "application": "app",
            "version": "1", "grains": ["main", "other"], "maxRequests": 0,
        }  # fmt: skip
        configured = sand.GrainConfiguration(**{**defaults, **configuration})
        self.broker.command(TOKEN, startWorker=sand.StartWorkerCommand(worker=worker, configuration=configured))
        return worker

    def ready(self, code: str, **configuration: Any) -> str:
        worker = self.start(code, **configuration)
        self.broker.report("workerReady", worker=worker)
        return worker

    def spawn(self, worker: str, count: int = 1) -> list[str]:
        """Forks instances and waits until they wait in take."""
        names = [self.name("i") for _ in range(count)]
        self.broker.command(worker, spawn=sand.SpawnCommand(instances=names))
        self.broker.until(lambda: {*names} <= {take.instance for take in self.broker.takes}, f"takes of {names}")
        return names

    def pid(self, instance: str) -> int:
        return next(take.pid for take in self.broker.takes if take.instance == instance)

    def kill(self, pid: int) -> None:
        self.broker.command(TOKEN, kill=sand.KillCommand(pid=pid))

    def event(self, value: Any = None, content_type: str = "application/json", **fields: Any) -> Any:
        data = value if isinstance(value, bytes) else json.dumps(value).encode()
        name = self.name("e")
        payload = fields.pop("payload", None) or sand.Payload(contentType=content_type, bytes=data)
        defaults = {"schema": 1, "eventId": f"{name}/main", "executionId": name, "grain": "main", "attempt": 1,
                    "remainingMs": 30_000}  # fmt: skip
        return sand.EventMessage(**{**defaults, **fields}, payload=payload)

    def invoke(self, worker: str, value: Any = None, **event: Any) -> Any:
        """Spawns an instance for one event; what it answered: a FinishRequest or a FailRequest."""
        self.spawn(worker)
        return self.send(value, **event)

    def send(self, value: Any = None, **fields: Any) -> Any:
        """One event to an instance that waits, and its answer."""
        event = self.event(value, **fields)
        self.broker.hand(event)
        return self.broker.until(lambda: self.answer(event.eventId), f"the answer to {event}")

    def answer(self, event_id: str) -> Any:
        return next((one for one in (*self.broker.finished, *self.broker.failed) if one.eventId == event_id), None)

    def output(self, worker: str, value: Any = None, **event: Any) -> Any:
        """The decoded JSON result of one event."""
        answer = self.invoke(worker, value, **event)
        assert isinstance(answer, sand.FinishRequest), answer
        return json.loads(answer.output.bytes)


def alive(pid: int) -> bool:
    """Whether the process runs; a zombie does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
