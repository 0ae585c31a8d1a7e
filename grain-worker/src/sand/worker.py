"""A grain worker: forks instances of one grain ahead of need, reaps them and reports their ends. See starting.py for what
comes before.

    ready ─▶ (spawn, reap)* ─▶ stopping ─▶ ended when its instances have
"""

from __future__ import annotations

import errno
import os
import signal
import sys
import time
from importlib import import_module
from typing import Any, NoReturn

from sand import instance, kernel, loading, logs, process, reseed, segments, temporary, title
from sand.control import Control
from sand.messages import (
    GrainConfiguration,
    InstanceExitedReport,
    InstanceForkFailedReport,
    SecretsCommand,
    SpawnCommand,
    StopCommand,
)
from sand.notes import Notes
from sand.rehearsal import Stage

# What a function may use is imported here, or each child would do so for itself.
FOR_CHILDREN = (process, segments)

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
        if "numpy" in sys.modules:
            import_module("sand.arrays")
        self._stage = Stage()
        # Each child goes on with its own copy of this one.
        self._serving = instance.Instance(configuration, directory)
        self._stage.warm(self._serving)
        self._temporary = temporary.Hook()
        self._oom = kernel.OomScore()
        self._oom_kills = kernel.OomKills()
        self._title = title.prepare("instance", configuration.grain)
        self._directory = directory
        self._configuration = configuration
        # Of instances that import the code themselves it is known after that.
        memory, by_default = configuration.instance_memory_bytes, bool(configuration.memory_by_default)
        self._data_limit = 0 if handler is None and by_default else kernel.data_limit(memory, by_default)
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
                elif isinstance(command, SecretsCommand):
                    self._serving.renew(command)
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
            title.show(self._title)
            if self._folder:
                self._temporary.folder = f"{self._folder}/{name}"
            instance.run(
                name,
                self._configuration,
                self._directory,
                self._pid,
                self._data_limit,
                self._handler,
                self._reseed,
                self._notes,
                self._serving,
                self._stage,
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
        if code == -signal.SIGKILL and self._oom_kills.happened():
            note = "the sandbox had no memory left, and the kernel ended its largest instance"
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
