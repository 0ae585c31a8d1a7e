"""One grain's worker and instances: which of them gets the next event, and what their ends mean. No I/O, no threads.

    no worker ─▶ starting ─▶ ready ─▶ (spawn, take, answered, exited)* ─▶ worker gone ─▶ no worker
                    └──▶ failed: every event fails with the reason
Called under the lock of forked.py. A process is named `<grain>.<kind><number>`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sand.emulator.attempts import Attempt
from sand.emulator.exits import crash
from sand.emulator.manifest import Grain
from sand.emulator.problems import Failure, platform
from sand.emulator.segments import Segments
from sand.messages import (
    Command,
    FinishRequest,
    GrainConfiguration,
    InstanceExitedReport,
    InstanceForkFailedReport,
    Publication,
    SpawnCommand,
    StartWorkerCommand,
    WorkerExitedReport,
    WorkerFailedReport,
)
from sand.values import INLINE_BYTES

Hand = Callable[[Attempt | None], None]
# Kept waiting ahead of need, as `idle.min` is by default.
SPARE = 1
# Ends before they took an event, one after the other, until the grain's events fail.
STILLBORN = 3
PAST = 500


@dataclass
class Instance:
    """:param hand: gives it an event while it waits
    :param attempt: what it runs, or ran last
    :param closed: all that it said has been read
    :param end: how its process ended
    """

    pid: int = 0
    hand: Hand | None = None
    attempt: Attempt | None = None
    running: bool = False
    closed: bool = False
    end: InstanceExitedReport | None = None


class Pool:
    """:param supervisor: its name for `command`, which sends a command to a supervisor or worker"""

    def __init__(
        self, grain: Grain, configuration: GrainConfiguration, supervisor: str, command: Callable[[str, Command], None]
    ) -> None:
        self.name = grain.name
        self._grain = grain
        self._keeps = grain.isolation == "worker"
        self._configuration = configuration
        self._command = command
        self._supervisor = supervisor
        self._queue: deque[Attempt] = deque()
        self._instances: dict[str, Instance] = {}
        # Ended, or given up: what they wrote and what they cost comes in later.
        self._past: dict[str, Instance] = {}
        self._publications: dict[str, list[Publication]] = {}
        self._worker: str | None = None
        self._ready = False
        self._failure: Failure | None = None
        self._numbers = 0
        self._stillborn = 0

    # --- what executions want

    def add(self, attempt: Attempt) -> Failure | None:
        """Why it is not taken, or None."""
        if len(self._queue) >= self._grain.queue_depth:
            return _full(self._configuration, "queue depth", self._grain.queue_depth, len(self._queue) + 1)
        sizes = [len(one.payload.bytes or b"") for one in (*self._queue, attempt)]
        size = sum(size for size in sizes if size <= INLINE_BYTES)
        if size > self._grain.queue_bytes:
            return _full(self._configuration, "queue of bytes", self._grain.queue_bytes, size)
        self._queue.append(attempt)
        self.dispatch()
        return None

    def leave(self, attempt: Attempt) -> int | None:
        """It has ended. The process to kill, when one still runs it."""
        if attempt in self._queue:
            self._queue.remove(attempt)
        for name, instance in self._instances.items():
            if instance.attempt is attempt and instance.running:
                self._forget(name)
                self.dispatch()
                return instance.pid
        self.dispatch()
        return None

    def dispatch(self) -> None:
        if self._failure is not None:
            while self._queue:
                self._queue.popleft().failed(self._failure)
            return
        if self._queue and self._worker is None:
            self._worker = self._next("w")
            self._command(self._supervisor, StartWorkerCommand(self._worker, self._configuration))
        if not self._ready or self._worker is None:
            return
        waiting = [instance for instance in self._instances.values() if instance.hand]
        running = sum(instance.running for instance in self._instances.values())
        while self._queue and waiting and running < self._grain.concurrency:
            instance, attempt = waiting.pop(-1 if self._keeps else 0), self._queue.popleft()
            hand, instance.hand = instance.hand, None
            instance.attempt, instance.running = attempt, True
            attempt.handed(self._grain.timeout_ms)
            running += 1
            if hand:
                hand(attempt)
        wanted = self._wanted(len(waiting), running)
        names = tuple(self._next("i") for _ in range(wanted))
        if names:
            self._instances |= {name: Instance() for name in names}
            self._command(self._worker, SpawnCommand(names))

    def _wanted(self, waiting: int, running: int) -> int:
        """Processes to fork now. One that has answered and serves many comes back: no other is forked in its place."""
        coming = sum(not instance.pid for instance in self._instances.values())
        if not self._keeps:
            return min(len(self._queue), max(0, self._grain.concurrency - running)) + SPARE - waiting - coming
        serving = len(self._instances)
        back = serving - waiting - coming - running
        needed = min(len(self._queue) - waiting - coming - back, self._grain.concurrency - serving)
        return max(needed, SPARE - serving)

    def _next(self, kind: str) -> str:
        self._numbers += 1
        return f"{self.name}.{kind}{self._numbers}"

    # --- what instances say

    def taken(self, name: str, pid: int, hand: Hand) -> None:
        instance = self._instances.get(name)
        if instance is None:
            hand(None)
            return
        instance.pid, instance.hand = pid, hand
        self._instances[name] = self._instances.pop(name)  # in the order in which they came to wait: the last is the warmest
        self._stillborn = 0
        self.dispatch()

    def publish(self, name: str, publication: Publication) -> None:
        self._publications.setdefault(name, []).append(publication)

    def attempt_of(self, name: str) -> Attempt | None:
        instance = self._instances.get(name) or self._past.get(name)
        return instance.attempt if instance else None

    def _forget(self, name: str) -> Instance | None:
        instance = self._instances.pop(name, None)
        if instance is not None:
            self._past[name] = instance
            if len(self._past) > PAST:
                del self._past[next(iter(self._past))]
        return instance

    def answered(self, name: str, answer: Any, segments: Segments) -> None:
        instance = self._instances.get(name)
        ahead = self._publications.pop(name, [])
        attempt = instance.attempt if instance and instance.running else None
        if instance is None or attempt is None or attempt.ended:
            return
        instance.running = False
        if isinstance(answer, FinishRequest):
            published = tuple(
                Publication(one.grain, segments.inline(one.payload)) for one in (*ahead, *(answer.published or ()))
            )
            attempt.writes = segments.inline_writes(answer.state_writes or ())
            attempt.finished(segments.inline(answer.output), published, answer.started_ns, answer.ended_ns)
        else:
            source = "grain"
            failure = Failure(answer.error, answer.cause, source, False, answer.stack_trace)
            attempt.failed(failure, answer.started_ns, answer.ended_ns)
        self.dispatch()

    def exited(self, report: Any) -> None:
        instance = self._instances.get(report.instance) or self._past.get(report.instance)
        if instance is None:
            return
        attempt = instance.attempt
        if isinstance(report, InstanceForkFailedReport):
            self._forget(report.instance)
            self._fail(platform("Sand.Unavailable", f"grain {self.name} gets no instances: {report.cause}", True), False)
            return
        if attempt is not None:
            attempt.cpu_us, attempt.peak_memory_bytes = report.cpu_us, report.peak_memory_bytes
        elif not instance.pid:
            self._stillborn += 1
            if self._stillborn >= STILLBORN:
                self._fail(crash(self._configuration, report), False)
        instance.end = report
        self._over(report.instance, instance)

    def closed(self, name: str) -> None:
        """Its connection has ended."""
        instance = self._instances.get(name)
        if instance is not None:
            instance.closed, instance.hand = True, None
            self._over(name, instance)

    def _over(self, name: str, instance: Instance) -> None:
        """The end of its connection and of its process are told by two sides, in any order: what it said last is in between."""
        if instance.end is None or not (instance.closed or not instance.pid):
            return
        attempt = instance.attempt
        self._forget(name)
        if attempt is not None and instance.running and not attempt.ended:
            attempt.failed(crash(self._configuration, instance.end))
        self.dispatch()

    # --- what becomes of the worker

    def worker_ready(self, worker: str) -> None:
        if worker == self._worker:
            self._ready = True
            self.dispatch()

    def worker_failed(self, worker: str, report: WorkerFailedReport) -> None:
        if worker == self._worker:
            cause = f"grain {self.name} of application {self._configuration.application} cannot be loaded: {report.cause}"
            self._fail(Failure("Sand.ImportFailed", cause, "grain", False, report.stack_trace), True)

    def worker_exited(self, worker: str, report: WorkerExitedReport) -> None:
        if worker != self._worker:
            return
        how = f"was ended by signal {report.signal}" if report.signal else f"exited with code {report.exit_code}"
        self._without_worker(f"its worker {how}")
        self.dispatch()

    def lose(self, cause: str) -> None:
        """The sandbox is gone, and with it all that ran."""
        for attempt in self._queue:
            attempt.lost = cause
        self._queue.clear()
        self._without_worker(cause)

    def _without_worker(self, cause: str) -> None:
        self._worker, self._ready = None, False
        for instance in self._instances.values():
            if instance.running and instance.attempt and not instance.attempt.ended:
                instance.attempt.lost = cause
        for name in list(self._instances):
            self._forget(name)

    def _fail(self, failure: Failure, for_good: bool) -> None:
        self._stillborn = 0
        while self._queue:
            self._queue.popleft().failed(failure)
        if for_good:
            self._failure = failure


def _full(configuration: GrainConfiguration, what: str, limit: int, actual: int) -> Failure:
    cause = (
        f"grain {configuration.grain} of application {configuration.application} has a {what} of {limit}, and this event "
        f"would make it {actual}; try again later, or raise the limit in sand.yaml"
    )
    return Failure("Sand.Overloaded", cause, "platform", True, None, {"limit": limit, "actual": actual})
