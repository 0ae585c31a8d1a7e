"""What a fresh process a request costs here: `python bench/handover.py [--requests N] [--grain NAME]`.

A minimal broker (one thread, one poll) stands in for the host agent, so the figures are the runtime's own:
    dispatch   the broker writes an event ─▶ the handler starts
    answer     the broker writes an event ─▶ it has read the finish
    cpu        of the instance from fork to exit, and of the worker for one instance
Prints machine, date and command first. Targets: dispatch p50 60 us, cpu of a json-only grain 0.8 ms.
"""

from __future__ import annotations

import argparse
import datetime
import os
import platform
import select
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

SOURCE = Path(__file__).parents[1] / "src"
sys.path.insert(0, str(SOURCE))

from sand import protocol as p  # noqa: E402
from sand import wire  # noqa: E402
from sand.connection import FrameBuffer  # noqa: E402

GRAINS = {
    "json": ("def handle(event, context):\n    return event\n", "request"),
    "json-worker": ("def handle(event, context):\n    return event\n", "worker"),
    "logging": ("import logging\ndef handle(event, context):\n    return event\n", "request"),
    "numpy": ("import numpy\ndef handle(event, context):\n    return event\n", "request"),
    "200MB": ("kept = bytearray(b'x') * (200 << 20)\ndef handle(event, context):\n    return event\n", "request"),
}


class Link:
    """One accepted connection of bus.sock."""

    def __init__(self, stream: socket.socket) -> None:
        self.stream = stream
        self.frames = FrameBuffer()

    def reply(self, method: p.Method, sequence: int, value: Any) -> None:
        body = [wire._field.pack(method.result.code, 0)]
        method.result.encode(body, value)
        self.stream.sendall(wire.message(wire.REPLY, method.name, sequence, [*body, b"\0"]))


class Bench:
    def __init__(self, code: str, isolation: str, idle: int) -> None:
        self.directory = Path(tempfile.mkdtemp(prefix="sand-bench-", dir="/tmp"))
        grain = self.directory / "app/grains/g"
        grain.mkdir(parents=True)
        (grain / "handler.py").write_text(code)
        self.configuration = p.GrainConfiguration(
            "g", "handler:handle", (str(grain),), isolation, "auto", {}, 0, "app", "1", ("g",), 0
        )
        self.idle = idle
        self.spawned = 0
        self.links: dict[int, Link] = {}
        self.waiting: list[tuple[Link, int]] = []
        self.pending: dict[str, tuple[Link, int]] = {}
        self.finished: list[p.FinishRequest] = []
        self.exited: list[p.InstanceExitedReport] = []
        self.worker_pid = 0
        self.poll = select.poll()
        self.bus = self.listen("bus.sock")
        self.log = self.listen("log.sock")
        self.sinks: dict[int, socket.socket] = {}
        self.process = subprocess.Popen(
            [os.environ.get("SAND_PYTHON", sys.executable), "-m", "sand.supervisor"],
            env={**os.environ, "PYTHONPATH": str(SOURCE), "SAND_DIRECTORY": str(self.directory), "SAND_TOKEN": "t"},
            start_new_session=True,
        )

    def listen(self, name: str) -> socket.socket:
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(str(self.directory / name))
        listener.listen(512)
        self.poll.register(listener, select.POLLIN)
        return listener

    def close(self) -> None:
        self.process.terminate()
        self.process.wait(10)
        shutil.rmtree(self.directory)

    def turn(self) -> None:
        for fd, _ in self.poll.poll():
            if fd == self.bus.fileno():
                stream, _ = self.bus.accept()
                self.links[stream.fileno()] = Link(stream)
                self.poll.register(stream, select.POLLIN)
            elif fd == self.log.fileno():
                stream, _ = self.log.accept()
                self.sinks[stream.fileno()] = stream
            elif fd in self.links:
                self.read(self.links[fd])

    def read(self, link: Link) -> None:
        try:
            data = link.stream.recv(1 << 16)
        except ConnectionError:
            data = b""
        if not data:
            self.poll.unregister(link.stream)
            del self.links[link.stream.fileno()]
            link.stream.close()
        for frame in link.frames.feed(data):
            _, name, sequence, at = wire.header(frame)
            self.on(link, p.METHODS[name], sequence, p.METHODS[name].argument.decode(frame, at + 3)[0])

    def on(self, link: Link, method: p.Method, sequence: int, value: Any) -> None:
        if method is p.TAKE:
            self.waiting.append((link, sequence))
        elif method is p.FINISH:
            self.finished.append(value)
        elif method is p.COMMANDS:
            self.pending[value.caller] = (link, sequence)
        elif isinstance(value, p.InstanceExitedReport):
            self.exited.append(value)
        elif isinstance(value, p.WorkerReadyReport):
            self.worker_pid = value.pid
        elif value is not None:
            raise SystemExit(f"unexpected: {value}")

    def command(self, caller: str, *commands: Any) -> None:
        while caller not in self.pending:
            self.turn()
        link, sequence = self.pending.pop(caller)
        link.reply(p.COMMANDS, sequence, p.CommandsReply(commands))

    def spawn(self, count: int) -> None:
        names = tuple(f"i{self.spawned + n}" for n in range(count))
        self.spawned += count
        self.command("w", p.SpawnCommand(names))

    def start(self) -> None:
        self.command("t", p.ClaimCommand("app", "1", (), ()), p.StartWorkerCommand("w", self.configuration))
        while not self.worker_pid:
            self.turn()
        self.spawn(self.idle)
        self.fill()

    def fill(self) -> None:
        while len(self.waiting) < self.idle:
            self.turn()

    def request(self, number: int) -> tuple[float, float]:
        """Dispatch and answer in us; afterwards the idle instances are complete again."""
        link, sequence = self.waiting.pop(0)
        event = p.EventMessage(1, f"x{number}/main", f"x{number}", "g", 1, 30_000, p.Payload("application/json", b'{"n":1}'))
        began = time.monotonic_ns()
        link.reply(p.TAKE, sequence, p.TakeReply(event))
        done = len(self.finished)
        while len(self.finished) == done:
            self.turn()
        ended = time.monotonic_ns()
        if self.configuration.isolation == "request":
            self.spawn(1)
        self.fill()
        return (self.finished[-1].started_ns - began) / 1e3, (ended - began) / 1e3


def cpu_us(pid: int) -> float:
    try:
        return int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) / 1e3
    except OSError:
        return float("nan")


def quantile(values: list[float], q: float) -> float:
    return sorted(values)[min(len(values) - 1, int(q * len(values)))]


def measure(name: str, requests: int, idle: int) -> None:
    code, isolation = GRAINS[name]
    bench = Bench(code, isolation, idle)
    try:
        bench.start()
        for number in range(min(100, requests)):
            bench.request(number)
        exited, worker = len(bench.exited), cpu_us(bench.worker_pid)
        times = [bench.request(number) for number in range(requests)]
        used = [report.cpu_us for report in bench.exited[exited:]]
        worker = (cpu_us(bench.worker_pid) - worker) / requests
        dispatch, answer = ([one[n] for one in times] for n in (0, 1))
        cpu = statistics.fmean(used) if used else 0.0
        print(
            f"{name:12} dispatch p50 {quantile(dispatch, 0.5):6.1f} p99 {quantile(dispatch, 0.99):7.1f} us   "
            f"answer p50 {quantile(answer, 0.5):6.1f} p99 {quantile(answer, 0.99):7.1f} us   "
            f"cpu: instance {cpu:6.0f} + worker {worker:5.0f} = {cpu + worker:6.0f} us",
            flush=True,
        )
    finally:
        bench.close()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--requests", type=int, default=1000)
    parser.add_argument("--idle", type=int, default=4)
    parser.add_argument("--grain", choices=GRAINS, action="append")
    given = parser.parse_args()
    print(f"# {platform.machine()}, {os.cpu_count()} cores, Linux {platform.release()}, Python {platform.python_version()}")
    print(f"# {datetime.datetime.now(datetime.UTC):%Y-%m-%d %H:%M}Z  {' '.join(sys.argv)}")
    for name in given.grain or GRAINS:
        measure(name, given.requests, given.idle)


if __name__ == "__main__":
    main()
