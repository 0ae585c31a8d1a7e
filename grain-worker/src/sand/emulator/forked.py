"""Grains in processes of their own: the distribution's supervisor, workers and instances, and this end of their sockets.

    run ─▶ queued ─▶ handed to an instance that waits ─▶ finish or fail, or its end ─▶ ended
                          └─ deadline or cancel: the instance is killed

What instances do is what they do in a sandbox, since it is the same code; pool.py decides which of them gets what.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
from collections import defaultdict, deque
from pathlib import Path
from typing import Any

from sand import protocol, wire
from sand.emulator import bus, sandbox
from sand.emulator.attempts import Attempt, configuration
from sand.emulator.data import Data
from sand.emulator.late import LATE
from sand.emulator.lines import Lines, Origin
from sand.emulator.manifest import Manifest
from sand.emulator.output import Output
from sand.emulator.pool import Pool
from sand.emulator.problems import platform
from sand.emulator.processes_stay import CALLS, stay_of
from sand.emulator.segments import Segments
from sand.errors import SandError
from sand.messages import (
    ClaimCommand,
    Command,
    CommandsReply,
    InstanceExitedReport,
    InstanceForkFailedReport,
    KillCommand,
    SegmentReply,
    TakeReply,
    WorkerExitedReport,
    WorkerFailedReport,
    WorkerReadyReport,
)

LIVES = 3


class ForkedGrains:
    """The one sandbox of a version: a supervisor process, started at the first event."""

    def __init__(
        self, manifest: Manifest, version: int, data: Data, segments: Segments, lines: Lines, known_secrets: dict[str, str]
    ) -> None:
        self._manifest = manifest
        self._version = version
        self._data = data
        self._segments = segments
        self._changed = threading.Condition()
        self._token = secrets.token_hex(16)
        self._directory = Path(tempfile.mkdtemp(prefix="sand-", dir="/tmp"))  # a socket's path has 107 bytes at most
        self._commands: dict[str, deque[Command]] = defaultdict(deque)
        self._polls: dict[str, tuple[bus.Caller, int]] = {}
        self._process: subprocess.Popen[bytes] | None = None
        self._closed = False
        configured = {name: configuration(manifest, grain, version, known_secrets) for name, grain in manifest.grains.items()}
        self._pools = {
            name: Pool(grain, configured[name], self._token, self._command) for name, grain in manifest.grains.items()
        }
        origin = Origin(manifest.name, version)
        self._output = Output(lines, origin, self._whose)
        self._listeners = [
            bus.listen(self._directory / "bus.sock", self._serve),
            bus.listen(self._directory / "data.sock", self._serve),
            bus.listen(self._directory / "log.sock", self._output.collect),
        ]

    # --- what executions ask for

    def run(self, attempt: Attempt) -> None:
        while True:
            self._run_once(attempt)
            if attempt.lost is None or attempt.number == LIVES or attempt.cancelled:
                break
            attempt.again()
        if attempt.lost is not None:
            cause = (
                f"event {attempt.event_id} was lost {attempt.number} times with the process or host that ran it: {attempt.lost}"
            )
            attempt.failed(platform("Sand.Crashed", cause, True))

    def _run_once(self, attempt: Attempt) -> None:
        pool = self._pools[attempt.grain]
        with self._changed:
            self._ensure_started()
            refusal = pool.add(attempt)
            if refusal is not None:
                attempt.failed(refusal)
                return
            while not attempt.ended:
                left = attempt.deadline_ns - LATE.now_ns()
                if left <= 0 and not attempt.cancelled:
                    attempt.timed_out()
                elif attempt.cancelled:
                    attempt.failed(platform("Sand.Cancelled", "it was cancelled", False))
                else:
                    self._changed.wait(left / 1e9)
            if (pid := pool.leave(attempt)) is not None:
                self._command(self._token, KillCommand(pid))
            self._changed.notify_all()

    def cancel(self, attempt: Attempt) -> None:
        with self._changed:
            attempt.cancelled = True
            self._changed.notify_all()

    def close(self) -> None:
        with self._changed:
            self._closed = True
            process = self._process
            for pool in self._pools.values():
                pool.lose("the emulator let the version go")
            self._changed.notify_all()
        for listener in self._listeners:
            with contextlib.suppress(OSError):
                listener.shutdown(socket.SHUT_RDWR)
            listener.close()
        if process is not None:
            sandbox.end(process)
        shutil.rmtree(self._directory, ignore_errors=True)

    # --- the supervisor

    def _ensure_started(self) -> None:
        if self._closed or (self._process is not None and self._process.poll() is None):
            return
        self._lose()
        self._commands.clear()
        self._polls.clear()
        self._process = sandbox.start(self._directory, self._token)
        threading.Thread(target=self._watch, args=(self._process,), daemon=True).start()
        claim = ClaimCommand(self._manifest.name, str(self._version), self._manifest.preload, self._manifest.path())
        self._command(self._token, claim)

    def _watch(self, process: subprocess.Popen[bytes]) -> None:
        """What it was given in its last moment has nobody else to say that it is lost."""
        process.wait()
        with self._changed:
            if self._process is process and not self._closed:
                self._lose()
                self._changed.notify_all()

    def _lose(self) -> None:
        for pool in self._pools.values():
            pool.lose("the sandbox's supervisor ended")

    def _command(self, caller: str, command: Command) -> None:
        """To the supervisor, under its token, or to a worker, under its id."""
        self._commands[caller].append(command)
        self._send_commands(caller)

    def _send_commands(self, caller: str) -> None:
        pending = self._commands[caller]
        if pending and caller in self._polls:
            stream, sequence = self._polls.pop(caller)
            stream.answer(protocol.COMMANDS, sequence, CommandsReply(tuple(pending)))
            pending.clear()

    # --- what the sandbox says

    def _serve(self, stream: socket.socket) -> None:
        caller = bus.Caller(stream)
        try:
            for frame in caller.frames():
                method, argument, sequence = bus.decode_call(frame)
                self._on(caller, method, argument, sequence)
        except wire.ProtocolError as broken:
            print(f"a process in the sandbox of {self._manifest.name} broke the protocol: {broken}", file=sys.stderr)
        finally:
            if self._attempt_of(caller.name) is not None:
                self._output.catch_up(caller.name)
            with self._changed:
                pool = self._pool_of(caller.name)
                if pool is not None:
                    pool.closed(caller.name)
                self._changed.notify_all()

    def _on(self, caller: bus.Caller, method: protocol.Method, argument: Any, sequence: int) -> None:
        match method.name:
            case "take":
                caller.name = argument.instance
                with self._changed:
                    self._on_take(caller, argument.instance, argument.pid, sequence)
            case "finish" | "fail":
                self._output.catch_up(caller.name)
                with self._changed:
                    pool = self._pool_of(caller.name)
                    if pool is not None:
                        pool.answered(caller.name, argument, self._segments)
                    self._changed.notify_all()
            case "commands":
                caller.name = argument.caller
                with self._changed:
                    self._polls[argument.caller] = (caller, sequence)
                    self._send_commands(argument.caller)
            case "report":
                with self._changed:
                    self._on_report(argument)
                    self._changed.notify_all()
            case _ if method.name in CALLS:
                # It may wait, and the process's end is to be seen meanwhile.
                threading.Thread(target=self._answer, args=(caller, method, argument, sequence), daemon=True).start()
            case _:
                self._answer(caller, method, argument, sequence)

    def _on_take(self, caller: bus.Caller, instance: str, pid: int, sequence: int) -> None:
        pool = self._pool_of(instance)
        if pool is None:
            caller.answer(protocol.TAKE, sequence, TakeReply())
            return

        def hand(attempt: Attempt | None) -> None:
            event = attempt and attempt.message(self._segments.travelling(attempt.payload, attempt.execution_id))
            caller.answer(protocol.TAKE, sequence, TakeReply(event))

        pool.taken(instance, pid, hand)
        self._changed.notify_all()

    def _answer(self, caller: bus.Caller, method: protocol.Method, argument: Any, sequence: int) -> None:
        attempt = self._attempt_of(caller.name)
        owner = attempt.execution_id if attempt else ""
        try:
            match method.name:
                case "allocate":
                    owner = argument.event_id.partition("/")[0]
                    name, fd = self._segments.allocate(owner, argument.size)
                    caller.answer(method, sequence, SegmentReply(name, argument.size), fd)
                case "open":
                    reading = self._segments.open(argument.object)
                    try:
                        caller.answer(method, sequence, SegmentReply(argument.object, os.fstat(reading).st_size), reading)
                    finally:
                        os.close(reading)
                case "publish":
                    with self._changed:
                        pool = self._pool_of(caller.name)
                        if pool is not None:
                            pool.publish(caller.name, argument.publication)
                    caller.answer(method, sequence, None)
                case name if name in CALLS:
                    caller.answer(method, sequence, stay_of(attempt).call(name, argument))
                case name:
                    caller.answer(method, sequence, self._data.call(name, argument, owner))
        except SandError as refused:
            caller.answer(method, sequence, bus.refused(refused))

    def _on_report(self, report: Any) -> None:
        match report:
            case WorkerReadyReport(worker):
                for pool in self._pools.values():
                    pool.worker_ready(worker)
            case WorkerFailedReport(worker):
                for pool in self._pools.values():
                    pool.worker_failed(worker, report)
            case WorkerExitedReport(worker):
                for pool in self._pools.values():
                    pool.worker_exited(worker, report)
            case InstanceExitedReport(instance) | InstanceForkFailedReport(instance):
                pool = self._pool_of(instance)
                if pool is not None:
                    pool.exited(report)

    def _pool_of(self, instance: str) -> Pool | None:
        return self._pools.get(instance.partition(".")[0])

    def _attempt_of(self, process: str) -> Attempt | None:
        pool = self._pool_of(process)
        return pool and pool.attempt_of(process)

    def _whose(self, process: str) -> tuple[str | None, Attempt | None]:
        """The grain of a process, and the attempt that it runs."""
        pool = self._pool_of(process)
        return (pool.name, pool.attempt_of(process)) if pool else (None, None)
