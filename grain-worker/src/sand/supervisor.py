"""The first process of a sandbox: `python3 -m sand.supervisor`, with SAND_DIRECTORY and SAND_TOKEN.

    blank ─▶ claimed (preload imported once) ─▶ forks workers, reaps everything, kills process groups ─▶ ended

Single-threaded. When its connection closes or it gets SIGTERM, it ends, and everything below it with it.
"""

from __future__ import annotations

import faulthandler
import os
import select
import signal
import sys
import traceback
from typing import NamedTuple, NoReturn

from sand import failure, kernel, loading, logs, starting, temporary, title
from sand.connection import ConnectionClosed
from sand.control import Control, Signals
from sand.messages import (
    ClaimCommand,
    Command,
    KillCommand,
    StartWorkerCommand,
    StopCommand,
    WorkerExitedReport,
    WorkerFailedReport,
)


class Running(NamedTuple):
    """A worker's process."""

    start: StartWorkerCommand
    status_fd: int
    tainted: str | None


class Supervisor:
    """
    :param console: where the container's engine keeps last words; none of the workers' business
    """

    def __init__(self, directory: str, control: Control, console: int) -> None:
        self._console = console
        self._directory = directory
        self._control = control
        self._workers: dict[int, Running] = {}
        self._preload_failure: failure.Failure | None = None
        self._own_children: set[int] = set()
        self._stopped: set[int] = set()
        self._stopping = False

    def run(self) -> None:
        """Until it is told to stop.

        :raises ConnectionClosed: the host agent is gone
        """
        while not (self._stopping and not self._workers):
            signals, commands = self._control.wait()
            if signal.SIGTERM in signals:
                return
            if signals:
                self._reap()
            for command in commands:
                self._on(command)

    def _on(self, command: Command) -> None:
        match command:
            case ClaimCommand():
                self._claim(command)
            case StartWorkerCommand():
                self._start(command, None)
            case KillCommand(pid):
                self._kill(pid)
            case StopCommand(name):
                self._stop(name)

    def _claim(self, claim: ClaimCommand) -> None:
        """Imports what the application's grains share (SAND 3.1). A failure is each worker's to report."""
        loading.put_first(claim.path)
        try:
            for module in claim.preload:
                __import__(module)
        except BaseException as raised:
            said = failure.describe(raised)
            logs.mark(2, (said.stack_trace or said.cause).encode("utf-8", "replace"))
            self._preload_failure = failure.Failure(said.error, f"preload of the application: {said.cause}", said.stack_trace)
        logs.flush()
        self._own_children = kernel.children()
        kernel.settle()

    def _start(self, start: StartWorkerCommand, tainted: str | None) -> None:
        if self._preload_failure:
            self._control.report(WorkerFailedReport(start.worker, *self._preload_failure))
            return
        read, write = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        parent = os.getpid()
        try:
            pid = os.fork()
        except OSError as failed:
            os.close(read)
            os.close(write)
            cause = f"a worker for grain {start.configuration.grain} cannot be forked: {os.strerror(failed.errno or 0)}"
            self._control.report(WorkerFailedReport(start.worker, "Sand.Unavailable", cause))
            return
        if pid == 0:
            os.close(read)
            self._become(start, parent, write, tainted)
        os.close(write)
        self._workers[pid] = Running(start, read, tainted)

    def _become(self, start: StartWorkerCommand, parent: int, status_fd: int, tainted: str | None) -> NoReturn:
        try:
            self._control.leave()
            os.close(self._console)
            for running in self._workers.values():
                os.close(running.status_fd)
            starting.main(self._directory, start.worker, start.configuration, parent, status_fd, tainted)
        except BaseException as broken:
            sys.excepthook(type(broken), broken, broken.__traceback__)
            logs.flush()
        finally:
            os._exit(70)

    def _kill(self, pid: int) -> None:
        if pid in self._workers:
            # Its instances die with it.
            os.kill(pid, signal.SIGKILL)
        elif pid > 1 and pid != os.getpid():
            kernel.kill_group(pid)

    def _stop(self, name: str | None) -> None:
        """Gently: a worker ends when its instances have. One that still imports has none, and may have been taught to stay."""
        if name is None:
            self._stopping = True
        for pid, running in self._workers.items():
            if name in (None, running.start.worker):
                self._stopped.add(pid)
                imports = not select.select([running.status_fd], [], [], 0)[0]
                os.kill(pid, signal.SIGKILL if imports else signal.SIGTERM)

    def _reap(self) -> None:
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                break
            if pid == 0:
                break
            self._own_children.discard(pid)
            running = self._workers.pop(pid, None)
            if running:
                self._ended(running, os.waitstatus_to_exitcode(status), pid in self._stopped)
                self._stopped.discard(pid)
        kernel.kill_trees(self._adopted())

    def _adopted(self) -> set[int]:
        """What ended workers left behind."""
        return kernel.children() - self._workers.keys() - self._own_children

    def _ended(self, running: Running, code: int, stopped: bool) -> None:
        try:
            said = os.read(running.status_fd, 4096)
        except BlockingIOError:
            said = b""
        os.close(running.status_fd)
        start = running.start
        temporary.remove(temporary.place(start.worker))
        if said.startswith(starting.TAINTED) and running.tainted is None and not stopped:
            self._start(start, said[1:].decode())
            return
        # No code ends itself with SIGKILL as a rule: the kernel short of memory does, or a neighbour. The next start may do.
        if not said and not stopped and code != -signal.SIGKILL:
            how = f"with {signal.Signals(-code).name}" if code < 0 else f"with exit code {code}"
            cause = f"importing the code of grain {start.configuration.grain} ended the process {how}"
            self._control.report(WorkerFailedReport(start.worker, "Sand.Crashed", cause))
        self._control.report(WorkerExitedReport(start.worker, max(code, 0), max(-code, 0)))


def main() -> NoReturn:
    directory = os.environ["SAND_DIRECTORY"]
    token = kernel.take_variable("SAND_TOKEN")
    console = os.dup(2)
    null = os.open("/dev/null", os.O_RDWR)
    os.dup2(null, 0, inheritable=True)
    os.close(null)
    logs.attach(directory, os.path.basename(directory.rstrip("/")))
    logs.install_streams()
    faulthandler.enable(file=2, all_threads=False)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    kernel.become_subreaper()
    title.show(title.prepare("supervisor", ""))
    kernel.forbid_core_dumps()
    code = 0
    try:
        Supervisor(directory, Control(directory, token, Signals()), console).run()
    except ConnectionClosed as gone:
        code = 1
        logs.mark(console, f"supervisor ends: {gone}\n".encode())
    except Exception:
        code = 70
        logs.mark(console, traceback.format_exc().encode())
    # As process 1 it could leave that to the kernel; as a plain process it is the last who knows of them.
    kernel.end_everything_below()
    os._exit(code)


if __name__ == "__main__":
    main()
