"""The walk of an event through real processes: claimed, loaded, forked, waiting, run, finished, gone."""

from __future__ import annotations

import json

from broker_data import sand
from sandbox import TOKEN, Sandbox, alive

ECHO = """
import os
def handle(event, context):
    return {"event": event, "pid": os.getpid()}
"""


def test_an_event_runs_in_a_process_of_its_own(sandbox: Sandbox) -> None:
    worker = sandbox.ready(ECHO)
    first, second = sandbox.spawn(worker, 2)
    outputs = [json.loads(sandbox.send({"n": n}).output.bytes) for n in (1, 2)]
    assert [output["event"]["n"] for output in outputs] == [1, 2]
    assert {output["pid"] for output in outputs} == {sandbox.pid(first), sandbox.pid(second)}
    for name in (first, second):
        ended = sandbox.broker.report("instanceExited", instance=name)
        assert (ended.exitCode, ended.signal, ended.note) == (0, 0, None)
        assert ended.cpuUs > 0
        assert ended.peakMemoryBytes > 1 << 20
        sandbox.broker.until(lambda name=name: not alive(sandbox.pid(name)), "its end")


def test_finish_tells_when_the_handler_ran(sandbox: Sandbox) -> None:
    worker = sandbox.ready("import time\ndef handle(event, context):\n    return time.monotonic_ns()")
    answer = sandbox.invoke(worker)
    assert answer.startedNs <= int(answer.output.bytes) <= answer.endedNs


def test_an_instance_ends_when_there_is_nothing_for_it(sandbox: Sandbox) -> None:
    worker = sandbox.ready(ECHO)
    (name,) = sandbox.spawn(worker)
    sandbox.broker.dismiss()
    assert sandbox.broker.report("instanceExited", instance=name).exitCode == 0


def test_isolation_worker_serves_many_and_is_renewed(sandbox: Sandbox) -> None:
    worker = sandbox.ready(ECHO, isolation="worker", maxRequests=3)
    (name,) = sandbox.spawn(worker)
    pids = {json.loads(sandbox.send(n).output.bytes)["pid"] for n in range(3)}
    assert pids == {sandbox.pid(name)}
    assert sandbox.broker.report("instanceExited", instance=name).exitCode == 0
    assert [method for instance, method in sandbox.broker.frames if instance == name] == [
        "take", "finish", "take", "finish", "take", "finish",
    ]  # fmt: skip


def test_each_attempt_is_marked_on_both_streams(sandbox: Sandbox) -> None:
    worker = sandbox.ready(
        """
        import sys
        def handle(event, context):
            print("said", event)
            print("complained", event, file=sys.stderr)
        """,
        isolation="worker",
    )
    (name,) = sandbox.spawn(worker)
    for n in (1, 2):
        sandbox.send(n, eventId=f"x{n}/main", executionId=f"x{n}", attempt=n)
    for fd, word in ((1, "said"), (2, "complained")):
        want = b"".join(b"\x1ex%d x%d/main %d\n%s %d\n" % (n, n, n, word.encode(), n) for n in (1, 2))
        sandbox.broker.until(lambda fd=fd, want=want: sandbox.broker.logs[name, fd] == want, f"log {fd}")


def test_a_line_without_an_end_does_not_swallow_the_next_attempts_mark(sandbox: Sandbox) -> None:
    handler = """
        import sys
        print("imported", end="")
        def handle(event, context):
            print("said", event, end="")
            sys.stderr.write(f"complained {event}")
        """
    (name,) = sandbox.spawn(sandbox.ready(handler, isolation="worker"))
    for n in (1, 2):
        sandbox.send(n, eventId=f"x{n}/main", executionId=f"x{n}", attempt=n)
    for fd, word in ((1, "said"), (2, "complained")):
        want = b"\n".join(b"\x1ex%d x%d/main %d\n%s %d" % (n, n, n, word.encode(), n) for n in (1, 2))
        sandbox.broker.until(lambda fd=fd, want=want: sandbox.broker.logs[name, fd] == want, f"log {fd}")


def test_the_supervisor_keeps_its_token_from_the_code(sandbox: Sandbox) -> None:
    worker = sandbox.ready("import os\ndef handle(event, context):\n    return sorted(os.environ)")
    assert "SAND_TOKEN" not in sandbox.output(worker)


def test_the_token_is_in_no_environment_that_an_instance_can_read(sandbox: Sandbox) -> None:
    worker = sandbox.ready(
        """
        import os
        from pathlib import Path

        def handle(event, context):
            worker = os.getppid()
            supervisor = Path(f"/proc/{worker}/stat").read_text().rpartition(")")[2].split()[1]
            return [Path(f"/proc/{pid}/environ").read_text() for pid in ("self", worker, supervisor)]
        """
    )
    environments = sandbox.output(worker)
    assert all("SAND_DIRECTORY" in environment for environment in environments)
    assert not any(TOKEN in environment for environment in environments)


def test_everything_ends_with_the_host_agent(sandbox: Sandbox) -> None:
    worker = sandbox.ready(ECHO)
    names = sandbox.spawn(worker, 2)
    pids = [sandbox.broker.report("workerReady", worker=worker).pid, *map(sandbox.pid, names)]
    sandbox.process.terminate()
    assert sandbox.process.wait(10) == 0
    sandbox.broker.until(lambda: not any(map(alive, pids)), "the end of all processes")


def test_a_worker_stops_when_its_instances_have_ended(sandbox: Sandbox) -> None:
    worker = sandbox.ready(ECHO)
    (name,) = sandbox.spawn(worker)
    sandbox.broker.command(worker, stop=sand.StopCommand(worker=worker))
    assert isinstance(sandbox.send(1), sand.FinishRequest)
    assert sandbox.broker.report("workerExited", worker=worker).exitCode == 0
    assert sandbox.broker.report("instanceExited", instance=name)


def test_a_killed_worker_takes_its_instances_along(sandbox: Sandbox) -> None:
    worker = sandbox.ready(ECHO)
    names = sandbox.spawn(worker, 3)
    pids = [*map(sandbox.pid, names)]
    sandbox.kill(sandbox.broker.report("workerReady", worker=worker).pid)
    assert sandbox.broker.report("workerExited", worker=worker).signal == 9
    sandbox.broker.until(lambda: {*names} <= {*sandbox.broker.closed}, "their connections closed")
    sandbox.broker.until(lambda: not any(map(alive, pids)), "their end")
    assert isinstance(sandbox.invoke(sandbox.ready(ECHO)), sand.FinishRequest)


def test_a_killed_instance_is_reported_with_its_signal(sandbox: Sandbox) -> None:
    worker = sandbox.ready("import time\ndef handle(event, context):\n    while True: pass")
    (name,) = sandbox.spawn(worker)
    sandbox.broker.hand(sandbox.event())
    sandbox.kill(sandbox.pid(name))
    ended = sandbox.broker.report("instanceExited", instance=name)
    assert (ended.exitCode, ended.signal) == (0, 9)
