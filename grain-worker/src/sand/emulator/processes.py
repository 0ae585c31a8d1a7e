"""An application's cloud processes (PraaS 3, 4): which there are, whose turn it is in them, and what happens by itself.

One lock for all of them, `changed`; what waits, waits on it. Under it the application's may be taken, and an execution's may
not.
"""

from __future__ import annotations

import shutil
import tempfile
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

from sand.emulator import ids
from sand.emulator.late import LATE
from sand.emulator.problems import platform
from sand.emulator.processes_bounds import QueueFull
from sand.emulator.processes_life import ACTIVE, IDLE, KILLED, SWAPPED, CloudProcess, IllegalStep
from sand.emulator.processes_specs import Dedicated, FunctionSpec, ProcessSpec
from sand.emulator.processes_stay import Residence
from sand.emulator.processes_triggers import due
from sand.errors import NotFound, Overloaded, UnknownGrain
from sand.messages import Payload, ProcessEntry

if TYPE_CHECKING:
    from sand.emulator.applications import Application
    from sand.emulator.executions import Execution
    from sand.emulator.manifest import Grain, Manifest

PROCESSES = 10_000
# That an invocation by another process, or by messages, may wait there; its function's own limit counts from then.
WAITS_MS = 900_000
# For functions to end, when a process is to be swapped out.
DRAINS_S = 60.0


class Processes:
    def __init__(self, application: Application) -> None:
        self._application = application
        self.segments = application.segments
        self.changed = threading.Condition(threading.RLock())
        self.version = 1
        """Of what `entries` gives."""
        self._all: dict[str, CloudProcess] = {}
        self._folder: Path | None = None
        self._files = 0
        self._is_closed = False

    # --- what sand.yaml says

    def _live(self) -> Manifest:
        return self._application.version(None).manifest

    def spec(self) -> ProcessSpec:
        return self._live().processes

    def grains(self) -> dict[str, Grain]:
        return self._live().grains

    def function(self, name: str) -> FunctionSpec:
        return self._spec_of(name) or FunctionSpec()

    def _spec_of(self, name: str) -> FunctionSpec | None:
        grain = self.grains().get(name)
        return grain and grain.function

    def memory(self, process: CloudProcess) -> int:
        return self.spec().memory if process.memory is None else process.memory

    # --- which there are

    def entries(self) -> list[ProcessEntry]:
        with self.changed:
            return [ProcessEntry(id, self._all[id].status) for id in sorted(self._all)]

    def all(self) -> list[CloudProcess]:
        """In the order of their ids."""
        with self.changed:
            return [self._all[id] for id in sorted(self._all)]

    def no_process(self, id: str) -> NotFound:
        return NotFound(f"application {self._application.name} has no process {id}")

    def no_grain(self, name: str) -> UnknownGrain:
        return UnknownGrain(f"application {self._application.name} has no grain {name}")

    def find(self, id: str) -> CloudProcess:
        """:raises NotFound:"""
        with self.changed:
            if id not in self._all:
                raise self.no_process(id)
            return self._all[id]

    def create(
        self,
        id: str | None = None,
        concurrency: int | None = None,
        memory: int | None = None,
        dedicated: Dedicated | None = None,
    ) -> tuple[CloudProcess, bool]:
        """Whether it was there, swapped. :raises IllegalStep: it is there, and is not :raises Overloaded: there are too many"""
        with self.changed:
            known = self._all.get(id) if id is not None else None
            if known is not None:
                self._swap_in(known, "create")
                return known, True  # as it was made: what is said here is said of new ones
            made = self._make(id or ids.new(), concurrency, memory)
            made.dedicated = dedicated
            return made, False

    def _make(self, id: str, concurrency: int | None = None, memory: int | None = None) -> CloudProcess:
        if len(self._all) >= PROCESSES or self._is_closed:
            raise Overloaded(f"an application has at most {PROCESSES} processes")
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="sand-processes-"))
            name = f"processes-{self._application.name}"
            threading.Thread(target=self._loop, daemon=True, name=name).start()
        self._files += 1
        self._all[id] = made = CloudProcess(id, self._folder / f"{self._files}", concurrency, memory, self._application.name)
        self._listed_anew()
        return made

    def address(self, id: str, create: bool = False) -> CloudProcess:
        """It is in memory then. :raises NotFound:"""
        with self.changed:
            process = self._make(id) if create and id not in self._all else self.find(id)
            if process.status == SWAPPED:
                self._swap_in(process, "swap in")
            return process

    def kill(self, id: str) -> None:
        """With all that it has, and the functions that run or wait in it. :raises NotFound:"""
        with self.changed:
            process = self.find(id)
            del self._all[id]
            process.draining = True
            left = [*process.inside, *process.waiting]
        # They end for this reason, and not for what they would find.
        for execution in left:
            execution.cancel(f"process {id} was killed")
        with self.changed:
            self._step(process, "kill")
            self._release_views(process)
            process.remove()

    def wake(self) -> None:
        with self.changed:
            self.changed.notify_all()

    def execution(self, id: str) -> Execution | None:
        return self._application.executions.get(id)

    # --- functions in them

    def invoke(
        self,
        process: CloudProcess,
        function: str,
        payload: Payload,
        timeout_ms: int | None = None,
        traceparent: str | None = None,
        id: str | None = None,
        key: str | None = None,
    ) -> Execution:
        """Of a process that is in memory. :raises Overloaded: as many wait there as may"""
        with self.changed:
            if not self._has_turn(process):
                most = self.spec().queue
                has = f"process {process.id} of application {self._application.name} has a limit of {most} waiting invocations"
                raise QueueFull(f"{has}, and this one would be one more; try again later", most, most + 1)
            version = self._application.version(None)
            if timeout_ms is None:
                timeout_ms = WAITS_MS + version.manifest.grains[function].timeout_ms
            residence = Residence(self, process, key)
            execution = self._application.start(version, function, payload, timeout_ms, traceparent, id=id, residence=residence)
            process.waiting.append(execution)
            self._step(process, "run")
            return execution

    def room(self, id: str) -> int:
        """How many invocations a process of that id takes at once, those that wait among them; at least 1."""
        with self.changed:
            known = self._all.get(id)
            return max(1, self.spec().queue + (self.spec().concurrency if known is None else self._concurrency(known)))

    def _has_turn(self, process: CloudProcess) -> bool:
        room = self.spec().queue + self._concurrency(process)
        if len(process.waiting) + len(process.inside) < room:
            return True
        # Whoever was told that one has ended may invoke the next one at once, whether that has left by then or not.
        return sum(not one.ended.is_set() for one in (*process.waiting, *process.inside)) < room

    def _concurrency(self, process: CloudProcess) -> int:
        return self.spec().concurrency if process.concurrency is None else process.concurrency

    def enter(self, execution: Execution, process: CloudProcess) -> bool:
        """When its turn has come. False: it has ended before."""
        self._application.lines.runs_in(execution.id, self._application.name, process.id)
        refusal = self._enter(execution, process)
        if refusal == "":
            return True
        if refusal == "late":
            execution.time_out(f"while it waited in process {process.id}")
        elif refusal == "killed":
            execution.end("FAILED", None, platform("Sand.NotFound", f"process {process.id} was killed", False))
        return False

    def _enter(self, execution: Execution, process: CloudProcess) -> str:
        with self.changed:
            if execution not in process.waiting:  # it is redriven
                process.waiting.append(execution)
            try:
                while True:
                    if process.status == KILLED:
                        return "killed"
                    if execution.ended.is_set():
                        return "ended"
                    free = not process.draining and len(process.inside) < self._concurrency(process)
                    if free and process.waiting[0] is execution:
                        break
                    left = execution.deadline_ns - LATE.now_ns()
                    if left <= 0:
                        return "late"
                    self.changed.wait(left / 1e9)
                if process.status == SWAPPED:
                    self._swap_in(process, "swap in")
                self._step(process, "run")
                process.inside.add(execution)
                return ""
            finally:
                process.waiting.remove(execution)
                self.changed.notify_all()

    def leave(self, execution: Execution, process: CloudProcess) -> None:
        with self.changed:
            process.inside.discard(execution)
            process.touched_ns = time.monotonic_ns()
            process.counts["invocations"] += 1
            process.counts["failures"] += execution.output is None
            process.counts["busyMs"] += sum(max(0, one.ended_ns - one.started_ns) for one in execution.attempts) // 1_000_000
            self._fire(process)
            self.changed.notify_all()

    # --- messages

    def deliver(self, sender: CloudProcess, to: CloudProcess, key: str, payload: Payload) -> None:
        """In room that is reserved."""
        if to.status == SWAPPED:
            self._swap_in(to, "swap in")
        to.mailbox.add(sender.id, key, payload, time.monotonic_ns())
        sender.counts["sent"] += 1
        self.match(to)
        self._fire(to)

    def match(self, process: CloudProcess) -> None:
        """Gives those who wait what they wait for, in the order in which they came."""
        for receiver in [one for one in process.receivers if one.message is None]:
            receiver.message = process.mailbox.borrow(receiver.source, receiver.key)
        self.changed.notify_all()

    def _fire(self, process: CloudProcess) -> None:
        """Invokes what the triggers of its messages say."""
        while process.status in (ACTIVE, IDLE) and not self._is_closed:
            now = time.monotonic_ns()
            firing, process.due_ns = due(process.mailbox, self._spec_of, now)
            if firing is None or not self._has_turn(process):
                return
            process.mailbox.take(firing.messages)
            process.counts["received"] += len(firing.messages)
            self.invoke(process, firing.function, firing.payload, key=firing.key)

    def deployed(self) -> None:
        """There is another version, or another one is live: it may have other functions and bounds."""
        with self.changed:
            for process in list(self._all.values()):
                self._fire(process)
            self.changed.notify_all()

    # --- its life

    def _step(self, process: CloudProcess, name: str) -> None:
        if process.step(name):
            self._listed_anew()

    def _listed_anew(self) -> None:
        self.version += 1
        self.changed.notify_all()

    def swap_in(self, id: str) -> CloudProcess:
        """:raises NotFound: :raises IllegalStep:"""
        with self.changed:
            process = self.find(id)
            self._swap_in(process, "swap in")
            return process

    def _swap_in(self, process: CloudProcess, step: str) -> None:
        if process.status == SWAPPED:
            process.read()
        self._step(process, step)
        process.counts["swapsIn"] += 1
        self._fire(process)

    def swap_out(self, id: str) -> CloudProcess:
        """Once the functions that run in it have ended; others begin when it is back.

        :raises NotFound: :raises IllegalStep: they have not ended in time too
        """
        with self.changed:
            process = self.find(id)
            until = time.monotonic() + DRAINS_S
            self._wait_while(process, until, lambda: process.draining)
            if not process.is_here:
                raise IllegalStep(process, "swap out")
            process.draining = True
            try:
                self._wait_while(process, until, lambda: bool(process.inside))
                self._swap_out(process)
            finally:
                process.draining = False
                self.changed.notify_all()
            return process

    def _wait_while(self, process: CloudProcess, until: float, condition: object) -> None:
        while condition():  # type: ignore[operator]
            left = until - time.monotonic()
            if left <= 0:
                raise IllegalStep(process, "swap out", f"functions run in it still: {len(process.inside)}")
            self.changed.wait(left)
            self.find(process.id)

    def _swap_out(self, process: CloudProcess) -> None:
        process.write()
        self._step(process, "swap out")
        self._release_views(process)
        process.forget()
        process.counts["swapsOut"] += 1

    def _release_views(self, process: CloudProcess) -> None:
        views, process.views = process.views, {}
        for view in views.values():
            self.segments.release(view.owner)

    def checkpoint(self, id: str) -> CloudProcess:
        """What functions that ended well have done is in its file too. :raises NotFound: :raises IllegalStep:"""
        with self.changed:
            process = self.find(id)
            touched = process.touched_ns
            self._step(process, "checkpoint")
            process.touched_ns = touched
            process.write()
            process.counts["checkpoints"] += 1
            return process

    def _loop(self) -> None:
        with self.changed:
            while not self._is_closed:
                now, spec = time.monotonic_ns(), self.spec()
                ends = [end for process in list(self._all.values()) for end in self._tend(process, spec, now)]
                self.changed.wait((min(ends) - time.monotonic_ns()) / 1e9 if ends else None)

    def _tend(self, process: CloudProcess, spec: ProcessSpec, now: int) -> list[int]:
        """What is due in it; when that is the next time."""
        if process.due_ns is not None and process.due_ns <= now:
            process.due_ns = None
            self.address(process.id)
            self._fire(process)
        ends = [] if process.due_ns is None else [process.due_ns]
        if process.inside or process.waiting or process.draining or not process.is_here:
            return ends
        end = process.touched_ns + (spec.idle_ms if process.status == ACTIVE else spec.swap_after_ms) * 1_000_000
        if end > now:
            return [*ends, end]
        if process.status == IDLE:
            self._swap_out(process)
            return ends
        self._step(process, "rest")
        return [*ends, process.touched_ns + spec.swap_after_ms * 1_000_000]

    def settle(self, seconds: float) -> bool:
        """Whether no function runs or waits any more, before so many seconds have passed."""

        def is_quiet() -> bool:
            return not any(process.inside or process.waiting for process in self._all.values())

        with self.changed:
            return self.changed.wait_for(is_quiet, seconds)

    def close(self) -> None:
        with self.changed:
            self._is_closed = True
            self.changed.notify_all()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
