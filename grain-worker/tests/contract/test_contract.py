"""What a runtime must do to take part (docs/RUNTIME.md), as tests that any runtime can be held to:

    python -m pytest tests/contract --runtime 'node supervisor.js' --runtime-grains my/grains

The folder has the same small grains as grains/ here (each says what it does), in the runtime's language. The host agent's
side is tests/broker.py, which reads and writes by the IDL and asserts that required fields are there.
"""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from broker_data import sand
from sandbox import TOKEN, Sandbox, alive

GRAINS = sorted(folder.name for folder in (Path(__file__).parent / "grains").iterdir())


@pytest.fixture
def runtime(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    one = Sandbox(request.config.getoption("--runtime"))
    shutil.copytree(request.config.getoption("--runtime-grains"), one.app / "grains")
    yield one
    one.close()


def start(runtime: Sandbox, grain: str, **configuration: Any) -> str:
    runtime.claim()
    return runtime.start(None, grain=grain, grains=GRAINS, **configuration)


def ready(runtime: Sandbox, grain: str, **configuration: Any) -> str:
    worker = start(runtime, grain, **configuration)
    runtime.broker.report("workerReady", worker=worker)
    return worker


def test_a_blank_supervisor_asks_for_commands_with_its_token(runtime: Sandbox) -> None:
    asked = runtime.broker.until(lambda: runtime.broker.callers.get(TOKEN), "its first call")
    assert asked.pid == runtime.process.pid


def test_a_worker_reports_itself_and_asks_with_its_id(runtime: Sandbox) -> None:
    worker = ready(runtime, "echo")
    report = runtime.broker.report("workerReady", worker=worker)
    assert alive(report.pid)
    assert report.importUs >= 0
    assert runtime.broker.until(lambda: runtime.broker.callers.get(worker), "its call").pid == report.pid


def test_every_spawned_instance_takes_on_a_connection_of_its_own(runtime: Sandbox) -> None:
    names = runtime.spawn(ready(runtime, "echo"), 3)
    assert len({taken.connection for taken in runtime.broker.waiting}) == 3
    pids = {runtime.pid(name) for name in names}
    assert len(pids) == 3
    assert all(map(alive, pids))


def test_a_process_a_request(runtime: Sandbox) -> None:
    worker = ready(runtime, "echo")
    names = runtime.spawn(worker, 2)
    before = time.monotonic_ns()
    for value in ({"a": [1, 2.5, None, "é"]}, 7):
        answer = runtime.send(value, attempt=2)
        assert json.loads(answer.output.bytes) == value
        assert (answer.output.contentType, answer.attempt) == ("application/json", 2)
        assert before <= answer.startedNs <= answer.endedNs <= time.monotonic_ns()
    for name in names:
        report = runtime.broker.report("instanceExited", instance=name)
        assert (report.exitCode, report.signal) == (0, 0)
        assert report.cpuUs > 0
        assert report.peakMemoryBytes > 0
        runtime.broker.until(lambda name=name: name in runtime.broker.closed, "its connection closed")
        assert [method for one, method in runtime.broker.frames if one == name] == ["take", "finish"]


def test_isolation_worker_serves_many_on_one_connection(runtime: Sandbox) -> None:
    (name,) = runtime.spawn(ready(runtime, "echo", isolation="worker", maxRequests=3))
    for value in range(3):
        assert json.loads(runtime.send(value).output.bytes) == value
    assert runtime.broker.report("instanceExited", instance=name).exitCode == 0
    assert [method for one, method in runtime.broker.frames if one == name] == ["take", "finish"] * 3


def test_no_event_ends_an_instance(runtime: Sandbox) -> None:
    (name,) = runtime.spawn(ready(runtime, "echo"))
    runtime.broker.dismiss()
    assert runtime.broker.report("instanceExited", instance=name).exitCode == 0


def test_other_content_types_are_bytes(runtime: Sandbox) -> None:
    answer = runtime.invoke(ready(runtime, "echo"), b"\0\xff", content_type="application/octet-stream")
    assert (answer.output.contentType, answer.output.bytes) == ("application/octet-stream", b"\0\xff")


def test_an_error_is_reported_by_name(runtime: Sandbox) -> None:
    failed = runtime.invoke(ready(runtime, "fail"), "no luck", attempt=3)
    assert (type(failed), failed.error, failed.cause, failed.attempt) == (sand.FailRequest, "Oops", "no luck", 3)
    assert failed.startedNs <= failed.endedNs


def test_a_payload_that_is_not_json_fails_its_event(runtime: Sandbox) -> None:
    assert runtime.invoke(ready(runtime, "echo"), b"{").error == "Sand.BadRequest"


def test_an_end_without_an_answer_is_reported(runtime: Sandbox) -> None:
    (name,) = runtime.spawn(ready(runtime, "crash"))
    event = runtime.event()
    runtime.broker.hand(event)
    assert runtime.broker.report("instanceExited", instance=name).exitCode == 3
    assert runtime.answer(event.eventId) is None


def test_kill_ends_the_whole_process_group(runtime: Sandbox) -> None:
    (name,) = runtime.spawn(ready(runtime, "spin"))
    runtime.broker.hand(runtime.event())
    runtime.kill(runtime.pid(name))
    assert runtime.broker.report("instanceExited", instance=name).signal == 9
    runtime.broker.until(lambda: name in runtime.broker.closed, "the end of its child, which holds its connection")


def test_publications_come_with_finish(runtime: Sandbox) -> None:
    answer = runtime.invoke(ready(runtime, "publish"), {"n": 1})
    (published,) = answer.published
    assert (published.grain, json.loads(published.payload.bytes)) == ("echo", {"n": 1})
    assert answer.output.bytes == b"null"


def test_large_values_go_by_reference_both_ways(runtime: Sandbox) -> None:
    worker = ready(runtime, "large")
    size = 3 << 20
    output = runtime.invoke(worker, size).output
    assert (output.bytes, output.reference.size, output.contentType) == (None, size, "application/octet-stream")
    assert os.fstat(runtime.broker.objects[output.reference.object]).st_size == size
    assert json.loads(runtime.invoke(worker, payload=output).output.bytes) == size


def test_output_is_marked_by_attempt(runtime: Sandbox) -> None:
    (name,) = runtime.spawn(ready(runtime, "log", isolation="worker"))
    runtime.send(5, executionId="x", eventId="x/main", attempt=2)
    for fd, word in ((1, b"out"), (2, b"err")):
        want = b"\x1ex x/main 2\n%s 5\n" % word
        runtime.broker.until(lambda fd=fd, want=want: runtime.broker.logs[name, fd] == want, f"log {fd}")


def test_code_that_does_not_load_is_reported(runtime: Sandbox) -> None:
    worker = start(runtime, "broken")
    report = runtime.broker.report("workerFailed", worker=worker)
    assert "not today" in report.cause
    assert report.error
    assert runtime.broker.report("workerExited", worker=worker)


def test_stop_waits_for_instances(runtime: Sandbox) -> None:
    worker = ready(runtime, "echo")
    (name,) = runtime.spawn(worker)
    runtime.broker.command(TOKEN, stop=sand.StopCommand(worker=worker))
    assert json.loads(runtime.send(1).output.bytes) == 1
    runtime.broker.report("instanceExited", instance=name)
    assert runtime.broker.report("workerExited", worker=worker).exitCode == 0


def test_a_killed_worker_is_reported_and_its_instances_die(runtime: Sandbox) -> None:
    worker = ready(runtime, "echo")
    names = runtime.spawn(worker, 2)
    runtime.kill(runtime.broker.report("workerReady", worker=worker).pid)
    assert runtime.broker.report("workerExited", worker=worker).signal == 9
    runtime.broker.until(lambda: {*names} <= {*runtime.broker.closed}, "their end")


def test_everything_ends_with_the_supervisors_connection(runtime: Sandbox) -> None:
    names = runtime.spawn(ready(runtime, "echo"), 2)
    pids = [runtime.pid(name) for name in names]
    runtime.broker.hang_up(TOKEN)
    runtime.process.wait(20)
    runtime.broker.until(lambda: not any(map(alive, pids)), "their end")


def test_an_instance_ends_with_its_connection(runtime: Sandbox) -> None:
    (name,) = runtime.spawn(ready(runtime, "echo"))
    runtime.broker.waiting[0].connection.stream.shutdown(2)
    assert runtime.broker.report("instanceExited", instance=name).exitCode != 0
