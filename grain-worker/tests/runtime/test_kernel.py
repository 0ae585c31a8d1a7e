"""What the runtime asks of Linux."""

from pathlib import Path

import pytest

from sand import kernel


def test_all_that_the_kernel_ended_together_are_told_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    events = tmp_path / "memory.events"
    now = [100.0]
    monkeypatch.setattr(kernel.OomKills, "_FILES", (str(events),))
    monkeypatch.setattr(kernel.time, "monotonic", lambda: now[0])
    events.write_text("low 0\noom 1\noom_kill 2\n")
    kills = kernel.OomKills()
    assert not kills.happened()
    events.write_text("low 0\noom 2\noom_kill 4\n")
    assert kills.happened()
    now[0] += 0.5
    assert kills.happened()  # the second of them, seen later
    now[0] += 1
    assert not kills.happened()
