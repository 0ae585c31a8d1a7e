"""A grain worker: loads one grain's code once and forks instances ahead of need. Forked by the supervisor.

importing ─▶ ready ─▶ (spawn, reap)* ─▶ stopping ─▶ ended when its instances have
    └─▶ failed, or left for a clean start (tainted)
"""

from __future__ import annotations

import errno
import gc
import os
import signal
import sys
import time
from typing import Any, NoReturn

from sand import failure, instance, kernel, loading, logs, reseed, temporary
from sand.connection import ConnectionClosed
from sand.control import Control, Signals
from sand.notes import Notes
from sand.probe import ImportFailed, probe
from sand.protocol import (
    GrainConfiguration,
    InstanceExitedReport,
    InstanceForkFailedReport,
    SpawnCommand,
    StopCommand,
    WorkerFailedReport,
    WorkerReadyReport,
)
from sand.rehearsal import WORKERS_ROUNDS, Stage

# What the worker tells the supervisor on its status descriptor before it is ready: it reported itself, or it must be
# started again without importing (the reason follows).
REPORTED, TAINTED = b"R", b"T"

# A fork that fails (too many processes) is tried again after these pauses, then reported.
FORK_RETRY_MS = (10, 50, 250)

# Detached processes that ended instances left behind are looked for this often at the most.
LOOK_EVERY_NS = 20_000_000


class Worker:
    """The process after its code is loaded."""

    def __init__(
        self,
        directory: str,
        configuration: GrainConfiguration,
        handler: loading.Handler | None,
        control: Control,
        folder: str | None,
    ) -> None:
        self._stage = Stage()
        warm = instance.Instance("warm", configuration, None, directory)
        for _ in range(WORKERS_ROUNDS):
            self._stage.play(warm)
        self._temporary = temporary.Hook()
        self._oom = kernel.OomScore()
        self._directory = directory
        self._configuration = configuration
        self._handler = handler
        self._control = control
        self._folder = folder
        self._pid = os.getpid()
        self._reseed = reseed.find(configuration.path)
        self._instances: dict[int, str] = {}
        self._retries: list[tuple[int, str, int]] = []
        self._notes = Notes() if handler is None else None
        # Processes that the import itself started are the grain's own business.
        self._own_children = kernel.children()
        self._looked_ns = 0
        self._adopted = False
        self._stopping = False

    def run(self) -> None:
        """Until it is stopped and its instances have ended.

        :raises ConnectionClosed: the host agent is gone
        """
        while not (self._stopping and not self._instances):
            signals, commands = self._control.wait(self._next_due_ms())
            if signal.SIGTERM in signals:
                self._stopping = True
            for command in commands:
                if isinstance(command, SpawnCommand):
                    self._oom.prefer()
                    for name in command.instances:
                        self._spawn(name, 0)
                    self._oom.restore()
                elif isinstance(command, StopCommand):
                    self._stopping = True
            if signals or self._adopted:
                self._reap()
            self._retry()

    def _next_due_ms(self) -> float | None:
        if self._adopted:
            return LOOK_EVERY_NS / 1e6
        if not self._retries:
            return None
        return max(0.0, (min(due for due, _, _ in self._retries) - time.monotonic_ns()) / 1e6)

    def _retry(self) -> None:
        if self._retries:
            now = time.monotonic_ns()
            due = [entry for entry in self._retries if entry[0] <= now]
            self._retries = [entry for entry in self._retries if entry[0] > now]
            self._oom.prefer()
            for _, name, tries in due:
                self._spawn(name, tries)
            self._oom.restore()

    def _spawn(self, name: str, tries: int) -> None:
        try:
            pid = os.fork()
        except OSError as failed:
            if failed.errno in (errno.EAGAIN, errno.ENOMEM) and tries < len(FORK_RETRY_MS):
                self._retries.append((time.monotonic_ns() + FORK_RETRY_MS[tries] * 1_000_000, name, tries + 1))
            else:
                self._control.report(InstanceForkFailedReport(name, f"fork: {os.strerror(failed.errno or 0)}"))
            return
        if pid == 0:
            self._become(name)
        self._instances[pid] = name

    def _become(self, name: str) -> NoReturn:
        try:
            self._control.leave()
            self._oom.leave()
            if self._folder:
                self._temporary.folder = f"{self._folder}/{name}"
            instance.run(
                name, self._configuration, self._directory, self._pid, self._handler, self._reseed, self._notes, self._stage
            )
        except BaseException as broken:
            sys.excepthook(type(broken), broken, broken.__traceback__)
            logs.flush()
        finally:
            os._exit(instance.BROKEN)

    def _reap(self) -> None:
        while True:
            try:
                # A look first: the zombie keeps its process group's number from being used again until it is killed.
                ended = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            except ChildProcessError:
                break
            if ended is None:
                break
            pid = ended.si_pid
            name = self._instances.pop(pid, None)
            if name is not None:
                kernel.kill_group(pid)
            _, status, usage = os.wait4(pid, 0)
            self._own_children.discard(pid)
            if name is not None:
                adopted = self._look_for_adopted()
                self._report_end(name, status, usage, adopted)
                if self._folder:
                    self._clean(f"{self._folder}/{name}")
        if self._adopted and time.monotonic_ns() - self._looked_ns >= LOOK_EVERY_NS:
            self._looked_ns = time.monotonic_ns()
            self._kill_adopted()

    def _look_for_adopted(self) -> int:
        """At once, or a little later when it was done just now: many short instances leave many ends."""
        now = time.monotonic_ns()
        if now - self._looked_ns < LOOK_EVERY_NS:
            self._adopted = True
            return 0
        self._looked_ns = now
        return self._kill_adopted()

    def _kill_adopted(self) -> int:
        """Kills what ended instances left behind in sessions of their own; how many there were."""
        strangers = kernel.children() - self._instances.keys() - self._own_children
        self._adopted = bool(strangers)
        return kernel.kill_trees(strangers)

    def _report_end(self, name: str, status: int, usage: Any, adopted: int) -> None:
        code = os.waitstatus_to_exitcode(status)
        note = self._notes.of(name) if self._notes and code == instance.NOT_LOADED else None
        if adopted:
            note = f"{adopted} process{'es'[: 2 * (adopted > 1)]} that it had detached and left behind were killed"
        cpu_us = int((usage.ru_utime + usage.ru_stime) * 1e6)
        ended = (name, max(code, 0), max(-code, 0), cpu_us, usage.ru_maxrss << 10)
        if note is None:
            self._control.report_exited(*ended)
        else:
            self._control.report(InstanceExitedReport(*ended, note))

    def _clean(self, folder: str) -> None:
        if not temporary.remove_if_empty(folder):
            pid = temporary.remove_in_child(folder)
            if pid:
                self._own_children.add(pid)


def main(
    directory: str, worker: str, configuration: GrainConfiguration, supervisor: int, status_fd: int, tainted: str | None
) -> NoReturn:
    """The whole life of the forked worker.

    :param status_fd: where the supervisor listens until the worker is ready
    :param tainted: why an earlier start left threads or sockets behind; this one does not import
    """
    kernel.die_with_parent(supervisor)
    os.setsid()
    kernel.become_subreaper()
    logs.attach(directory, worker)
    folder = temporary.create(worker)
    began = time.monotonic_ns()
    try:
        handler, note = _load(configuration, status_fd, tainted)
    except ImportFailed as failed:
        _report_failure(directory, worker, status_fd, failed.said)
    except BaseException as raised:
        _report_failure(directory, worker, status_fd, failure.describe(raised))
    import_us = (time.monotonic_ns() - began) // 1000
    logs.flush()
    try:
        control = Control(directory, worker, Signals())
        serving = Worker(directory, configuration, handler, control, folder)
        gc.collect()
        gc.freeze()
        control.report(WorkerReadyReport(worker, os.getpid(), import_us, note))
        os.write(status_fd, REPORTED)
        os.close(status_fd)
        serving.run()
    except ConnectionClosed as gone:
        logs.mark(2, f"worker {worker} ends: {gone}\n".encode())
    os._exit(0)


def _load(configuration: GrainConfiguration, status_fd: int, tainted: str | None) -> tuple[loading.Handler | None, str | None]:
    """The handler, or None when each instance is to import it; and a note for the log."""
    loading.prepare(configuration)
    if tainted is not None or configuration.preload == "none":
        probe(configuration)
        note = tainted and f"imported in each instance: the import leaves {tainted}, which a fork would break"
        return None, note
    residue = loading.Residue()
    handler = loading.load(configuration)
    left = residue.found()
    if left and configuration.preload == "auto":
        os.write(status_fd, TAINTED + left.encode())
        logs.flush()
        os._exit(0)
    _check_memory(configuration)
    return handler, left and f"imported before the fork as preload: code asks, though the import leaves {left}"


def _check_memory(configuration: GrainConfiguration) -> None:
    """A limit below what the code needs once loaded would fail every request."""
    used, limit = kernel.data_bytes(), configuration.instance_memory_bytes
    if limit and used >= limit:
        raise MemoryError(
            f"grain {configuration.grain}: its code alone needs {used >> 20} MiB once imported; "
            f"the memory limit of an instance is {limit >> 20} MiB"
        )


def _report_failure(directory: str, worker: str, status_fd: int, said: failure.Failure) -> NoReturn:
    logs.mark(2, (said.stack_trace or said.cause).encode("utf-8", "replace"))
    try:
        Control(directory, worker, Signals()).report(WorkerFailedReport(worker, said.error, said.cause, said.stack_trace))
        os.write(status_fd, REPORTED)
    except ConnectionClosed:
        pass
    os._exit(1)
