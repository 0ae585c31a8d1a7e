"""State over a process's memory is in the global data layer, and comes back when a function reads it (PraaS 8)."""

import hashlib
import random
import sqlite3
import tempfile
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from conftest import until
from test_processes import ROOT, Home

MIB = 1 << 20
SIZE = 10 * MIB
MEMORY = 32 * MIB
FILES = {
    "sand.yaml": "name: ledger-of-processes\nprocesses: {concurrency: 2, memory: 32MiB, state: 200MiB}\n"
    "grains: {tell: {process: {atomic: true}}}\n",
    "grains/put/handler.py": """
import random


def handle(event, context):
    for key in event["keys"]:
        context.process.state(key, random.Random(event["salt"] + key).randbytes(event.get("size", 10 << 20)))
""",
    "grains/get/handler.py": """
import hashlib


def handle(event, context):
    p = context.process
    return {key: hashlib.sha256(p.state(key, shared=True)).hexdigest() for key in event or p.state_keys()}
""",
    "grains/hold/handler.py": """
import hashlib


def handle(event, context):
    p = context.process
    value = p.state(event, shared=True)
    p.send("told", "has it", None)
    p.recv(key="go on")
    return hashlib.sha256(value).hexdigest()
""",
    "grains/waits/handler.py": """
def handle(event, context):
    context.process.recv(key="has it")
""",
    "grains/lets/handler.py": """
def handle(event, context):
    context.process.send("held", "go on", None)
""",
    "grains/tell/handler.py": """
def handle(event, context):
    context.process.state(f"k{event % 8}", bytes([event]) * 400_000)
    context.process.send("told", "k", event)
""",
    "grains/told/handler.py": """
def handle(event, context):
    return [context.process.recv() for _ in range(event)]
""",
    "grains/drop/handler.py": """
def handle(event, context):
    return [context.process.delete_state(key) for key in event]
""",
}


def digest(salt: str, key: str, size: int = SIZE) -> str:
    return hashlib.sha256(random.Random(salt + key).randbytes(size)).hexdigest()


def keys(count: int) -> list[str]:
    return [f"k{number:02}" for number in range(count)]


@pytest.fixture(scope="module")
def home() -> Iterator[Home]:
    with tempfile.TemporaryDirectory(prefix="sand-", dir="/tmp") as folder:
        made = Home(Path(folder), FILES)
        try:
            yield made
        finally:
            made.local.stop()


def put(home: Home, process: str, *names: str, salt: str = "first") -> None:
    home.ask(process, "put", {"keys": names, "salt": salt})


def resident(home: Home, process: str) -> tuple[int, int]:
    """Of its state: bytes in memory, and bytes that are not."""
    found = home.get(process)
    assert found["residentBytes"] + found["overflowBytes"] == found["stateBytes"]
    return found["residentBytes"], found["overflowBytes"]


def large_values(pid: int) -> int:
    """Bytes of shared memory that the platform has."""
    total = 0
    for each in Path(f"/proc/{pid}/fd").iterdir():
        try:
            if each.readlink().name.startswith("memfd:") or "/memfd:" in str(each.readlink()):
                total += each.stat().st_blocks * 512
        except FileNotFoundError:
            continue
    return total


@pytest.mark.slow
def test_ten_values_are_kept_in_the_memory_of_three(home: Home):
    most = 0
    for key in keys(10):
        put(home, "p", key)
        until(lambda: resident(home, "p")[0] <= MEMORY, "what is over its memory has left")
        most = max(most, large_values(home.local.process.pid))
    assert resident(home, "p")[1] >= 100 * MIB - MEMORY
    assert most <= MEMORY + 5 * SIZE, "with what is being written, and files that are kept for a while to be used again"
    for key in keys(10):
        assert home.ask("p", "get", [key]) == {key: digest("first", key)}
    everything = {key: digest("first", key) for key in keys(10)}
    assert home.ask("p", "get") == everything, "one function reads all of them"
    until(lambda: resident(home, "p")[0] <= MEMORY, "what it has read has left")
    metrics = home.get("p", "metrics")
    assert (metrics["residentBytes"], metrics["overflowBytes"]) == resident(home, "p")

    assert home.step("p", "swap-out").json()["status"] == "swapped"
    assert resident(home, "p") == (0, 10 * (SIZE + 3))
    assert home.step("p", "swap-in").status_code == 200
    assert 0 < resident(home, "p")[0] <= MEMORY, "it comes back with what it used last"
    assert home.ask("p", "get") == everything


@pytest.mark.slow
def test_one_function_may_write_more_than_the_memory_and_others_over_it(home: Home):
    put(home, "q", *keys(6))
    until(lambda: resident(home, "q")[0] <= MEMORY, "what is over its memory has left")
    put(home, "q", "k00", "k05", salt="second")
    assert home.ask("q", "drop", ["k01", "k09"]) == [True, False]
    expected = {key: digest("second" if key in ("k00", "k05") else "first", key) for key in keys(6) if key != "k01"}
    assert home.ask("q", "get") == expected
    home.step("q", "swap-out")
    home.again()
    assert home.ask("q", "get") == expected


@pytest.mark.slow
def test_what_does_not_fit_is_refused_with_the_limit_and_the_actual_value(home: Home):
    refused = home.call("r", "put", {"keys": ["k"], "salt": "", "size": MEMORY})
    assert refused.status_code == 500
    assert refused.json()["error"] == "Sand.TooLarge"
    assert str(MEMORY) in refused.json()["detail"] and str(MEMORY + 1) in refused.json()["detail"]
    for key in keys(19):
        put(home, "r", key)
    refused = home.call("r", "put", {"keys": ["more", "and more"], "salt": ""})
    assert refused.json()["error"] == "Sand.TooLarge"
    assert str(200 * MIB) in refused.json()["detail"]
    assert len(home.ask("r", "get")) == 19
    assert home.tested.http.delete("/api/v1/apps/ledger-of-processes/processes/r").status_code == 204


@pytest.mark.slow
def test_who_holds_a_mapping_has_the_value_though_it_has_left(home: Home):
    put(home, "held", "k00")
    home.ask("told", "get", [])
    with ThreadPoolExecutor(1) as pool:
        holds = pool.submit(home.ask, "held", "hold", "k00")
        home.ask("told", "waits")
        for key in keys(8)[1:]:
            put(home, "held", key)
        until(lambda: resident(home, "held")[0] <= MEMORY, "what is over its memory has left")
        assert resident(home, "held")[1] >= 4 * SIZE
        home.ask("told", "lets")
        assert holds.result() == digest("first", "k00")


@pytest.mark.slow
def test_a_kill_in_the_middle_loses_nothing_of_what_was_answered(home: Home):
    for round in range(3):
        answered: list[str] = []
        enough = threading.Event()

        def client(answered: list[str] = answered, enough: threading.Event = enough, salt: str = f"{round}") -> None:
            for key in keys(12):
                try:
                    if home.call("s", "put", {"keys": [key], "salt": salt}).status_code == 200:
                        answered.append(key)
                except Exception:
                    return
                if len(answered) >= 5:
                    enough.set()

        writing = threading.Thread(target=client)
        writing.start()
        assert enough.wait(120)
        home.local.kill()
        writing.join(120)
        home.again()
        found = home.ask("s", "get")
        for key in answered:
            assert found[key] == digest(f"{round}", key), f"{key} of round {round}"


def renamed(home: Home, before: str, after: str) -> None:
    (file,) = [path for path in home.folder.rglob("*.db") if has_table(path, before)]
    with closing(sqlite3.connect(file, timeout=30)) as store:
        store.execute(f"ALTER TABLE {before} RENAME TO {after}")


def has_table(file: Path, name: str) -> bool:
    with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as store:
        return store.execute("SELECT count(*) FROM sqlite_master WHERE name = ?", (name,)).fetchone() == (1,)


@pytest.mark.slow
def test_a_store_that_is_away_is_the_readers_error_and_a_later_read_succeeds(home: Home):
    put(home, "t", *keys(6))
    until(lambda: resident(home, "t")[0] <= MEMORY, "what is over its memory has left")
    renamed(home, "entry", "entry_away")
    try:
        refused: Any = home.call("t", "get", ["k00"]).json()
        here = home.call("t", "get", ["k05"])
    finally:
        renamed(home, "entry_away", "entry")
    assert refused["error"] == "Sand.Unavailable", refused
    assert 'state "k00" of process t' in refused["detail"] and "no such table: entry" in refused["detail"]
    assert here.json() == {"k05": digest("first", "k05")}, "others do not need the store"
    assert home.ask("t", "get") == {key: digest("first", key) for key in keys(6)}


@pytest.mark.slow
def test_images_wait_for_what_atomic_functions_send_and_nobody_is_turned_away(home: Home):
    assert home.tested.http.post(ROOT, json={"id": "tells", "memory": "1MiB"}).status_code == 201
    home.ask("told", "told", 0)
    told = range(40)
    with ThreadPoolExecutor(3) as clients:
        checkpoints = clients.submit(lambda: [home.step("tells", "checkpoint").status_code for _ in range(20)])
        ends = [end.status_code for end in clients.map(lambda number: home.call("tells", "tell", number), told)]
    assert (set(ends), set(checkpoints.result())) == ({200}, {200})
    assert sorted(home.ask("told", "told", len(told))) == list(told)
    until(lambda: resident(home, "tells")[0] <= MIB, "what is over its memory has left")
