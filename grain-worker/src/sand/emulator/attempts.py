"""One run of a grain: what goes into it and what comes out, whoever runs it (forked.py, inline.py)."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from sand.emulator.late import LATE
from sand.emulator.manifest import Grain, Manifest
from sand.emulator.problems import Failure, platform
from sand.messages import EventMessage, GrainConfiguration, Payload, Publication, StateWrite

if TYPE_CHECKING:
    from sand.emulator.processes_stay import Stay


@dataclass
class Attempt:
    """An event on its way through a grain; times are of time.monotonic_ns, 0: not yet.

    :param step: its name in the execution
    :param deadline_ns: when it is ended
    :param process: the cloud process that it runs in, as its event says it, and :param stay: what it has begun there
    """

    event_id: str
    execution_id: str
    step: str
    grain: str
    payload: Payload
    deadline_ns: int
    traceparent: str | None = None
    process: str | None = None
    stay: Stay | None = None
    number: int = 1
    output: Payload | None = None
    published: tuple[Publication, ...] = ()
    writes: tuple[StateWrite, ...] = ()
    failure: Failure | None = None
    lost: str | None = None
    queued_ns: int = field(default_factory=time.monotonic_ns)
    handed_ns: int = 0
    started_ns: int = 0
    ended_ns: int = 0
    returned_ns: int = 0
    cpu_us: int = 0
    peak_memory_bytes: int = 0
    cancelled: bool = False

    @property
    def ended(self) -> bool:
        return self.output is not None or self.failure is not None or self.lost is not None

    def handed(self, timeout_ms: int) -> None:
        """A grain has it. :param timeout_ms: the grain's own limit"""
        self.handed_ns = time.monotonic_ns()
        self.deadline_ns = min(self.deadline_ns, LATE.now_ns() + timeout_ms * 1_000_000)

    def message(self, payload: Payload) -> EventMessage:
        left = max(1, (self.deadline_ns - LATE.now_ns()) // 1_000_000)
        return EventMessage(
            1, self.event_id, self.execution_id, self.grain, self.number, left, payload, self.traceparent, self.process
        )  # fmt: skip

    def again(self) -> None:
        """It was lost, and runs once more."""
        if self.stay is not None:
            self.stay.roll_back()
        self.number, self.lost, self.handed_ns = self.number + 1, None, 0

    def finished(self, output: Payload, published: tuple[Publication, ...], started_ns: int, ended_ns: int) -> None:
        self.published, self.started_ns, self.ended_ns = published, started_ns, ended_ns
        self.returned_ns = time.monotonic_ns()
        self.output = output

    def failed(self, failure: Failure, started_ns: int = 0, ended_ns: int = 0) -> None:
        self.started_ns, self.ended_ns, self.returned_ns = started_ns, ended_ns, time.monotonic_ns()
        self.failure = failure

    def timed_out(self) -> None:
        now = time.monotonic_ns()
        if self.handed_ns:
            took = (now - self.handed_ns) // 1_000_000
            words = f" ran for {took} ms, which is the limit of grain {self.grain} or of the step"
        else:
            took = (now - self.queued_ns) // 1_000_000
            words = f" waited in the queue of grain {self.grain} for {took} ms, which is the limit of the step"
        self.failed(platform("Sand.Timeout", f"step {self.step}{words}", True))

    def hop(self) -> dict[str, object]:
        """As an invocation's record has it: with an error when it did not succeed."""
        error = self.error
        return {
            "eventId": self.event_id, "grain": self.grain, "attempt": self.number, "queuedNs": self.queued_ns,
            "handedNs": self.handed_ns, "startedNs": self.started_ns, "endedNs": self.ended_ns,
            "returnedNs": self.returned_ns, "cpuUs": self.cpu_us, "peakMemoryBytes": self.peak_memory_bytes,
            **({} if error is None else {"error": error}),
        }  # fmt: skip

    @property
    def error(self) -> str | None:
        return self.failure.error if self.failure else "Sand.Crashed" if self.lost else None


class Grains(Protocol):
    """The grains of one version of an application."""

    def run(self, attempt: Attempt) -> None:
        """Returns when the attempt has ended, however that was."""

    def cancel(self, attempt: Attempt) -> None:
        """Its `run` returns soon."""

    def close(self) -> None: ...


def configuration(manifest: Manifest, grain: Grain, version: int, secrets: dict[str, str]) -> GrainConfiguration:
    """What a worker of the grain is told."""
    limit = grain.memory_bytes or manifest.sandbox_memory_bytes - manifest.sandbox_memory_bytes // 8
    return GrainConfiguration(
        grain.name, grain.entry, manifest.path(grain.name), grain.isolation,
        grain.preload, dict(grain.environment), limit, manifest.name, str(version), tuple(sorted(manifest.grains)),
        grain.max_requests, {name: secrets[name] for name in grain.secrets if name in secrets}, not grain.memory_bytes,
    )  # fmt: skip
