"""Functions of cloud processes in the emulator that invoke one another, and that messages invoke."""

from __future__ import annotations

from typing import Any

import pytest
from process_apps import Apps


@pytest.fixture
def apps(served_quickly: Any) -> Apps:
    return Apps(served_quickly)


# --- invocations


def test_functions_invoke_functions_of_other_processes(apps: Apps) -> None:
    apps.load()
    apps.create(id="b")
    call = (
        "c = p.invoke('b', 'do', {'do': 'out = [p.id, event.get(\"n\")]', 'n': 3}); out = [c.result(), c.result(), len(c.id)]"
    )
    assert apps.run("a", call) == [["b", 3], ["b", 3], 26]
    failing = """
c = p.invoke('b', 'do', {'do': 'raise KeyError(1)'})
try:
    c.result()
except sand.InvocationFailed as failed:
    out = [failed.error, failed.cause]
"""
    assert apps.run("a", failing) == ["KeyError", "1"]
    slow = """
c = p.invoke('b', 'do', {'do': 'out = p.recv()'})
try:
    c.result(timeout=0.05)
except TimeoutError:
    p.send('b', 'k', 'late'); out = c.result()
"""
    assert apps.run("a", slow) == "late"
    assert apps.run("a", "out = p.invoke(p.SELF, 'do', {'do': 'out = p.id'}).result()") == "a"
    assert apps.invoke("a", "p.invoke('none', 'do')").json()["error"] == "Sand.NotFound"
    assert apps.invoke("a", "p.invoke('b', 'none')").json()["error"] == "Sand.UnknownGrain"


def test_more_functions_than_may_run_at_once_wait_and_more_than_may_wait_are_refused(apps: Apps) -> None:
    apps.load("processes: {concurrency: 1, queue: 1}\n")
    running = apps.start("a", "out = p.recv()")
    apps.until(lambda: apps.describe("a")["running"] == 1)
    waiting = apps.start("a", "p.send('b', 'k', 1); out = 'waited'")
    assert apps.describe("a")["waiting"] == 1
    refused = apps.invoke("a", "")
    assert (refused.status_code, refused.json()["error"], refused.headers["Retry-After"]) == (429, "Sand.Overloaded", "1")
    apps.run("b", "p.send('a', 'k', 2)\ntry:\n    p.invoke('a', 'do')\nexcept sand.Overloaded:\n    pass")
    assert apps.output(running).json() == 2
    assert apps.output(waiting).json() == "waited"


def test_one_that_waits_for_its_turn_may_end_there(apps: Apps) -> None:
    apps.load("processes: {concurrency: 1}\n")
    running = apps.start("a", "out = p.recv()")
    apps.until(lambda: apps.describe("a")["running"] == 1)
    late = apps.invoke("a", "", Sand_Timeout="100ms")
    assert (late.status_code, late.json()["error"]) == (504, "Sand.Timeout")
    waiting = apps.start("a", "")
    assert apps.http.post(f"/api/v1/applications/app/invocations/{waiting}/cancel").status_code == 200
    apps.until(lambda: apps.describe("a")["waiting"] == 0)
    apps.create(id="b")
    apps.run("b", "p.send('a', 'k', 1)")
    assert apps.output(running).json() == 1


def test_a_process_has_its_own_concurrency(apps: Apps) -> None:
    apps.load("processes: {concurrency: 1}\n")
    apps.create(id="two", concurrency=2)
    first = apps.start("two", "out = p.recv()")
    assert apps.run("two", "p.send(p.SELF, 'k', 1); out = 2") == 2
    assert apps.output(first).json() == 1


# --- messages that invoke


TRIGGERS = """
grains:
  keep: {process: {trigger: %s}}
"""


def send_all(apps: Apps, *keys: str) -> None:
    apps.create(id="to")
    apps.run("a", f"[p.send('to', f'invoke:keep:{{key}}', n) for n, key in enumerate({list(keys)!r})]")


def kept(apps: Apps, count: int) -> list[Any]:
    return apps.until(lambda: len(found := apps.run("to", "out = p.state('kept', default=[])")) == count and found)


def test_a_standard_trigger_is_an_invocation_a_message(apps: Apps) -> None:
    apps.load("processes: {concurrency: 1}\n")
    send_all(apps, "7", "a:b", "")
    assert kept(apps, 3) == [["7", 0], ["a:b", 1], ["", 2]]
    assert apps.run("to", "out = p.recv(timeout=0)") is None


def test_a_multi_source_trigger_waits_for_messages_of_one_key(apps: Apps) -> None:
    apps.load(TRIGGERS % "{type: multi-source, count: 2}")
    send_all(apps, "x", "y")
    assert apps.run("to", "out = [p.recv(timeout=0), p.recv(key='invoke:keep:x', timeout=0), p.state_keys()]") == [
        None,
        None,
        [],
    ]
    assert apps.describe("to")["unread"] == 2
    apps.run("b", "p.send('to', 'invoke:keep:y', 'second')")
    assert kept(apps, 1) == [["y", [1, "second"]]]
    apps.run("b", "p.send('to', 'invoke:keep:x', 'third')")
    assert kept(apps, 2)[1] == ["x", [0, "third"]]
    assert apps.describe("to")["unread"] == 0


def test_a_batch_trigger_waits_for_messages_of_any_key(apps: Apps) -> None:
    apps.load(TRIGGERS % "{type: batch, count: 3}")
    send_all(apps, "x", "y", "z", "rest")
    assert kept(apps, 1) == [["x", [0, 1, 2]]]
    assert apps.describe("to")["unread"] == 1


@pytest.mark.parametrize("kind", ["multi-source", "batch"])
def test_a_trigger_with_a_time_out_fires_with_what_is_there(apps: Apps, kind: str) -> None:
    apps.load("processes: {idle: 10ms, swap_after: 10ms}\n" + TRIGGERS % f"{{type: {kind}, count: 9, timeout: 400ms}}")
    send_all(apps, "x", "x")
    # Also when the process is away meanwhile.
    apps.until(lambda: apps.describe("to")["status"] == "swapped")
    assert kept(apps, 1) == [["x", [0, 1]]]


def test_what_several_messages_bring_is_a_list_whatever_they_are(apps: Apps) -> None:
    apps.served.grain("add", "def handle(event, context):\n    context.process.state('sum', sum(event))")
    apps.load("grains: {add: {process: {trigger: {type: multi-source, count: 2}}}}\n")
    apps.create(id="to")
    apps.run("a", "import numpy; p.send('to', 'invoke:add:1', numpy.arange(3)); p.send('to', 'invoke:add:1', 10)")
    apps.until(lambda: apps.describe("to")["stateKeys"] == 1)
    assert apps.run("to", "out = p.state('sum').tolist()") == [10, 11, 12]


def test_a_record_of_many_fields_is_state_and_a_message(apps: Apps) -> None:
    apps.load()
    wide = "numpy.ones(1, [(f'column_{i:04d}', 'f8') for i in range(450)])"
    apps.run("to", f"import numpy; p.state('wide', {wide}); p.send(p.SELF, 'wide', {wide})")
    read = apps.run("to", "out = [len(p.state('wide').dtype.names), len(p.recv_message(timeout=1).data.dtype.names)]")
    assert read == [450, 450]


def test_fields_in_another_order_are_state_messages_and_shared_values(apps: Apps) -> None:
    apps.load()
    made = "records = numpy.array([(1, 2.5), (3, 4.5)], [('id', 'i4'), ('price', 'f8')])[['price', 'id']]"
    kept = "p.state('records', records); p.send(p.SELF, 'records', records); context.data.put('records', records)"
    read = "[p.state('records'), p.recv_message(timeout=1).data, context.data.get('records')]"
    code = f"import numpy; {made}; {kept}; out = [[list(each.dtype.names), each.tolist()] for each in {read}]"
    assert apps.run("to", code) == [[["price", "id"], [[2.5, 1], [4.5, 3]]]] * 3


@pytest.mark.parametrize(("key", "error"), [("invoke:none:1", "Sand.UnknownGrain"), ("invoke:keep", "Sand.BadRequest")])
def test_a_message_that_can_invoke_nothing_is_the_senders_error(apps: Apps, key: str, error: str) -> None:
    apps.load()
    assert apps.invoke("a", f"p.send(p.SELF, {key!r}, 1)").json()["error"] == error


def test_messages_that_invoke_stay_in_the_mailbox_while_the_queue_is_full(apps: Apps) -> None:
    apps.load("processes: {concurrency: 1, queue: 1}\n")
    running = apps.start("to", "out = p.recv(key='go')")
    apps.until(lambda: apps.describe("to")["running"] == 1)
    send_all(apps, "1", "2", "3")
    assert (apps.describe("to")["waiting"], apps.describe("to")["unread"]) == (1, 2)
    apps.run("a", "p.send('to', 'go', 0)")
    assert apps.output(running).json() == 0
    apps.until(lambda: apps.describe("to")["unread"] + apps.describe("to")["waiting"] + apps.describe("to")["running"] == 0)
    assert [key for key, _ in kept(apps, 3)] == ["1", "2", "3"]
