"""Cloud processes outlive whatever dies: what a function did that was answered is there, whole and once."""

import contextlib
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest
from conftest import Tested, sandbox_option, until
from sand.command.local import LocalPlatform

# A platform of its own, and more than one start of it.
pytestmark = pytest.mark.slow

FILES = {
    "sand.yaml": "name: ledger-of-processes\nprocesses: {concurrency: 2, mailbox: {messages: 100000}}\n"
    "grains:\n  again: {isolation: worker}\n  soon: {process: {trigger: {type: batch, count: 2, timeout: 4s}}}\n",
    "grains/add/handler.py": '''
def handle(event, context):
    """Two keys that belong together, and a message to another process."""
    p = context.process
    p.state("a/" + event["id"], event["id"])
    if event.get("to"):
        p.send(event["to"], "k", event["id"])
    p.state("b/" + event["id"], event["id"])
    return event["id"]
''',
    "grains/take/handler.py": """
def handle(event, context):
    p = context.process
    got = []
    while len(got) < event["most"] and (one := p.recv(key="k", timeout=0)) is not None:
        got.append(one)
    p.state("taken", p.state("taken", default=[]) + got)
    return got
""",
    "grains/keys/handler.py": """
def handle(event, context):
    p = context.process
    return {"keys": p.state_keys(), "taken": p.state("taken", default=[])}
""",
    "grains/large/handler.py": """
def handle(event, context):
    p = context.process
    if event is not None:
        p.state("large", bytes([event]) * (3 << 20))
        return None
    value = p.state("large")
    return [len(value), value[0], value[-1]]
""",
    "grains/says/handler.py": """
def handle(event, context):
    print(event)
""",
    "grains/again/handler.py": """
import os


def handle(event, context):
    # An instance that serves many, with a value that is kept before its end is told.
    context.process.state("large", bytes(event))
    return os.getpid()
""",
    "grains/soon/handler.py": """
def handle(event, context):
    context.process.state("came", event)
""",
    "grains/tell/handler.py": """
def handle(event, context):
    context.process.send(event, "invoke:soon:x", 1)
""",
    "grains/fails/handler.py": """
def handle(event, context):
    p = context.process
    p.state("a/failed", 1)
    p.recv(key="k", timeout=0)
    raise ValueError("no")
""",
}
ROOT = "/api/v1/apps/ledger-of-processes/processes"


class Home:
    """A platform with a home of its own, which may be killed and started again."""

    def __init__(self, folder: Path, files: dict[str, str] = FILES) -> None:
        self.folder = folder
        self.local = LocalPlatform(*sandbox_option(), home=folder).start()
        self.tested = Tested(self.local)
        deployed = self.tested.deploy_files(files)
        assert deployed.status_code in (200, 201), deployed.text

    def again(self) -> None:
        self.local.kill()
        self.local.start()
        self.tested = Tested(self.local)

    def call(self, process: str, function: str, event: Any = None) -> httpx.Response:
        where = {"function": function, "process": process}
        return self.tested.http.post(f"{ROOT}/invoke", params=where, json=event, timeout=60)

    def ask(self, process: str, function: str, event: Any = None) -> Any:
        response = self.call(process, function, event)
        assert response.status_code == 200, response.text
        return response.json() if response.content else None

    def step(self, process: str, step: str) -> httpx.Response:
        return self.tested.http.post(f"{ROOT}/{process}/{step}", timeout=90)

    def get(self, process: str, *rest: str) -> dict[str, Any]:
        response = self.tested.http.get("/".join((ROOT, process, *rest)))
        assert response.status_code == 200, response.text
        found: dict[str, Any] = response.json()
        return found


@pytest.fixture(scope="module")
def home() -> Iterator[Home]:
    with tempfile.TemporaryDirectory(prefix="sand-", dir="/tmp") as folder:
        made = Home(Path(folder))
        try:
            yield made
        finally:
            made.local.stop()


def test_a_kill_loses_nothing_of_functions_that_were_answered(home: Home):
    home.ask("sink", "keys")
    answered: list[str] = []
    enough = threading.Event()

    def client(number: int) -> None:
        for count in range(1000):
            id = f"{number}-{count:04}"
            try:
                response = home.call(f"p{number % 3}", "add", {"id": id, "to": "sink"})
            except httpx.TransportError:
                return
            if response.status_code == 200:
                answered.append(id)
            if len(answered) >= 60:
                enough.set()

    with ThreadPoolExecutor(4) as clients:
        running = [clients.submit(client, number) for number in range(4)]
        assert enough.wait(120)
        home.ask("sink", "take", {"most": 10})
        home.local.kill()
        for one in running:
            one.result()
    home.again()
    for number in range(4):
        keys = home.ask(f"p{number % 3}", "keys")["keys"]
        mine = [id for id in answered if id.startswith(f"{number}-")]
        assert [id for id in mine if f"a/{id}" not in keys] == []
        assert [key for key in keys if key.startswith("a/") and "b/" + key[2:] not in keys] == [], "half of what a function did"
    home.ask("sink", "take", {"most": 100_000})
    taken = home.ask("sink", "keys")["taken"]
    assert len(taken) == len(set(taken)), "a message came twice"
    assert set(answered) <= set(taken)
    for number in range(4):
        mine = [id for id in taken if id.startswith(f"{number}-")]
        assert mine == sorted(mine), "messages of one sender and key are out of order"


def test_large_state_outlives_a_kill_with_and_without_an_image(home: Home):
    home.ask("big", "large", 7)
    home.again()
    assert home.ask("big", "large") == [3 << 20, 7, 7]
    assert home.step("big", "swap-out").json()["status"] == "swapped"
    home.again()
    assert home.get("big")["status"] == "swapped"
    assert home.ask("big", "large") == [3 << 20, 7, 7]
    assert home.get("big")["status"] == "active"
    home.ask("big", "large", 9)
    home.again()
    assert home.ask("big", "large") == [3 << 20, 9, 9], "what the journal has goes over the image"


@pytest.mark.parametrize("step", ["swap-out", "checkpoint", "swap-in"])
def test_a_host_that_dies_in_the_middle_of_swapping_has_all_of_the_process(home: Home, step: str):
    """At three moments of it: an image of 3 MiB takes some 20 ms to be written, and some to be read."""
    home.ask("torn", "keys")
    for value, delay_ms in enumerate((2, 10, 30), start=1):
        home.ask("torn", "large", value)
        home.ask("tears", "add", {"id": f"{step}-{value}", "to": "torn"})
        if step == "swap-in":
            assert home.step("torn", "swap-out").json()["status"] == "swapped"
        with ThreadPoolExecutor(1) as client:
            asked = client.submit(home.step, "torn", step)
            time.sleep(delay_ms / 1000)
            home.local.kill()
            with contextlib.suppress(httpx.TransportError):
                asked.result()
        home.again()
        assert home.ask("torn", "large") == [3 << 20, value, value]
        assert home.ask("torn", "take", {"most": 5}) == [f"{step}-{value}"]


def test_one_that_a_trigger_will_invoke_is_not_swapped_out(home: Home):
    home.ask("d", "keys")
    home.ask("q", "tell", "d")
    refused = home.step("d", "swap-out")
    assert (refused.status_code, refused.json()["state"]) == (409, "active"), refused.text
    assert "a trigger's time-out is to come" in refused.json()["detail"]
    assert home.get("d", "metrics")["swapsOut"] == 0
    until(lambda: "came" in home.ask("d", "keys")["keys"], "it has come")
    assert home.step("d", "swap-out").json()["status"] == "swapped"
    assert home.get("d", "metrics")["swapsOut"] == 1


def test_a_swapped_process_has_what_it_had_and_says_what_it_is(home: Home):
    home.ask("s", "keys")
    home.ask("q", "add", {"id": "x", "to": "s"})
    home.ask("s", "add", {"id": "y"})
    assert home.call("s", "fails").status_code == 500
    refused = home.step("s", "swap-in")
    assert (refused.status_code, refused.json()["error"], refused.json()["state"]) == (409, "Sand.Conflict", "active")
    assert home.step("s", "checkpoint").status_code == 200
    assert home.step("s", "swap-out").json()["status"] == "swapped"
    assert home.step("s", "swap-out").json()["state"] == "swapped"
    listed = home.tested.http.get(ROOT, params={"status": "swapped"}).json()["processes"]
    assert [one["process"] for one in listed if one["process"] == "s"] == ["s"]
    figures = home.get("s", "metrics")
    assert (figures["swapsOut"], figures["checkpoints"], figures["unread"]) == (1, 1, 1)
    assert (figures["invocations"], figures["failures"]) == (3, 1)
    assert home.ask("s", "take", {"most": 5}) == ["x"], "a function that failed has given it back"
    assert home.ask("s", "keys")["keys"] == ["a/y", "b/y", "taken"]
    home.step("s", "swap-out")
    assert home.tested.http.delete(f"{ROOT}/s").status_code == 204
    home.again()
    assert home.tested.http.get(f"{ROOT}/s").status_code == 404
    assert home.ask("s", "keys")["keys"] == []


def test_what_was_written_in_a_process_is_asked_for_by_its_id_until_it_is_killed(home: Home):
    def logs(process: str) -> list[str]:
        response = home.tested.http.get(f"{ROOT}/{process}/logs")
        assert response.status_code == 200, response.text
        return [line["text"] for line in response.json()["lines"]]

    for process, text in (("l", "first"), ("m", "another's"), ("l", "second")):
        home.ask(process, "says", text)
    until(lambda: logs("l") == ["first", "second"], "its lines are there")
    assert home.step("l", "swap-out").json()["status"] == "swapped"
    assert logs("l") == ["first", "second"], "while it is nowhere"
    assert home.get("l")["status"] == "swapped", "and asking does not bring it back"
    home.again()
    home.ask("l", "says", "third")
    until(lambda: logs("l") == ["first", "second", "third"], "it goes on where it was")
    shown = home.tested.sand("logs", "ledger-of-processes", "--process", "l").decode()
    assert "second" in shown and "another's" not in shown
    assert home.tested.http.delete(f"{ROOT}/l").status_code == 204
    assert home.tested.http.get(f"{ROOT}/l/logs").status_code == 404
    home.ask("l", "says", "anew")
    until(lambda: logs("l") == ["anew"], "nothing of the one before")
    assert logs("m") == ["another's"]


def test_an_instance_that_serves_many_does_so_after_it_wrote_a_large_value(home: Home) -> None:
    pids = {home.ask("again", "again", 100_000 + number) for number in range(12)}
    assert len(pids) <= 4  # those that were forked ahead
