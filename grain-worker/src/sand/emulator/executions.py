"""Executions: of one grain with what it publishes, or of a workflow; from the request to the record of its end.

RUNNING ─▶ SUCCEEDED, FAILED, TIMED_OUT or CANCELLED
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any

from sand.asl.events import EventLog
from sand.asl.execution import Execution as Engine
from sand.asl.live import Live
from sand.emulator import ids
from sand.emulator.attempts import Attempt, Grains
from sand.emulator.late import LATE
from sand.emulator.manifest import Manifest
from sand.emulator.problems import Failure, as_workflows, platform
from sand.messages import Payload, Publication
from sand.values import JSON

if TYPE_CHECKING:
    from sand.emulator.processes_stay import Residence

AT_ONCE = 64
PUBLISHED_EVENTS = 10_000
PUBLISHED_DEPTH = 100
NULL = Payload(JSON, b"null")
EMPTY_OBJECT = Payload(JSON, b"{}")
"""What a workflow begins with that is given nothing, as StartExecution has it."""


# A report on the callback of a step, in the event loop of the engine: whether it was awaited.
Callback = Callable[[Live, str], bool]


class Ended(Exception):
    """The execution is over before its last step: cancelled, or its deadline has passed."""


@dataclass(frozen=True)
class Ending:
    status: str
    failure: Failure | None
    at_ms: int


class Execution:
    """One execution and its record. `output` is set when it SUCCEEDED, `failure` when it ended in another way.

    :param timeout_ms: from now to its deadline
    :param id: None: a new one
    :param residence: the cloud process that it runs in
    """

    def __init__(
        self,
        manifest: Manifest,
        version: int,
        target: str,
        payload: Payload,
        timeout_ms: int,
        traceparent: str | None = None,
        id: str | None = None,
        residence: Residence | None = None,
    ) -> None:
        self.id = id or ids.new()
        self.residence = residence
        self.manifest = manifest
        self.version = version
        self.target = target
        self.input = payload
        self.timeout_ms = timeout_ms
        self.traceparent = traceparent
        self.status = "RUNNING"
        self.output: Payload | None = None
        self.failure: Failure | None = None
        self.history: list[dict[str, Any]] = []
        self.log = EventLog()
        """Of a workflow: its history as the HTTP interface shows it."""
        self.attempts: list[Attempt] = []
        self.ended = threading.Event()
        self.changed = threading.Condition()
        self.started_ms = time.time_ns() // 1_000_000
        self.ended_ms: int | None = None
        self.deadline_ns = LATE.now_ns() + timeout_ms * 1_000_000
        self.thread: threading.Thread | None = None
        self.redrives = 0
        self.before: Ending | None = None
        """Of one that is redriven: how it had ended."""
        self.begins_from: str | None = None
        """Of one that is redriven: the state, when it is not the one that failed."""
        self.engine: Engine | None = None
        """Of a workflow: where it is, for a redrive."""
        self.left: list[tuple[str, Publication]] = []
        """Of a workflow that has ended: published events that had not succeeded."""
        self._open: dict[str, Attempt] = {}
        self._cancelled: str | None = None
        self._grains: Grains | None = None
        self.call_back: Callable[[str, Callback], bool] = lambda step, report: False
        """Of a workflow that runs: reports on the callback of a step."""
        self.awaited: Callable[[], list[str]] = list
        """Of a workflow that runs: the tokens that somebody has."""

    # --- its end

    def cancel(self, cause: str, error: str | None = None) -> bool:
        """Whether it ran.

        :param error: what it ends with, the cause then stands as it is given; None: Sand.Cancelled, the cause in a sentence
        """
        with self.changed:
            if self.status != "RUNNING":
                return False
            self._cancelled = cause
        failure = platform("Sand.Cancelled", f"execution {self.id} was cancelled: {cause}", False)
        if error is not None:
            failure = Failure(error, cause, "caller")
        return self.end("CANCELLED", None, failure)

    def end(self, status: str, output: Payload | None, failure: Failure | None) -> bool:
        """The first end counts; the others are told False."""
        with self.changed:
            if self.status != "RUNNING":
                return False
            self.status, self.output, self.failure = status, output, failure
            self.ended_ms = time.time_ns() // 1_000_000
            left = list(self._open.values())
        for attempt in left:
            if self._grains is not None:
                self._grains.cancel(attempt)
        with self.changed:
            self.ended.set()
            self.changed.notify_all()
        if self.residence is not None:
            self.residence.wake()
        return True

    def redrive(self, timeout_ms: int, from_: str | None = None) -> bool:
        """It is to run on, from another state than the one that failed when one is named.

        Whether it had ended, and not SUCCEEDED.
        """
        with self.changed:
            if self.status in ("RUNNING", "SUCCEEDED"):
                return False
            self.before = Ending(self.status, self.failure, self.ended_ms or self.started_ms)
            self.status, self.failure, self.ended_ms = "RUNNING", None, None
            self.begins_from = from_
            self.redrives += 1
            self.timeout_ms = timeout_ms
            self.deadline_ns = LATE.now_ns() + timeout_ms * 1_000_000
            self.ended = threading.Event()
            self._open = {}
            self._cancelled = None
            self.changed.notify_all()
            return True

    # --- its steps

    def attempt(self, step: str, grain: str, payload: Payload, timeout_ms: int | None = None) -> Attempt:
        """Its own limit, the grain's, counts from when it is handed over."""
        deadline = self.deadline_ns
        if timeout_ms:
            deadline = min(deadline, LATE.now_ns() + timeout_ms * 1_000_000)
        process = self.residence and self.residence.name
        return Attempt(f"{self.id}/{step}", self.id, step, grain, payload, deadline, self.traceparent, process)

    def run_attempt(self, grains: Grains, attempt: Attempt) -> Attempt:
        """Blocks until it has ended. :raises Ended: the execution has"""
        with self.changed:
            if self.status != "RUNNING":
                raise Ended
            self._grains = grains
            self._open[attempt.step] = attempt
        if self.residence is not None:
            attempt.stay = self.residence.stay(attempt)
        try:
            grains.run(attempt)
        finally:
            with self.changed:
                self._open.pop(attempt.step, None)
                self.attempts.append(attempt)
                self._settle(attempt)
                self.changed.notify_all()
        if LATE.now_ns() >= self.deadline_ns and attempt.failure and attempt.failure.error == "Sand.Timeout":
            self.time_out(f"while grain {attempt.grain} ran")
        if self.status != "RUNNING":
            raise Ended
        return attempt

    def _settle(self, attempt: Attempt) -> None:
        """What it did in a process takes effect with its output, or not at all."""
        if attempt.stay is None:
            return
        if attempt.output is None or self.status != "RUNNING":
            attempt.stay.roll_back(for_good=True)
        elif (refusal := attempt.stay.commit(attempt.writes)) is not None:
            attempt.output = None
            attempt.failed(refusal, attempt.started_ns, attempt.ended_ns)
        elif attempt.step == self.target and not attempt.published:
            self.end("SUCCEEDED", attempt.output, None)

    def time_out(self, where: str) -> None:
        cause = f"execution {self.id} did not end within its {self.timeout_ms} ms: the deadline passed {where}"
        self.end("TIMED_OUT", None, platform("Sand.Timeout", cause, True))

    def hops(self) -> list[dict[str, object]]:
        with self.changed:
            return [attempt.hop() for attempt in self.attempts]


class Published:
    """Events that grains published, joined as the platform joins them: names of steps, bounds, and the leaves' outputs."""

    def __init__(self, execution: Execution, grains: Grains) -> None:
        self._execution = execution
        self._grains = grains
        self._pool = ThreadPoolExecutor(AT_ONCE, "published")
        self._done: SimpleQueue[Attempt | BaseException] = SimpleQueue()
        self._open: dict[str, Publication] = {}
        self._children: dict[str, list[str]] = {}
        self._outputs: dict[str, Payload] = {}
        self._roots: list[str] = []
        self._total = 0

    def publish(self, parent: str, published: tuple[Publication, ...], root: bool) -> Failure | None:
        """Starts them. Why they cannot, or None."""
        if root:
            self._roots.append(parent)
        self._total += len(published)
        if self._total > PUBLISHED_EVENTS:
            cause = f"step {parent} brings the execution's published events to {self._total}; the limit is {PUBLISHED_EVENTS}"
            return platform("Sand.TooLarge", cause, False)
        if parent.count(">publish[") == PUBLISHED_DEPTH:
            words = "deep; does a grain publish to itself without an end?"
            cause = f"publications follow one another more than {PUBLISHED_DEPTH} {words}"
            return platform("Sand.TooLarge", cause, False)
        self._children[parent] = []
        for number, one in enumerate(published):
            step = f"{parent}>publish[{number}]"
            self._children[parent].append(step)
            self._open[step] = one
            self._pool.submit(self._run, self._execution.attempt(step, one.grain, one.payload))
        return None

    def left(self) -> list[tuple[str, Publication]]:
        """Those that have not succeeded, by their steps."""
        return list(self._open.items())

    def again(self, left: list[tuple[str, Publication]], redrive: int) -> None:
        """What had not succeeded runs again, each under a step of its own."""
        for before, one in left:
            step = f"{before}>redrive#{redrive}"
            self._open[step] = one
            self._pool.submit(self._run, self._execution.attempt(step, one.grain, one.payload))

    def _run(self, attempt: Attempt) -> None:
        try:
            self._done.put(self._execution.run_attempt(self._grains, attempt))
        except BaseException as ended:
            self._done.put(ended)

    def wait(self) -> Failure | None:
        """Until none is open. The failure of the first that failed, or None. :raises Ended: the execution is over"""
        try:
            while self._open:
                try:
                    done = self._done.get(timeout=max(0.0, (self._execution.deadline_ns - LATE.now_ns()) / 1e9) + 5)
                except Empty:
                    if LATE.stands:
                        continue
                    raise Ended from None
                if isinstance(done, BaseException):
                    raise done
                if done.failure is not None:
                    return done.failure
                del self._open[done.step]
                assert done.output is not None
                self._outputs[done.step] = done.output
                if done.published and (refusal := self.publish(done.step, done.published, False)):
                    return refusal
            return None
        finally:
            self._pool.shutdown(wait=False, cancel_futures=True)

    def joined(self) -> Payload | None:
        """The output of the one leaf, or an array of all in step order; None: they cannot be one array."""
        leaves = [self._outputs[leaf] for root in self._roots for leaf in self._leaves(root)]
        if len(leaves) == 1:
            return leaves[0]
        if any(not leaf.content_type.startswith(JSON) or len(leaf.bytes or b"") > 64 * 1024 for leaf in leaves):
            return None
        return Payload(JSON, b"[" + b",".join(leaf.bytes or b"null" for leaf in leaves) + b"]")

    def _leaves(self, step: str) -> Iterator[str]:
        children = self._children.get(step)
        if not children:
            yield step
        for child in children or ():
            yield from self._leaves(child)


def run_grain(execution: Execution, grains: Grains) -> None:
    """An execution of one grain, to its end."""
    try:
        done = execution.run_attempt(grains, execution.attempt(execution.target, execution.target, execution.input))
        if done.failure is not None:
            timed_out = done.failure.error == "Sand.Timeout"
            execution.end("TIMED_OUT" if timed_out else "FAILED", None, done.failure)
            return
        output = done.output
        if done.published:
            events = Published(execution, grains)
            failure = events.publish(done.step, done.published, True) or events.wait()
            if failure is not None:
                execution.end("FAILED", None, failure)
                return
            if output == NULL:
                output = events.joined()
        if output is None:
            cause = (
                f"the outputs of the events that grain {execution.target} published cannot be one JSON array: one is no JSON, "
                f"or over the inline limit; return a value from {execution.target}, or publish to one grain that collects them"
            )
            execution.end("FAILED", None, platform("Sand.Unserializable", cause, False))
            return
        execution.end("SUCCEEDED", output, None)
    except Ended:
        pass


def run_workflow(execution: Execution, grains: Grains, run: Callable[[Execution, Grains], Any]) -> None:
    """An execution of a workflow, to its end.

    :param run: the engine: gives output, failure and whether the workflow's own limit passed
    """
    try:
        output, failure, timed_out = run(execution, grains)
    except Ended:
        return
    if failure is None:
        execution.end("SUCCEEDED", output, None)
    else:
        execution.end("TIMED_OUT" if timed_out else "FAILED", None, as_workflows(failure))
