"""The life of cloud processes in the emulator, and their HTTP interface."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from process_apps import AT, Apps
from served import Served

from sand.emulator import processes as tables
from sand.emulator.emulator import Emulator
from sand.emulator.inline import InlineGrains
from sand.emulator.processes_life import SENDERS, STEPS, CloudProcess, IllegalStep

pytestmark = pytest.mark.slow

LONG = "processes: {idle: 1h}\n"


@pytest.fixture
def apps(tmp_path: Path) -> Iterator[Apps]:
    with Emulator(make=InlineGrains) as emulator:
        served = Served(emulator, tmp_path)
        yield Apps(served)
        served.http.close()


# --- the life cycle


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("status", ["active", "idle", "swapped", "killed"])
def test_the_life_cycle_has_these_steps_and_no_others(step: str, status: str, tmp_path: Path) -> None:
    legal = {
        "rest": {"active": "idle"}, "run": {"active": "active", "idle": "active"},
        "swap out": {"active": "swapped", "idle": "swapped"}, "swap in": {"swapped": "active"},
        "create": {"swapped": "active"}, "checkpoint": {"active": "active", "idle": "idle"},
        "kill": {"active": "killed", "idle": "killed", "swapped": "killed"},
    }  # fmt: skip
    said = {"swap out": "be swapped out", "swap in": "be swapped in", "create": "be made", "checkpoint": "be checkpointed"}
    process = CloudProcess("p", tmp_path / "file")
    process.status = status
    if status in legal[step]:
        assert process.step(step) == (legal[step][status] != status)
        assert process.status == legal[step][status]
    else:
        with pytest.raises(IllegalStep, match=f"is {status}: it cannot {said.get(step, step)}"):
            process.step(step)
        assert process.status == status


def test_a_process_that_is_left_alone_gets_idle_and_is_swapped_and_comes_back(apps: Apps) -> None:
    apps.load("processes: {idle: 20ms, swap_after: 20ms}\n")
    apps.run("a", "p.state('k', b'x' * 200_000); p.state('m', 1); p.send(p.SELF, 'm', 'unread')")
    process = apps.table.find("a")
    apps.until(lambda: process.status == "swapped")
    with apps.table.changed:
        assert process.status != "swapped" or (not process.state and not process.unread() and not process.views)
    described = apps.describe("a")
    assert (described["stateKeys"], described["unread"]) == (2, 1)
    # An invocation addresses it,
    assert apps.run("a", "out = [len(p.state('k')), p.state('m'), p.recv()]") == [200_000, 1, "unread"]
    # and so does a message.
    apps.until(lambda: process.status == "swapped")
    before = process.counts["swapsIn"]
    apps.run("b", "p.send('a', 'k', 'back')")
    assert process.counts["swapsIn"] == before + 1
    assert apps.run("a", "out = [p.recv(), p.state_keys()]") == ["back", ["k", "m"]]


def test_an_active_process_is_idle_after_a_while_and_active_while_a_function_runs(apps: Apps) -> None:
    apps.load("processes: {idle: 20ms, swap_after: 1h}\n")
    assert apps.create(id="a").json()["status"] == "active"
    apps.until(lambda: apps.status("a") == "idle")
    running = apps.start("a", "out = p.recv()")
    apps.until(lambda: apps.describe("a")["running"] == 1)
    assert apps.status("a") == "active"
    apps.run("b", "p.send('a', 'k', 1)")
    assert apps.output(running).json() == 1
    apps.until(lambda: apps.status("a") == "idle")


def test_steps_by_hand_and_those_that_the_life_cycle_does_not_have(apps: Apps) -> None:
    apps.load(LONG)
    apps.run("a", "p.state('k', 1)")
    assert apps.step("a", "checkpoint").json()["status"] == "active"
    refused = [apps.step("a", "swap-in"), apps.create(id="a")]
    assert apps.step("a", "swap-out").json()["status"] == "swapped"
    refused += [apps.step("a", "swap-out"), apps.step("a", "checkpoint"), apps.step("a", "migrate")]
    for answer in refused:
        problem = answer.json()
        assert (answer.status_code, problem["error"]) == (409, "Sand.Conflict"), problem
        assert problem["state"] in problem["detail"]
    assert [one.json()["state"] for one in refused] == ["active", "active", "swapped", "swapped", "swapped"]
    assert apps.step("a", "swap-in").json()["status"] == "active"
    assert apps.run("a", "out = p.state('k')") == 1


def test_creating_one_that_is_swapped_restores_it(apps: Apps) -> None:
    apps.load(LONG)
    made = apps.create(id="a")
    assert (made.status_code, made.headers["Location"]) == (201, f"{AT}/a")
    apps.run("a", "p.state('k', 1)")
    apps.step("a", "swap-out")
    restored = apps.create(id="a", concurrency=7, memory="1MiB", dedicated=True)
    assert (restored.status_code, restored.json()["status"]) == (200, "active")
    assert (restored.json()["concurrency"], restored.json()["memoryBytes"]) == (4, 256 << 20), "it is what it was made as"
    assert "dedicated" not in restored.json()
    assert apps.run("a", "out = p.state('k')") == 1


@pytest.mark.parametrize("swapped", [False, True])
def test_a_process_that_was_killed_is_gone_and_its_id_begins_anew(apps: Apps, swapped: bool) -> None:
    apps.load(LONG)
    apps.run("a", "p.state('k', 1); p.send(p.SELF, 'k', 1)")
    if swapped:
        apps.step("a", "swap-out")
    assert apps.http.delete(f"{AT}/a").status_code == 204
    missing = [apps.http.delete(f"{AT}/a"), apps.http.get(f"{AT}/a"), apps.step("a", "swap-in"), apps.step("a", "migrate")]
    for answer in missing:
        assert (answer.status_code, answer.json()["type"].rpartition("/")[2]) == (404, "unknown-process")
    assert apps.create(id="a").status_code == 201
    assert apps.run("a", "out = [p.state_keys(), p.recv(timeout=0)]") == [[], None]


def test_killing_ends_what_runs_and_waits(apps: Apps) -> None:
    apps.load(LONG)
    apps.create(id="a", concurrency=1)
    running = apps.start("a", "p.state('k', 1); p.recv()")
    apps.until(lambda: apps.table.find("a").receivers)
    waiting = apps.start("a", "")
    sender = apps.start("b", "p.invoke('a', 'do').result()")
    apps.until(lambda: apps.describe("a")["waiting"] == 2)
    assert apps.http.delete(f"{AT}/a").status_code == 204
    for execution in (running, waiting):
        ended = apps.output(execution).json()
        assert (ended["error"], "process a was killed" in ended["detail"]) == ("Sand.Cancelled", True)
    assert apps.output(sender).json()["error"] == "Sand.Cancelled"
    assert apps.run("a", "out = p.state_keys()") == []


def test_swapping_out_lets_functions_end_and_no_others_begin(apps: Apps) -> None:
    import threading

    apps.load(LONG)
    running = apps.start("a", "out = p.recv(); p.state('k', out)")
    apps.until(lambda: apps.describe("a")["running"] == 1)
    answers: list[Any] = []
    swapping = threading.Thread(target=lambda: answers.append(apps.step("a", "swap-out")))
    swapping.start()
    apps.until(lambda: apps.table.find("a").draining)
    next_one = apps.start("a", "out = p.state('k')")
    apps.run("b", "p.send('a', 'k', 5)")
    assert apps.output(running).json() == 5
    swapping.join()
    assert answers[0].status_code == 200
    assert apps.output(next_one).json() == 5
    metrics = apps.http.get(f"{AT}/a/metrics").json()
    assert (metrics["swapsOut"], metrics["swapsIn"]) == (1, 1)


def test_swapping_out_gives_up_when_functions_do_not_end(apps: Apps, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "DRAINS_S", 0.05)
    apps.load(LONG)
    running = apps.start("a", "out = p.recv()")
    apps.until(lambda: apps.describe("a")["running"] == 1)
    refused = apps.step("a", "swap-out")
    assert (refused.status_code, refused.json()["error"], refused.json()["state"]) == (409, "Sand.Conflict", "active")
    apps.run("b", "p.send('a', 'k', 1)")
    assert apps.output(running).json() == 1


# --- where no process is killed at its deadline


def test_recv_without_a_message_until_the_deadline_is_a_timeout(apps: Apps) -> None:
    apps.load("grains: {do: {timeout: 700ms}}\n")
    late = "try:\n    p.recv()\nexcept TimeoutError as late:\n    out = type(late).__name__"
    assert apps.run("a", late) == "Timeout"


# --- HTTP


def test_processes_are_described_and_listed(apps: Apps) -> None:
    apps.load(LONG)
    made = apps.create(id="b", concurrency=2, memory="1MiB").json()
    assert made == {
        "application": "app", "process": "b", "status": "active", "host": "emulator", "createdMs": made["createdMs"],
        "concurrency": 2, "memoryBytes": 1 << 20, "stateKeys": 0, "stateBytes": 0, "residentBytes": 0, "overflowBytes": 0,
        "unread": 0, "mailboxBytes": 0, "running": 0, "waiting": 0,
    }  # fmt: skip
    own = apps.http.post(AT).json()["process"]
    assert len(own) == 26
    apps.create(id="~a")
    apps.step("b", "swap-out")
    assert apps.describe("b") == {**made, "status": "swapped"}

    def listed(query: str = "") -> Any:
        answer = apps.http.get(AT + query).json()
        return [one["process"] for one in answer["processes"]], answer["next"]

    ids = sorted(["b", own, "~a"])
    assert listed() == (ids, None)
    assert listed("?limit=2") == (ids[:2], ids[1])
    assert listed(f"?after={ids[1]}") == (ids[2:], None)
    assert listed("?status=swapped") == (["b"], None)
    assert listed("?status=idle") == ([], None)
    assert apps.http.get(AT + "?status=killed").status_code == 400


@pytest.mark.parametrize(
    "asked", [{"id": ""}, {"id": "a/b"}, {"id": "x" * 129}, {"id": 7}, {"concurrency": 0}, {"memory": "much"}, {"name": "a"}]
)
def test_what_a_process_cannot_have_is_refused(apps: Apps, asked: dict[str, Any]) -> None:
    apps.load()
    assert apps.create(**asked).status_code == 400
    assert apps.http.get(AT).json()["processes"] == []


def test_there_are_so_many_processes_at_most(apps: Apps, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "PROCESSES", 1)
    apps.load()
    assert apps.create(id="a").status_code == 201
    refused = apps.create(id="b")
    assert (refused.status_code, refused.json()["error"]) == (429, "Sand.Overloaded")
    assert apps.invoke("b", "").status_code == 429


def test_an_invocation_makes_its_process_or_finds_it(apps: Apps) -> None:
    apps.load(LONG)
    fresh = apps.invoke(None, "p.state('k', 1); out = p.id")
    made = fresh.headers["Sand-Process"]
    assert (fresh.status_code, fresh.json(), len(made)) == (200, made, 26)
    assert apps.run(made, "out = p.state('k')") == 1
    by_query = apps.http.post(f"{AT}/invoke?function=do&process=sticky", content=b"raw", headers={"Content-Type": "a/b"})
    assert (by_query.content, by_query.headers["Sand-Process"]) == (b"raw", "sticky")
    apps.step(made, "swap-out")
    assert apps.run(made, "out = p.state('k')") == 1
    # An invocation that names none makes none.
    count = len(apps.http.get(AT).json()["processes"])
    assert apps.served.call("do", {"do": "out = p"}).json() is None
    assert len(apps.http.get(AT).json()["processes"]) == count == 2


def test_an_invocation_answers_as_any_other(apps: Apps) -> None:
    apps.load()
    later = apps.invoke("a", "out = 3", Prefer="respond-async")
    assert (later.status_code, later.headers["Sand-Process"]) == (202, "a")
    assert apps.output(later.json()["executionId"]).json() == 3
    record = apps.http.get(later.headers["Location"]).json()
    assert (record["process"], record["target"], record["status"]) == ("a", "do", "SUCCEEDED")
    waited = apps.invoke("a", "out = 4", Prefer="wait=30")
    assert (waited.status_code, waited.json()) == (200, 4)
    failed = apps.invoke("a", "raise KeyError('k')")
    assert (failed.status_code, failed.json()["error"], failed.headers["Sand-Process"]) == (500, "KeyError", "a")


def test_an_idempotency_key_finds_the_process_that_it_made(apps: Apps) -> None:
    apps.load()
    do = "p.state('n', p.state('n', default=0) + 1); out = p.state('n')"
    first, second = (apps.invoke(None, do, Idempotency_Key="k") for _ in range(2))
    assert first.headers["Sand-Process"] == second.headers["Sand-Process"]
    assert (first.json(), second.json(), second.headers["Idempotent-Replayed"]) == (1, 1, "true")
    assert apps.invoke("other", do, Idempotency_Key="k").status_code == 422


@pytest.mark.parametrize(
    ("query", "headers", "status"),
    [
        ("", {}, 400),
        ("?function=none", {}, 404),
        ("?function=do&process=a/b", {}, 400),
        ("?function=do&process=a", {"Sand-Process": "b"}, 400),
        ("?function=flow", {}, 404),
    ],
)
def test_an_invocation_that_cannot_be_is_refused_and_makes_no_process(
    apps: Apps, query: str, headers: dict[str, str], status: int
) -> None:
    apps.load()
    assert apps.http.post(f"{AT}/invoke{query}", headers=headers).status_code == status
    assert apps.http.get(AT).json()["processes"] == []


def test_metrics_count_what_was_done(apps: Apps) -> None:
    apps.load(LONG)
    apps.run("a", "p.state('key', b'x' * 97); p.send(p.SELF, 'k', b'12345')")
    apps.invoke("a", "raise ValueError")
    apps.run("a", "p.recv(); p.send(p.SELF, 'l', b'123')")
    apps.until(lambda: apps.describe("a")["running"] == 0)
    metrics = apps.http.get(f"{AT}/a/metrics").json()
    assert metrics.pop("busyMs") >= 0
    names = ("connections", "invocations", "failures", "ms", "mbMs", "bytesIn", "bytesOut")
    assert metrics.pop("dataPlane") == dict.fromkeys(names, 0)
    assert metrics == {
        "process": "a", "status": "active", "stateBytes": 100, "residentBytes": 100, "overflowBytes": 0,
        "unread": 1, "mailboxBytes": 3, "running": 0, "waiting": 0,
        "invocations": 3, "failures": 1, "sent": 2, "received": 1, "swapsOut": 0, "swapsIn": 0, "checkpoints": 0,
    }  # fmt: skip


def test_processes_outlive_a_deployment_and_end_with_their_application(apps: Apps) -> None:
    apps.load(LONG)
    apps.run("a", "p.state('k', 1)")
    folder = apps.table._folder
    apps.served.grain("do", "def handle(event, context):\n    return ['new', context.process.state('k')]")
    apps.load(LONG)
    assert apps.run("a", "") == ["new", 1]
    assert apps.http.delete("/api/v1/applications/app").status_code == 204
    assert apps.http.get(f"{AT}/a").status_code == 404
    assert not folder.exists()


def test_another_version_may_have_other_triggers(apps: Apps) -> None:
    apps.load("grains: {keep: {process: {trigger: {type: batch, count: 3}}}}\n")
    apps.run("a", "p.send(p.SELF, 'invoke:keep:x', 1); p.send(p.SELF, 'invoke:keep:y', 2)")
    assert apps.describe("a")["unread"] == 2
    apps.load("grains: {keep: {process: {trigger: {type: batch, count: 2}}}}\n")
    apps.until(lambda: apps.run("a", "out = p.state('kept')") == [["x", [1, 2]]])


# --- sand.yaml


@pytest.mark.parametrize(
    ("manifest", "pointer"),
    [
        ("processes: {concurrency: 0}", "/processes/concurrency"),
        ("processes: {swapAfter: 1s}", "/processes"),
        ("processes: {memory: much}", "/processes/memory"),
        ("processes: {memory: 2MiB, state: 1MiB}", "/processes/state"),
        ("processes: {memory: 1KiB}", "/processes/memory"),
        ("processes: {dedicated: {cpus: 0.001}}", "/processes/dedicated/cpus"),
        ("sandbox: {cpus: 0.009}", "/sandbox/cpus"),
        ("grains: {do: {process: {trigger: {type: batch}}}}", "/grains/do/process/trigger"),
        ("grains: {do: {process: {trigger: {type: standard, count: 2}}}}", "/grains/do/process/trigger"),
        ("grains: {do: {process: {trigger: {type: each}}}}", "/grains/do/process/trigger/type"),
        (
            "processes: {mailbox: {messages: 3}}\ngrains: {do: {process: {trigger: {type: batch, count: 4}}}}",
            "/grains/do/process/trigger/count",
        ),
    ],
)
def test_what_sand_yaml_cannot_say_of_processes(apps: Apps, manifest: str, pointer: str) -> None:
    from sand.emulator.problems import Problem

    with pytest.raises(Problem) as refused:
        apps.load(manifest + "\n")
    assert pointer in [one["pointer"] for one in refused.value.more["errors"]]


def test_every_key_of_processes_is_read(apps: Apps) -> None:
    apps.load(
        "processes: {concurrency: 1, queue: 2, mailbox: {messages: 3, bytes: 4KiB}, memory: 5MiB, idle: 6s, swap_after: 7m,"
        " state: 9MiB}\n"
        "defaults: {process: {atomic: true}}\n"
        "grains: {keep: {process: {trigger: {type: multi-source, count: 2, timeout: 8s}}}}\n"
    )
    assert apps.table.spec() == tables.ProcessSpec(1, 2, 3, 4096, 5 << 20, 6_000, 420_000, None, 9 << 20)
    assert apps.table.function("keep") == tables.FunctionSpec("multi-source", 2, 8_000, False)
    assert apps.table.function("do") == tables.FunctionSpec("standard", 1, 0, True)


def test_a_dedicated_process_says_what_its_sandbox_would_have(apps: Apps) -> None:
    apps.load("sandbox: {memory: 128MiB}\nprocesses: {dedicated: {cpus: 2}}\n")
    assert apps.create(id="a").json()["dedicated"] == {"memoryBytes": 128 << 20, "cpus": 2.0, "pids": 512}
    own = apps.create(id="b", dedicated={"memory": "64MiB", "pids": 32, "packages": ["hello"]})
    assert own.json()["dedicated"] == {"memoryBytes": 64 << 20, "cpus": 0.0, "pids": 32, "packages": ["hello"]}
    assert apps.run("b", "out = 1") == 1
    assert apps.create(id="c", dedicated={"cpus": 0.01}).json()["dedicated"]["cpus"] == 0.01
    apps.load("sandbox: {cpus: 0.01}\nprocesses: {dedicated: {cpus: 0}}\n")
    assert apps.create(id="d").json()["dedicated"]["cpus"] == 0.01
    for bad in (7, {"cpu": 1}, {"cpus": 0.001}, {"memory": "1MiB"}, {"packages": ["; true"]}, {"image": "-v"}):
        refused = apps.create(dedicated=bad)
        assert refused.status_code == 400 and "'dedicated'" in refused.json()["detail"]


def test_what_was_written_in_a_process_is_asked_for_by_its_id_until_it_is_killed(apps: Apps) -> None:
    def logs(process: str) -> Any:
        return apps.http.get(f"{AT}/{process}/logs")

    apps.load("processes: {idle: 1h}\n")
    apps.run("a", "print('first of a')")
    apps.run("b", "print('of b')")
    assert apps.step("a", "swap-out").json()["status"] == "swapped"
    apps.run("a", "print('second of a')")
    apps.until(lambda: len(logs("a").json()["lines"]) == 2)
    assert [line["text"] for line in logs("a").json()["lines"]] == ["first of a", "second of a"]
    assert {line["process"] for line in logs("a").json()["lines"]} == {"a"}
    assert apps.http.delete(f"{AT}/a").status_code == 204
    assert logs("a").status_code == 404
    apps.create(id="a")
    assert logs("a").json()["lines"] == []
    assert [line["text"] for line in logs("b").json()["lines"]] == ["of b"]


def test_a_sender_is_known_for_as_long_as_it_keeps_sending(tmp_path):
    process = CloudProcess("p", tmp_path / "p")
    process.take("busy", 0)
    for other in range(2 * SENDERS):
        process.take(f"other {other}", 0)
        process.take("busy", other % 10)
    assert process.has_taken("busy", 0)
    assert not process.has_taken("other 0", 0)


# --- what is no request


def test_a_body_of_a_migration_is_looked_at_first(apps: Apps) -> None:
    apps.load(LONG)
    for body, pointer in (({"host": 5}, "/body/host"), ({"to": "h"}, "/body/to")):
        refused = apps.http.post(f"{AT}/none/migrate", json=body)
        assert (refused.status_code, refused.json()["pointer"]) == (400, pointer)
    assert apps.http.post(f"{AT}/none/migrate", json={"host": "h"}).status_code == 404


def test_a_query_that_is_no_utf8_is_refused(apps: Apps) -> None:
    apps.load(LONG)
    apps.run("a", "p.state('k', 1)")
    refused = apps.http.get(f"{AT}/a/state/value?key=%ff")
    assert (refused.status_code, refused.json()["type"].rpartition("/")[2]) == (400, "bad-request")


def test_an_invocation_in_a_process_has_the_bound_of_any_other(apps: Apps) -> None:
    apps.load(LONG)
    refused = apps.http.post(f"{AT}/invoke?function=do", content=bytes((6 << 20) + 1), headers={"Sand-Process": "a"})
    assert (refused.status_code, refused.json()["limit"]) == (413, 6 << 20)


def test_what_asks_for_a_grant_is_shorter_than_what_makes_a_process(apps: Apps) -> None:
    apps.load()
    asked = b'{"ttl": 1' + b" " * 16_000 + b"}"
    assert apps.http.post(f"{AT}/p/connect", content=asked).status_code == 200
    refused = apps.http.post(f"{AT}/p/connect", content=asked + b" " * 1_000)
    assert (refused.status_code, refused.json()["limit"]) == (413, 16 << 10)
