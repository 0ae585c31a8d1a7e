"""What messages invoke (PraaS Table 3), what is heard of other processes, arrays: one contract of platform and emulator."""

import time
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from conftest import until
from process_server import ProcessServer

pytestmark = pytest.mark.slow

FILES = {
    "sand.yaml": """
name: fed
processes: {concurrency: 8}
grains:
  each: {process: {trigger: {type: standard}}}
  three: {process: {trigger: {type: batch, count: 3}}}
  soon: {process: {trigger: {type: batch, count: 100, timeout: 300ms}}}
  pairs: {process: {trigger: {type: multi-source, count: 2}}}
  patient: {timeout: 5s, process: {trigger: {type: standard}}}
""",
    **{f"grains/{name}/requirements.txt": "numpy\n" for name in ("fill", "double", "check")},
    **{
        f"grains/{name}/handler.py": f"""
def handle(event, context):
    context.process.send("seen", "{name}", [context.process.invocation_key, event])
"""
        for name in ("each", "three", "soon", "pairs")
    },
    "grains/patient/handler.py": """
import time


def handle(event, context):
    time.sleep(1)
    context.process.send("seen", "patient", event)
""",
    "grains/feed/handler.py": """
def handle(messages, context):
    for destination, key, data in messages:
        context.process.send(destination, key, data)
""",
    "grains/seen/handler.py": """
def handle(key, context):
    found = []
    while (one := context.process.recv(key=key, timeout=0)) is not None:
        found.append(one)
    context.process.state("found", context.process.state("found", default=[]) + found)
    return context.process.state("found")
""",
    "grains/unread/handler.py": """
def handle(event, context):
    return context.process.recv(timeout=0)
""",
    "grains/watch/handler.py": """
def handle(event, context):
    p = context.process
    version, listed = p.watch_processes(None, 0)
    p.state("watching", True)
    said = [{one.process: one.status for one in listed}]
    while not event["until"].items() <= said[-1].items() or not set(event["gone"]).isdisjoint(said[-1]):
        version, listed = p.watch_processes(version, 30)
        said.append({one.process: one.status for one in listed})
    return said[-1]
""",
    "grains/is_watching/handler.py": """
def handle(event, context):
    return context.process.state("watching", default=False)
""",
    "grains/fill/handler.py": """
import numpy


def handle(n, context):
    p = context.process
    array = numpy.arange(n, dtype="float32").reshape(2, -1)
    p.state("array", array)
    p.send(p.id, "array", array)
    p.send(p.id, "array", array)
    return p.invoke(p.id, "double", array).result(30)
""",
    "grains/double/handler.py": """
def handle(array, context):
    return array * 2
""",
    "grains/check/handler.py": """
import numpy


def handle(n, context):
    p = context.process
    expected = numpy.arange(n, dtype="float32").reshape(2, -1)
    found = [p.state("array"), p.state("array", shared=True)]
    found += [p.recv(key="array", timeout=0), p.recv(key="array", timeout=0, shared=True)]
    return [[str(each.dtype), each.shape == expected.shape, bool((each == expected).all())] for each in found]
""",
}  # fmt: skip


LATE_SECONDS = 5


class Server(ProcessServer):
    def __init__(self, url: str, application: str = "fed", manifest: str = FILES["sand.yaml"]) -> None:
        super().__init__(url, application, FILES | {"sand.yaml": manifest})

    def seen(self, function: str, count: int) -> list[Any]:
        """What that function was invoked with, once there is as much of it."""
        return until(lambda: found if len(found := self.ask("seen", "seen", function)) >= count else None, function)


@pytest.fixture(scope="module")
def server(either: str) -> Server:
    return Server(either)


@pytest.fixture(autouse=True)
def _anew(server: Server) -> Iterator[None]:
    yield
    for process in server.http.get(server.root).json()["processes"]:
        server.http.delete(f"{server.root}/{process['process']}")


def test_each_message_invokes_a_function(server: Server) -> None:
    server.make("fed", "seen")
    server.ask("from", "feed", [["fed", "invoke:each:a", 1], ["fed", "invoke:each:b", 2], ["fed", "invoke:each:a", 3]])
    assert sorted(server.seen("each", 3)) == [["a", 1], ["a", 3], ["b", 2]]


def test_what_messages_invoke_waits_for_its_turn_beyond_its_own_time_limit(server: Server) -> None:
    server.make("seen")
    assert server.http.post(server.root, json={"id": "narrow", "concurrency": 1}).status_code == 201
    server.ask("from", "feed", [["narrow", "invoke:patient:k", n] for n in range(8)])
    assert sorted(server.seen("patient", 8)) == list(range(8))


def test_a_batch_is_of_any_keys_and_named_by_its_oldest_message(server: Server) -> None:
    server.make("fed", "seen")
    server.ask("from", "feed", [["fed", f"invoke:three:{key}", n] for n, key in enumerate("abcdefg")])
    assert sorted(server.seen("three", 2)) == [["a", [0, 1, 2]], ["d", [3, 4, 5]]]
    assert server.ask("fed", "unread") is None, "what feeds a trigger is never received"
    server.ask("other", "feed", [["fed", "invoke:three:h", 7], ["fed", "invoke:three:i", 8]])
    assert ["g", [6, 7, 8]] in server.seen("three", 3)


def test_a_batch_fires_with_what_is_there_when_its_time_is_over(server: Server) -> None:
    server.make("fed", "seen")
    server.ask("from", "feed", [["fed", "invoke:soon:a", 1], ["fed", "invoke:soon:b", 2]])
    assert server.seen("soon", 1)[0][0] == "a"
    until(lambda: [n for _, values in server.seen("soon", 1) for n in values] == [1, 2], "both, in one batch or two")


def test_many_sources_feed_one_key(server: Server) -> None:
    server.make("fed", "seen")
    server.ask("left", "feed", [["fed", "invoke:pairs:x", "l"], ["fed", "invoke:pairs:y", "alone"]])
    server.ask("right", "feed", [["fed", "invoke:pairs:x", "r"]])
    assert server.seen("pairs", 1) == [["x", ["l", "r"]]]


def test_messages_that_wait_for_a_batch_outlive_a_swap(server: Server) -> None:
    server.make("fed", "seen")
    server.ask("from", "feed", [["fed", "invoke:three:a", 1], ["fed", "invoke:three:b", 2]])
    server.step("fed", "swap-out")
    server.ask("from", "feed", [["fed", "invoke:three:c", 3]])
    assert server.seen("three", 1) == [["a", [1, 2, 3]]]


def test_a_time_out_that_a_later_version_adds_counts_from_when_the_messages_came(either: str) -> None:
    manifest = "name: late\ngrains: {{pairs: {{process: {{trigger: {{type: multi-source, count: 3{}}}}}}}}}\n"
    server = Server(either, "late", manifest.format(""))
    server.make("fed", "seen")
    server.ask("from", "feed", [["fed", "invoke:pairs:k", 1], ["fed", "invoke:pairs:k", 2]])
    came = time.monotonic()
    server.step("fed", "swap-out")
    Server(either, "late", manifest.format(f", timeout: {LATE_SECONDS}s"))
    until(lambda: time.monotonic() - came > LATE_SECONDS, "its time is over")
    server.step("fed", "swap-in")
    back = time.monotonic()
    assert server.seen("pairs", 1) == [["k", [1, 2]]]
    assert time.monotonic() - back < LATE_SECONDS - 1, "it began anew when the process came back"


def test_a_function_hears_of_processes_that_come_and_go(server: Server) -> None:
    server.make("goes")
    watching = httpx.Client(base_url=server.http.base_url, timeout=120, trust_env=False)
    accepted = watching.post(
        f"{server.root}/invoke",
        params={"function": "watch", "process": "watcher"},
        json={"until": {"comes": "swapped"}, "gone": ["goes"]},
        headers={"Prefer": "respond-async"},
    )
    assert accepted.status_code == 202, accepted.text
    server.make("comes")
    server.step("comes", "swap-out")
    assert server.http.delete(f"{server.root}/goes").status_code == 204
    record = until(
        lambda: one if (one := watching.get(accepted.headers["Location"]).json())["status"] != "RUNNING" else None, "it ends"
    )
    assert record["status"] == "SUCCEEDED", str(record)
    said = watching.get(accepted.headers["Location"] + "/output").json()
    assert said["comes"] == "swapped"
    assert "goes" not in said


@pytest.mark.parametrize("n", [4, 100_000])
def test_arrays_are_state_messages_and_results(server: Server, n: int) -> None:
    answer = server.call("arrays", "fill", n)
    assert answer.headers["Content-Type"].startswith("application/x-npy")
    server.step("arrays", "swap-out")
    assert server.ask("arrays", "check", n) == [["float32", True, True]] * 4
