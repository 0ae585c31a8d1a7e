"""The worker's own decisions, without processes: what it does when a fork fails."""

from __future__ import annotations

import errno
import itertools
import os
import time
from collections.abc import Iterator
from typing import Any

import pytest

from sand import worker
from sand.messages import GrainConfiguration, InstanceForkFailedReport, SpawnCommand, StopCommand


class FakeControl:
    """Hands out the commands one after the other, then stops the worker once it waits for nothing."""

    def __init__(self, *commands: Any) -> None:
        self.commands: Iterator[Any] = iter(commands)
        self.reports: list[Any] = []
        self.waits: list[float | None] = []

    def wait(self, timeout_ms: float | None) -> tuple[bytes, list[Any]]:
        self.waits.append(timeout_ms)
        command = next(self.commands, None)
        if command is None and timeout_ms is None:
            return b"", [StopCommand()]
        return b"", [command] if command else []

    def report(self, report: Any) -> None:
        self.reports.append(report)


@pytest.fixture(autouse=True)
def no_hook(monkeypatch: pytest.MonkeyPatch) -> None:
    """Temporary files stay those of the test run."""
    monkeypatch.setattr(worker.temporary, "Hook", object)


def run(control: FakeControl) -> None:
    configuration = GrainConfiguration("g", "handler:handle", (), "request", "auto", {}, 0, "app", "1", ("g",), 0)
    worker.Worker("/nowhere", configuration, lambda event, context: None, control, None).run()


@pytest.mark.parametrize("error", [errno.EAGAIN, errno.ENOMEM])
def test_a_failed_fork_is_tried_again_and_then_reported(monkeypatch: pytest.MonkeyPatch, error: int) -> None:
    forks = []
    now = [0]

    def fork() -> int:
        forks.append(now[0])
        raise OSError(error, os.strerror(error))

    def clock() -> int:
        now[0] += 1_000_000
        return now[0]

    monkeypatch.setattr(os, "fork", fork)
    monkeypatch.setattr(time, "monotonic_ns", clock)
    control = FakeControl(SpawnCommand(("i1",)))
    run(control)
    assert len(forks) == 1 + len(worker.FORK_RETRY_MS)
    assert control.reports == [InstanceForkFailedReport("i1", f"fork: {os.strerror(error)}")]
    pauses = [(later - earlier) / 1e6 for earlier, later in itertools.pairwise(forks)]
    assert all(pause >= least for pause, least in zip(pauses, worker.FORK_RETRY_MS, strict=True))


def test_other_failures_of_a_fork_are_reported_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    def fork() -> int:
        raise OSError(errno.EPERM, "no")

    monkeypatch.setattr(os, "fork", fork)
    control = FakeControl(SpawnCommand(("i1", "i2")))
    run(control)
    assert [report.instance for report in control.reports] == ["i1", "i2"]
