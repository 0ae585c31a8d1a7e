"""How a grain worker comes to be: the forked child of the supervisor that loads one grain's code, or says why it cannot.

importing ─▶ ready (worker.py)
    ├─▶ failed, and reported
    └─▶ tainted: the import left what a fork would break; the supervisor starts it again, and each instance imports
"""

from __future__ import annotations

import os
import time
from typing import NoReturn

from sand import failure, kernel, loading, logs, temporary, title
from sand.connection import ConnectionClosed
from sand.control import Control, Signals
from sand.messages import GrainConfiguration, WorkerFailedReport, WorkerReadyReport
from sand.probe import ImportFailed, probe
from sand.worker import Worker

# What the worker tells the supervisor on its status descriptor before it is ready: it reported itself, or it must be
# started again without importing (the reason follows).
REPORTED, TAINTED = b"R", b"T"


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
    title.show(title.prepare("worker", configuration.grain))
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
        kernel.settle()
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
    if limit and used >= kernel.data_limit(limit, bool(configuration.memory_by_default)):
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
