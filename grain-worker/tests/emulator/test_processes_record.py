"""What a function writes and sends has to fit into the record of its end that the platform would write."""

from __future__ import annotations

from typing import Any

import pytest
from process_apps import Apps

from sand.emulator import processes_record
from sand.messages import Payload, StateWrite

MOST = 12 << 20
# Fills a record with 2209 writes of values of 4 KiB: each is 200 bytes, six for each character of its key, and its base64.
EACH_WRITE = 200 + 6 * 5 + 5464
WRITES = MOST // EACH_WRITE
# A send has its destination and 320 bytes on top.
EACH_SEND = 320 + len("to") + 200 + 6 * 1 + 5464
SENDS = MOST // EACH_SEND


@pytest.fixture
def apps(served_quickly: Any) -> Apps:
    apps = Apps(served_quickly)
    apps.served.grain("atom", (apps.served.folder / "grains/do/handler.py").read_text())
    return apps.load("grains: {atom: {process: {atomic: true}}}\n")


def written(count: int) -> str:
    return f"[p.state(f'k{{i:04}}', b'x' * 4096) for i in range({count})]"


@pytest.mark.parametrize(
    ("key", "value", "expected"),
    [
        ("key", None, 200 + 18),
        ("key", b"", 200 + 18),
        ("key", b"x", 200 + 18 + 4),
        ("key", bytes(4096), 200 + 18 + 5464),
        ("key", bytes(4097), 200 + 18),
        ("\u00fc\U0001f600", b"", 200 + 18),
    ],
)
def test_a_write_is_counted_as_the_host_agent_counts_it(key: str, value: bytes | None, expected: int) -> None:
    payload = None if value is None else Payload("application/json", value)
    assert processes_record.of_writes([StateWrite(key, payload)] * 2) == 2 * expected
    if payload is not None:
        assert processes_record.of_send("q\U0001f600", key, payload) == 320 + 3 + expected


def test_what_a_function_writes_fits_into_the_record_of_its_end(apps: Apps) -> None:
    assert apps.run("full", f"{written(WRITES)}; out = len(p.state_keys())") == WRITES
    # A key that is written again is in the record again, once it has gone ahead of the end.
    apps.run("a", "p.state('a', 0); p.send(p.SELF, 'm', 1)")
    over = apps.invoke("a", f"p.state('a', 1); p.recv(key='m'); {written(WRITES // 2)}; {written(WRITES // 2 + 2)}")
    words = f"process a has a limit of {MOST} bytes of the record of what one function writes, and "
    assert over.status_code == 500 and over.json()["error"] == "Sand.TooLarge", over.text
    assert words in over.json()["detail"]
    assert apps.run("a", "out = [p.state('a'), p.state_keys(), p.recv(timeout=0)]") == [0, ["a"], 1]


def test_what_comes_with_the_end_counts_too(apps: Apps) -> None:
    over = apps.invoke("a", written(WRITES + 1)).json()
    bounds = (over["error"], over["limit"], over["actual"])
    assert bounds == ("Sand.TooLarge", MOST, (WRITES + 1) * EACH_WRITE), over
    assert apps.run("a", "out = p.state_keys()") == []


def test_a_function_that_hears_of_it_may_end_well_without(apps: Apps) -> None:
    do = f"try: {written(2 * WRITES)}\nexcept sand.TooLarge as large: out = str(large)\np._own.clear()"
    assert f"limit of {MOST} bytes" in apps.run("a", do)
    # What had gone ahead before counts.
    assert WRITES - 100 < apps.run("a", "out = len(p.state_keys())") <= WRITES


def test_large_values_are_not_in_the_record(apps: Apps) -> None:
    assert apps.run("a", "[p.state(f'k{i}', b'x' * 60_000) for i in range(300)]; out = len(p.state_keys())") == 300


def test_an_attempt_that_is_lost_counts_for_nothing(forked: Any) -> None:
    apps = Apps(forked).load()
    do = f"""
{written(WRITES)}
if context.attempt == 1:
    worker = open(f'/proc/{{os.getppid()}}/stat').read()
    os.kill(int(worker.rpartition(')')[2].split()[1]), 9); p.recv(key='never')
out = context.attempt
"""
    execution = apps.start("a", do)
    # The next event finds that the supervisor is gone.
    apps.until(lambda: apps.http.post("/invoke/app/keep").status_code and apps.asked(execution).status_code != 202)
    assert apps.output(execution).json() == 2


def test_what_an_atomic_function_sends_fits_into_the_record_of_its_end(apps: Apps) -> None:
    apps.create(id="to")
    send = "[p.send('to', 'k', b'x' * 4096) for _ in range({})]"
    over = apps.invoke("a", f"p.state('a', 1); {send.format(SENDS + 1)}", "atom")
    words = f"an atomic function has a limit of {MOST} bytes of messages that go into the record of its end, and "
    assert over.status_code == 500 and over.json()["error"] == "Sand.TooLarge", over.text
    assert words in over.json()["detail"] and over.json()["detail"].endswith(f" would make it {(SENDS + 1) * EACH_SEND}")
    assert apps.run("a", "out = p.state_keys()") == []
    described = apps.describe("to")
    assert (described["unread"], described["mailboxBytes"]) == (0, 0)
    # It may end well without; the next function has all of it again; and others' sends are no part of their records.
    caught = f"try: {send.format(SENDS + 1)}\nexcept sand.TooLarge: pass"
    assert apps.invoke("a", caught, "atom").status_code == 200
    assert apps.describe("to")["unread"] == SENDS
    apps.run("a", send.format(SENDS + 1))
    assert apps.describe("to")["unread"] == 2 * SENDS + 1
