"""Cloud processes in the emulator, forked and in one process: state, messages, atomicity."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from process_apps import AT, Apps


@pytest.fixture
def apps(served_quickly: Any) -> Apps:
    return Apps(served_quickly)


# --- in a function


def test_a_function_runs_in_a_process_or_in_none(apps: Apps) -> None:
    apps.load()
    assert apps.served.ask("do", {"do": "out = p"}) is None
    answered = apps.invoke("cart~7", "out = [p.id, p.invocation_key]")
    assert (answered.json(), answered.headers["Sand-Process"]) == (["cart~7", None], "cart~7")


def test_state_stays_from_one_function_to_the_next(served: Any) -> None:
    apps = Apps(served).load()
    assert apps.run("a", "out = [p.state('k'), p.state('k', default=1), p.delete_state('k')]") == [None, 1, False]
    apps.run("a", "p.state('k', {'n': 1}); p.state('null', None); p.state('ü', b'raw'); p.state('big', b'x' * 200_000)")
    got = "out = [p.state('k'), p.state('null', default=1), p.state('ü').decode(), len(p.state('big')), p.state_keys()]"
    assert apps.run("a", got) == [{"n": 1}, None, "raw", 200_000, ["big", "k", "null", "ü"]]
    assert apps.run("a", "out = [p.delete_state('k'), p.delete_state('k'), p.state('k'), p.state_keys()]") == [
        True, False, None, ["big", "null", "ü"],
    ]  # fmt: skip
    assert apps.run("a", "out = p.state_keys()") == ["big", "null", "ü"]
    assert apps.run("b", "out = p.state_keys()") == []


def test_large_values_are_shared_on_request(forked: Any) -> None:
    apps = Apps(forked).load()
    apps.run("a", "p.state('k', bytes(range(256)) * 1024)")
    mapped = "maps = [line.split()[4] for line in open('/proc/self/maps') if 'memfd' in line]\n"
    do = f"copy = p.state('k'); view = p.state('k', shared=True); {mapped}\n"
    do += "assert type(copy) is bytes and view.readonly and bytes(view) == copy; out = maps"
    first, second = apps.run("a", do), apps.run("a", do)
    # Two functions have the same memory, each once.
    assert len(first) == 1 and first == second
    apps.run("a", "p.state('k', b'x' * 300_000)")
    assert apps.run("a", do) != first


def test_a_function_that_fails_has_written_and_received_nothing(apps: Apps) -> None:
    apps.load()
    apps.run("a", "p.state('k', 1); [p.send(p.SELF, 'm', n) for n in range(3)]")
    failing = "p.state('k', 2); p.state('l', b'x' * 300_000); p.state('m', b'x' * 300_000)\n"
    failing += "assert [p.recv(), p.recv()] == [0, 1]; p.send(p.SELF, 'sent', 9); raise KeyError('no')"
    failed = apps.invoke("a", failing)
    assert failed.status_code == 500 and failed.json()["error"] == "KeyError"
    # What it sent stays; what it received is in its place again.
    got = "out = [p.state('k'), p.state_keys(), p.recv(key='m'), p.recv(), p.recv(), p.recv(), p.recv(timeout=0)]"
    assert apps.run("a", got) == [1, ["k"], 0, 1, 2, 9, None]


def test_the_last_to_finish_wins_key_by_key(apps: Apps, tmp_path: Path) -> None:
    apps.load()
    first = apps.start("a", "p.state('x', 1); p.state('own1', 1); out = p.recv(key='go')")
    apps.until(lambda: apps.describe("a")["running"] == 1)
    assert apps.run("a", "p.state('x', 2); p.state('own2', 2); out = p.state('own1')") is None
    assert apps.run("a", "out = p.state('x'); p.send(p.SELF, 'go', 3)") == 2
    assert apps.output(first).json() == 3
    assert apps.run("a", "out = [p.state('x'), p.state_keys()]") == [1, ["own1", "own2", "x"]]


def test_a_state_over_its_bound_is_refused_as_a_whole(apps: Apps) -> None:
    apps.load("processes: {memory: 1MiB, state: 1MiB}\n")
    apps.run("a", "p.state('k', b'x' * 1_000_000)")
    over = apps.invoke("a", "p.state('small', 1); p.state('l', b'x' * 100_000)").json()
    assert over["error"] == "Sand.TooLarge" and "1048576" in over["detail"]
    assert apps.run("a", "out = p.state_keys()") == ["k"]
    # What makes room is taken, ahead of the end too.
    apps.run("a", "p.delete_state('k'); [p.state(f'l{i}', b'x' * 60_000) for i in range(15)]")
    assert apps.create(id="own", memory="2MiB").json()["memoryBytes"] == 2 << 20
    assert apps.invoke("own", "p.state('k', b'x' * 3_000_000)").json()["error"] == "Sand.TooLarge"


def test_a_state_may_be_over_its_memory_and_a_value_not(apps: Apps) -> None:
    apps.load("processes: {memory: 1MiB}\n")
    apps.run("a", "[p.state(f'k{i}', bytes([i]) * 500_000) for i in range(9)]")
    assert apps.run("a", "out = [p.state(f'k{i}')[-1] for i in range(9)]") == list(range(9))
    large = apps.invoke("a", "p.state('large', b'x' * (1 << 20))").json()
    assert large["error"] == "Sand.TooLarge" and "1048576" in large["detail"] and "1048581" in large["detail"]
    # The emulator has all of it in memory, and says so.
    described = apps.describe("a")
    assert (described["stateBytes"], described["overflowBytes"]) == (described["residentBytes"], 0)


# --- messages


def test_messages_come_in_the_order_of_their_source_and_key(apps: Apps) -> None:
    apps.load()
    apps.create(id="to")
    apps.run("a", "[p.send('to', f'k{n % 2}', n) for n in range(4)]")
    apps.run("b", "p.send('to', 'k1', b'raw')")
    apps.run("to", "p.send(p.SELF, 'k1', 'own')")
    got = """
m = p.recv_message(p.SELF, timeout=0); assert m.source is p.SELF is sand.SELF and (m.key, m.data) == ('k1', 'own')
out = [p.recv('a', 'k1'), list(p.recv_message(key='k1')), p.recv('b').decode(), p.recv('b', timeout=0)]
out += [p.recv(), p.recv(p.ANY, p.ANY), p.recv(timeout=0), p.recv(timeout=0.01)]
"""
    assert apps.run("to", got) == [1, ["a", "k1", 3], "raw", None, 0, 2, None, None]


def test_state_and_mailbox_have_keys_of_their_own(apps: Apps) -> None:
    apps.load()
    apps.run("a", "p.state('k', 'state'); p.send(p.SELF, 'k', 'message')")
    assert apps.run("a", "out = [p.recv(key='k'), p.state('k'), p.recv(key='k', timeout=0)]") == ["message", "state", None]


def test_a_message_wakes_who_waits_for_it(apps: Apps) -> None:
    apps.load()
    first = apps.start("to", "out = ['first', p.recv('a', 'k')]")
    apps.until(lambda: apps.http.get(f"{AT}/to").status_code == 200 and len(apps.table.find("to").receivers) == 1)
    second = apps.start("to", "out = ['second', p.recv(key='k')]")
    apps.until(lambda: len(apps.table.find("to").receivers) == 2)
    apps.run("a", "p.send('to', 'other', 0); p.send('to', 'k', 1); p.send('to', 'k', 2)")
    assert apps.output(first).json() == ["first", 1]
    assert apps.output(second).json() == ["second", 2]


def test_what_a_failing_function_received_goes_to_who_waits(apps: Apps, tmp_path: Path) -> None:
    apps.load()
    apps.run("a", "p.send(p.SELF, 'k', 1)")
    failing = apps.start("a", "p.recv(key='k'); p.recv(key='fail'); raise ValueError")
    apps.until(lambda: apps.table.find("a").receivers)
    waiting = apps.start("a", "out = p.recv(key='k')")
    apps.until(lambda: len(apps.table.find("a").receivers) == 2)
    apps.run("a", "p.send(p.SELF, 'fail', 0)")
    assert apps.output(failing).json()["error"] == "ValueError"
    assert apps.output(waiting).json() == 1


def test_a_send_to_no_process_is_the_senders_error(apps: Apps) -> None:
    apps.load()
    gone = "try:\n    p.send('gone', 'k', 1)\nexcept sand.NotFound as missing:\n    out = str(missing)"
    assert "gone" in apps.run("a", gone)
    apps.create(id="gone")
    assert apps.run("a", gone) is None
    assert apps.http.delete("/api/v1/apps/app/processes/gone").status_code == 204
    assert "gone" in apps.run("a", gone)


def test_a_full_mailbox_makes_senders_wait_in_line(apps: Apps) -> None:
    apps.load("processes: {mailbox: {messages: 2, bytes: 1KiB}}\n")
    apps.create(id="to")
    full = "p.send('to', 'k', 0); p.send('to', 'k', 1)\ntry:\n    p.send('to', 'k', 2, timeout=0)\n"
    full += "except sand.Overloaded as full:\n    out = str(full)"
    assert "has a mailbox of 2 messages, and this message would make it 3" in apps.run("a", full)
    senders = []
    for n in (2, 3):
        senders.append(apps.start(f"s{n}", f"p.send('to', 'k', {n}); out = {n}"))
        apps.until(lambda: len(apps.table.find("to").senders) == len(senders))
    assert [apps.asked(one).status_code for one in senders] == [202, 202]
    assert apps.run("to", "out = [p.recv('a') for _ in range(2)]") == [0, 1]
    assert [apps.output(one).json() for one in senders] == [2, 3]
    assert [apps.run("to", "out = p.recv()") for _ in range(2)] == [2, 3]
    large = apps.invoke("a", "p.send('to', 'k', b'x' * 2000, timeout=0)").json()
    assert large["error"] == "Sand.TooLarge"
    by_bytes = "p.send('to', 'k', b'x' * 1000, timeout=0); p.send('to', 'k', b'x' * 100, timeout=0)"
    assert apps.invoke("a", by_bytes).json()["error"] == "Sand.Overloaded"


def test_what_is_received_keeps_its_room_until_the_function_ends(apps: Apps) -> None:
    apps.load("processes: {mailbox: {messages: 1}}\n")
    apps.run("a", "p.send(p.SELF, 'k', 1)")
    full = "p.recv()\ntry:\n    p.send(p.SELF, 'k', 2, timeout=0)\nexcept sand.Overloaded as full:\n    out = str(full)"
    assert "functions that have not ended have received 1 of its messages" in apps.run("a", full)
    assert apps.run("a", "p.send(p.SELF, 'k', 2, timeout=0); out = p.recv()") == 2


def test_keys_are_any_text(apps: Apps) -> None:
    apps.load()
    odd = "\0\n\x7f @any @self /:é😀"
    apps.run("a", f"p.send(p.SELF, {odd!r}, 1); p.send(p.SELF, '@any', 2); p.state({odd!r}, 3)")
    got = f"out = [p.recv(key={odd!r}), p.recv(key='@' + 'any'), p.state({odd!r}), p.state_keys()]"
    assert apps.run("a", got) == [1, 2, 3, [odd]]
    assert apps.invoke("a", "p.state('', 1)").json()["error"] == "Sand.BadRequest"


def test_an_attempt_that_is_lost_is_repeated_and_its_messages_are_not(forked: Any) -> None:
    apps = Apps(forked).load()
    apps.create(id="to")
    apps.run("a", "p.send(p.SELF, 'm', 'message')")
    do = """
p.send('to', 'k', 'first'); p.invoke('to', 'keep', 'once')
got = p.recv(timeout=0); p.state('n', p.state('n', default=0) + 1)
if context.attempt == 1:
    worker = open(f'/proc/{os.getppid()}/stat').read()
    os.kill(int(worker.rpartition(')')[2].split()[1]), 9); p.recv(key='never')
p.send('to', 'k', 'second'); out = [context.attempt, got, p.state('n')]
"""
    execution = apps.start("a", do)
    apps.until(lambda: apps.describe("to")["unread"] == 1)
    # Nothing else comes that would find that the supervisor is gone.
    apps.until(lambda: apps.asked(execution).status_code == 200)
    assert apps.output(execution).json() == [2, "message", 1]
    apps.until(lambda: not (apps.describe("to")["running"] or apps.describe("to")["waiting"]))
    got = "out = [p.recv('a'), p.recv('a'), p.recv(timeout=0), p.state('kept')]"
    assert apps.run("to", got) == ["first", "second", None, [[None, "once"]]]


# --- atomic


def test_an_atomic_functions_sends_count_when_it_ends_well(apps: Apps) -> None:
    apps.load("processes: {mailbox: {messages: 1}}\ngrains: {do: {process: {atomic: true}}}\n")
    apps.create(id="to")
    assert apps.invoke("a", "p.send('to', 'k', 1); raise ValueError").status_code == 500
    assert apps.describe("to")["unread"] == 0
    # Its room is reserved at once, so that it cannot fail in the end.
    full = "p.send('to', 'k', 2)\ntry:\n    p.send('to', 'k', 3, timeout=0)\nexcept sand.Overloaded:\n    out = p.id"
    assert apps.run("a", full) == "a"
    assert apps.run("to", "out = [p.recv(), p.recv(timeout=0)]") == [2, None]
    # It does not see what it sent to itself.
    assert apps.run("a", "p.send(p.SELF, 'k', 4); out = p.recv(timeout=0)") is None
    assert apps.run("a", "out = p.recv()") == 4


# --- the list


def test_functions_know_the_processes_and_hear_of_changes(apps: Apps) -> None:
    apps.load("processes: {idle: 1h}\n")
    apps.create(id="b")
    assert apps.run("a", "out = [list(one) for one in p.processes()]") == [["a", "active"], ["b", "active"]]
    watch = """
version, now = p.watch_processes()
assert p.watch_processes(version, timeout=0) == (version, now)
p.send('b', 'ready', version)
newer, then = p.watch_processes(version)
out = [newer > version, [list(one) for one in then]]
"""
    watching = apps.start("a", watch)
    apps.until(lambda: apps.describe("b")["unread"] == 1)
    assert apps.step("b", "swap-out").status_code == 200
    assert apps.output(watching).json() == [True, [["a", "active"], ["b", "swapped"]]]
    apps.http.delete("/api/v1/apps/app/processes/b")
    assert apps.run("a", "out = [one.process for one in p.processes()]") == ["a"]
