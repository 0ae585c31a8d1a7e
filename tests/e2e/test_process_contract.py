"""Cloud processes over HTTP, where the platform and the emulator keep one contract, and what dies in them."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from conftest import Tested, until, zipped
from process_server import ProcessServer
from sand.client import Process
from sand.errors import SandError

pytestmark = pytest.mark.slow

FILES = {
    "sand.yaml": "name: contract\nprocesses: {concurrency: 1, mailbox: {bytes: 1MiB}}\n"
    "grains:\n  waits: {concurrency: 1, idle: {min: 1, max: 1}}\n",
    "grains/count/handler.py": """
def handle(event, context):
    p = context.process
    p.state("n", p.state("n", default=0) + 1)
    return p.state("n")
""",
    "grains/refused/handler.py": """
import sand


def handle(error, context):
    if context.process:
        context.process.send(context.process.id, "ran", 1)
    raise getattr(sand, error)("there was no room")
""",
    "grains/ran/handler.py": """
def handle(event, context):
    ran = 0
    while context.process.recv(key="ran", timeout=0) is not None:
        ran += 1
    return ran
""",
    "grains/gives/handler.py": """
def handle(size, context):
    return bytes([size % 251]) * size
""",
    "grains/late/handler.py": """
import time


def handle(size, context):
    p = context.process
    first = p.invoke("gives", "gives", size)
    time.sleep(5)
    for _ in range(4):
        assert len(p.invoke("gives", "gives", size + 1).result()) == size + 1
    return [first.result() == bytes([size % 251]) * size, len(first.result())]
""",
    "grains/none/handler.py": """
def handle(event, context):
    return None
""",
    "grains/odd/handler.py": """
def handle(keys, context):
    p = context.process
    for key in keys:
        p.state(key, {"state": key})
        p.send(p.id, key, [key])
    return None
""",
    "grains/read/handler.py": """
def handle(keys, context):
    p = context.process
    assert p.state_keys() == sorted(keys, key=str.encode), p.state_keys()
    for key in reversed(keys):
        assert p.state(key) == {"state": key}, key
        source, got, data = p.recv_message(key=key, timeout=0)
        assert (got, data) == (key, [key]), key
        assert p.recv(key=key, timeout=0) is None
        assert p.delete_state(key)
    return p.state_keys()
""",
    "grains/bad_key/handler.py": """
import sand


def handle(size, context):
    p = context.process
    said = []
    for do in (lambda: p.state("x" * size, 1), lambda: p.send(p.id, "x" * size, 1), lambda: p.recv(key="x" * size, timeout=0)):
        try:
            do()
        except sand.BadRequest as refused:
            said.append(str(refused))
    return said
""",
    "grains/large/handler.py": """
import mmap
import resource

import sand


def handle(size, context):
    # Pages that nobody touches: only a copy would be in memory.
    value = memoryview(mmap.mmap(-1, size))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    try:
        context.process.send(context.process.id, "k", value)
    except sand.TooLarge as refused:
        return [str(refused), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before]
""",
    "grains/fills/handler.py": """
import sand


def handle(event, context):
    p = context.process
    p.send(p.id, "k", bytes(700_000))
    try:
        p.send(p.id, "k", bytes((1 << 20) + 1))
    except sand.TooLarge as refused:
        said = [str(refused)]
    p.recv(key="k")
    try:
        p.send(p.id, "k", bytes(700_000), timeout=0.1)
    except sand.Overloaded as full:
        said.append(str(full))
    return said
""",
    "grains/waits/handler.py": """
import sand


def handle(timeout, context):
    try:
        return {"got": context.process.recv(key="later", timeout=timeout)}
    except sand.Timeout:
        return "Timeout"
""",
    "grains/sends/handler.py": """
def handle(event, context):
    context.process.send(context.process.id, "later", event)
""",
    "grains/holds/handler.py": """
import time


def handle(sizes, context):
    p = context.process
    for size in sizes:
        p.state(str(size), b"x" * size)
    if p.recv(key="later", timeout=0) is not None:
        time.sleep(3)
""",
    "grains/half/handler.py": """
import os
import signal
import time


def handle(dies, context):
    p = context.process
    p.state("half", dies)
    p.recv(key="later", timeout=0)
    p.send("sink", "k", p.id)
    if dies == "function" or (dies == "worker" and p.recv(key="again", timeout=0) is None):
        p.send(p.id, "again", True)
        os.kill(os.getpid() if dies == "function" else os.getppid(), signal.SIGKILL)
        time.sleep(60)
    return "whole"
""",
    "grains/names/handler.py": """
import sand


def handle(key, context):
    p = context.process
    try:
        p.send(p.id, key, 1)
    except sand.SandError as refused:
        return [refused.error, str(refused)]
""",
    "grains/wrong/handler.py": """
import sand


def handle(calls, context):
    said = []
    for call in calls:
        try:
            eval(call, {"p": context.process, "sand": sand})
        except Exception as refused:
            said.append([type(refused).__name__, str(refused)])
    return said
""",
    "grains/talks/handler.py": """
import time


def handle(seconds, context):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        print("of the first", flush=True)
        time.sleep(0.002)
    print("of the next", flush=True)
""",
    "grains/look/handler.py": """
def handle(event, context):
    p = context.process
    found = []
    while (one := p.recv_message(timeout=0)) is not None:
        found.append([one.key, one.data])
    return {"keys": p.state_keys(), "messages": found}
""",
}
ODD = [
    "\0", "a\0b", "a", " ", "\n", "\t x ", "\u00e9", "e\u0301", "\U0001f648", "\u202e", "\ufeff", "\u05e7\u05de", "/", "..",
    "%00", '"', "\\", "'; drop", "invoke", "invokes:a:b", "x" * 1024, "\u00e9" * 512, "\U0001f648" * 256,
]  # fmt: skip


class Server(ProcessServer):
    def __init__(self, url: str) -> None:
        super().__init__(url, "contract", FILES)


@pytest.fixture(scope="module")
def server(either: str) -> Server:
    return Server(either)


@pytest.fixture(scope="module")
def platform(tested: Tested) -> Server:
    return Server(tested.server)


def test_an_idempotency_key_finds_the_process_that_it_made(server: Server) -> None:
    first, second = (server.call(None, "count", Idempotency_Key="k") for _ in range(2))
    assert first.headers["Sand-Process"] == second.headers["Sand-Process"]
    assert (first.json(), second.json(), second.headers["Idempotent-Replayed"]) == (1, 1, "true")
    assert server.call("other", "count", Idempotency_Key="k").status_code == 422
    assert server.call(first.headers["Sand-Process"], "count").json() == 2
    for process, status in (("a", 200), ("a", 200), ("b", 422)):
        assert server.call(process, "count", Idempotency_Key="named").status_code == status
    assert server.http.get(f"{server.root}/b").status_code == 404


def test_a_large_result_is_there_when_its_memory_is_anothers(server: Server) -> None:
    server.make("gives")
    assert server.ask("asks", "late", 200_000) == [True, 200_000]


# What it sent stays, so it is not to run again under its key; and an answer that says `retryable` would free that.
@pytest.mark.parametrize(("error", "status"), [("Overloaded", 429), ("Unavailable", 500), ("Timeout", 504)])
def test_a_function_that_lets_a_refusal_through_has_run_once_under_its_key(server: Server, error: str, status: int) -> None:
    in_process = [server.call(error, "refused", error, Idempotency_Key=f"p-{error}") for _ in range(3)]
    plain = [
        server.http.post("/invoke/contract/refused", json=error, headers={"Idempotency-Key": f"g-{error}"}) for _ in range(3)
    ]
    for answers in (in_process, plain):
        assert len({answer.json()["executionId"] for answer in answers}) == 1
        for answer in answers:
            problem = answer.json()
            told = answer.status_code, problem["error"], problem["source"], problem["retryable"], problem.get("mayHaveRun")
            assert told == (status, f"Sand.{error}", "grain", False, None), problem
            assert "Retry-After" not in answer.headers
    with Process(str(server.http.base_url), "contract", error) as process:
        with pytest.raises(SandError) as failed:
            process.invoke("refused", error)
        assert (failed.value.retryable, process.invoke("ran")) == (False, 2)  # type: ignore[attr-defined]


def test_an_invocation_says_in_which_process_it_ran(server: Server) -> None:
    ran = server.call("recorded", "count").headers["Sand-Execution-Id"]
    other = server.call("recorded-too", "count").headers["Sand-Execution-Id"]
    none = server.http.post("/invoke/contract/none").headers["Sand-Execution-Id"]
    at = server.root.replace("/processes", "/invocations")

    def found(**query: str) -> dict[str, str | None]:
        answer = server.http.get(at, params={"limit": 1000, **query})
        assert answer.status_code == 200, answer.text
        return {one["executionId"]: one.get("process") for one in answer.json()["invocations"]}

    until(lambda: {ran, other, none} <= found().keys(), "all are recorded")
    assert [found()[one] for one in (ran, other, none)] == ["recorded", "recorded-too", None]
    assert found(process="recorded") == {ran: "recorded"}
    assert found(process="nobody") == {}
    assert server.http.get(f"{at}/{ran}").json()["process"] == "recorded"
    assert "process" not in server.http.get(f"{at}/{none}").json()
    assert server.http.get(at, params={"process": "a/b"}).status_code == 400


def test_of_functions_that_wait_for_each_other_no_update_is_lost(server: Server) -> None:
    with ThreadPoolExecutor(8) as clients:
        assert sorted(clients.map(lambda _: server.ask("counted", "count"), range(40))) == list(range(1, 41))


def test_a_process_is_restored_as_it_was_made(server: Server) -> None:
    assert server.http.post(server.root, json={"id": "made", "concurrency": 3}).status_code == 201
    server.step("made", "swap-out")
    again = server.http.post(server.root, json={"id": "made", "concurrency": 7, "memory": "1MiB", "dedicated": True})
    assert (again.status_code, again.json()["status"], again.json()["concurrency"]) == (200, "active", 3)
    assert again.json()["memoryBytes"] == 256 << 20 and "dedicated" not in again.json()
    for id in (7, "", ".", "..", "a/b"):  # what no address can have is no id
        assert server.http.post(server.root, json={"id": id}).status_code == 400, id
    metrics = server.http.get(f"{server.root}/made/metrics").json()
    names = ("connections", "invocations", "failures", "ms", "mbMs", "bytesIn", "bytesOut")
    assert metrics["dataPlane"] == dict.fromkeys(names, 0)


@pytest.mark.parametrize("memory", ["1KiB", 0, (1 << 20) - 1])
def test_a_process_has_memory_to_speak_of(server: Server, memory: str | int) -> None:
    size = 1024 if memory == "1KiB" else memory
    words = f"a process needs at least 1048576 bytes of memory for its state, not {size}"
    asked = server.http.post(server.root, json={"id": "small", "memory": memory})
    assert (asked.status_code, asked.json()["detail"]) == (400, f"'memory': {words}.")
    files = {"sand.yaml": f"name: small\nprocesses: {{memory: {memory}}}\n", "grains/a/handler.py": "def handle(*_): pass\n"}
    headers = {"Content-Type": "application/zip"}
    deployed = server.http.post("/api/v1/applications", content=zipped(files), headers=headers)
    assert deployed.status_code == 422
    assert [(one["pointer"], one["detail"]) for one in deployed.json()["errors"]] == [("/processes/memory", words)]
    assert server.http.post(server.root, json={"id": "least", "memory": "1MiB"}).json()["memoryBytes"] == 1 << 20
    assert server.http.delete(f"{server.root}/least").status_code == 204


def test_a_key_is_any_text(server: Server) -> None:
    server.ask("odd", "odd", ODD)
    server.step("odd", "swap-out")
    assert server.ask("odd", "read", ODD) == []
    for size in (0, 1025):
        refused = server.ask("odd", "bad_key", size)
        assert len(refused) == 3 and all("1024" in one and str(size) in one for one in refused)


@pytest.mark.parametrize("key", ["invoke::k", "invoke::", "invoke:", "invoke:count"])
def test_a_message_that_invokes_names_a_function_and_a_key(server: Server, key: str) -> None:
    assert server.ask("names", "names", key) == [
        "Sand.BadRequest", f"a message that invokes is named invoke:<function>:<key>, not {key}",
    ]  # fmt: skip
    assert server.ask("names", "names", "invoke:nobody:k")[0] == "Sand.UnknownGrain"
    assert server.http.get(f"{server.root}/names").json()["unread"] == 0


def test_a_wrong_argument_is_told_in_the_same_words(server: Server) -> None:
    calls = [
        "p.state(5)",
        "p.recv(timeout='x')",
        "p.send(p.id, b'k', 1)",
        "p.invoke(p.id, None)",
        "p.recv(timeout=float('nan'))",
    ]
    assert server.ask("wrong", "wrong", calls) == [
        ["TypeError", "a key is text, not 5 (int)"],
        ["TypeError", "timeout is seconds, or None, not 'x' (str)"],
        ["TypeError", "a key is text, not b'k' (bytes)"],
        ["TypeError", "function is the name of a grain, not None (NoneType)"],
        ["ValueError", "timeout is seconds, or None, not nan"],
    ]


@pytest.mark.parametrize("id", ["a b", "", "ü", "a/b", "x" * 129, "nobody", ".."])
def test_nothing_is_sent_to_what_is_no_process(server: Server, id: str) -> None:
    """Neither to one that there is not, nor under an id that none can have."""
    calls = [f"p.send({id!r}, 'k', 1)", f"p.invoke({id!r}, 'look').result()"]
    assert [kind for kind, _ in server.ask("wrong", "wrong", calls)] == ["NotFound", "NotFound"]


def test_state_and_mailbox_are_looked_into_and_stay_as_they_are(server: Server) -> None:
    at = f"{server.root}/seen"
    server.ask("seen", "odd", ODD)
    for swaps in (False, True):
        if swaps:
            server.step("seen", "swap-out")
        state = [one for page in pages(server, f"{at}/state", 7) for one in page["state"]]
        assert [one["key"] for one in state] == sorted(ODD, key=str.encode)
        assert {one["contentType"] for one in state} == {"application/json"} and {one["inMemory"] for one in state} == {
            not swaps
        }
        messages = [one for page in pages(server, f"{at}/mailbox", 7) for one in page["messages"]]
        assert [(one["source"], one["key"], one["received"]) for one in messages] == [("seen", key, False) for key in ODD]
        for key, sent in zip(ODD, messages, strict=True):
            value = server.http.get(f"{at}/state/value", params={"key": key})
            assert value.json() == {"state": key} and value.headers["Content-Type"] == "application/json"
            assert server.http.get(f"{at}/mailbox/{sent['number']}").json() == [key]
        assert (server.http.get(at).json()["status"] == "swapped") == swaps
        for there in ("state/value?key=nobody", "mailbox/999999"):
            missing = server.http.get(f"{at}/{there}")
            assert (missing.status_code, missing.json()["type"].split("/")[-1][:8]) == (404, "unknown-"), missing.text
    for wrong in ("state/value", "state?after=", "mailbox?after=x", "mailbox/x", "state?limit=0"):
        assert server.http.get(f"{at}/{wrong}").status_code == 400, wrong
    assert server.http.get(f"{server.root}/nobody/state").json()["type"].endswith("unknown-process")
    assert server.ask("seen", "read", ODD) == []
    assert [server.http.get(f"{at}/{part}").json()[name] for part, name in (("state", "state"), ("mailbox", "messages"))] == [
        [],
        [],
    ]


def pages(server: Server, path: str, limit: int) -> list[dict[str, Any]]:
    found = [server.http.get(path, params={"limit": limit}).json()]
    while found[-1]["next"] is not None:
        found.append(server.http.get(path, params={"limit": limit, "after": found[-1]["next"]}).json())
    return found


def test_a_value_that_is_looked_at_has_a_bound_and_what_a_function_has_received_is_told(server: Server) -> None:
    at = f"{server.root}/holds"
    assert server.ask("holds", "holds", [100_000, 300_000, 0]) is None
    assert server.http.get(f"{at}/state/value", params={"key": "100000"}).content == b"x" * 100_000
    over = server.http.get(f"{at}/state/value", params={"key": "300000"})
    assert (over.status_code, over.json()["limit"], over.json()["actual"]) == (413, 256 << 10, 300_000)
    server.ask("holds", "sends", "<script>alert(1)</script>")
    with ThreadPoolExecutor(1) as clients:
        holding = clients.submit(server.ask, "holds", "holds", [10])
        until(
            lambda: [one["received"] for one in server.http.get(f"{at}/mailbox").json()["messages"]] == [True], "it is received"
        )
        # What a function has written that runs is nobody's yet.
        assert [one["key"] for one in server.http.get(f"{at}/state").json()["state"]] == ["0", "100000", "300000"]
        number = server.http.get(f"{at}/mailbox").json()["messages"][0]["number"]
        message = server.http.get(f"{at}/mailbox/{number}")
        assert message.json() == "<script>alert(1)</script>" and message.headers["Content-Type"] == "application/json"
        holding.result()
    assert server.http.get(f"{at}/mailbox").json()["messages"] == []


@pytest.mark.parametrize(("size", "limit"), [((1 << 30) + 1, 1 << 30), ((1 << 20) + 1, 1 << 20)], ids=["1GB", "mailbox"])
def test_a_message_over_a_limit_is_refused_with_that_and_its_size(server: Server, size: int, limit: int) -> None:
    said, grown_kb = server.ask("large", "large", size)
    assert str(limit) in said and str(size) in said, said
    assert grown_kb < 64 << 10
    assert server.http.get(f"{server.root}/large").json()["unread"] == 0


def test_a_message_that_never_fits_is_told_its_own_size_whatever_else_is_there(server: Server) -> None:
    alone, full = server.ask("filled", "fills")
    assert alone.endswith(f"has a mailbox of {1 << 20} bytes, and this message alone has {(1 << 20) + 1}")
    assert full.endswith(
        f"has a mailbox of {1 << 20} bytes, and this message would make it 1400000; functions that have not ended have received"
        " 1 of its messages, and keep that room until they end"
    )


WRITES = """
def handle(sizes, context):
    for key, size in sizes.items():
        context.process.state(key, "v" * (size - 2))  # in quotes
"""


def test_state_over_its_bound_is_told_with_limit_and_actual(server: Server) -> None:
    files = {"sand.yaml": "name: bounded\nprocesses: {memory: 1MiB, state: 2MiB}\n", "grains/writes/handler.py": WRITES}
    bounded = ProcessServer(str(server.http.base_url), "bounded", files)

    def refused(sizes: dict[str, int]) -> tuple[Any, ...]:
        said = bounded.call("p", "writes", sizes)
        return said.status_code, said.json()["error"], said.json().get("limit"), said.json().get("actual")

    assert refused({"x": 1 << 20}) == (500, "Sand.TooLarge", 1 << 20, (1 << 20) + 1)
    for key in ("a", "b"):
        bounded.ask("p", "writes", {key: 900_000})
    assert refused({"c": 900_000}) == (500, "Sand.TooLarge", 2 << 20, 3 * 900_001)
    assert bounded.http.get(f"{bounded.root}/p").json()["stateKeys"] == 2


def test_the_path_that_was_asked_for_is_told(server: Server) -> None:
    for path in (f"{server.root}/count", f"{server.root}/count".replace("/apps/", "/applications/")):
        said = server.http.put(path)
        assert (said.status_code, said.json()["detail"]) == (405, f"{path} answers DELETE, GET, not PUT.")


def test_a_receiver_that_nobody_can_send_to_while_it_waits_waits_no_longer_than_it_said(server: Server) -> None:
    server.ask("one", "waits", 0)
    with ThreadPoolExecutor(2) as clients:
        waiting = clients.submit(server.ask, "one", "waits", 1)
        until(lambda: server.http.get(f"{server.root}/one").json()["running"] == 1, "it waits")
        sending = clients.submit(server.ask, "one", "sends", "x")
        assert waiting.result() == {"got": None}
        sending.result()
    assert server.ask("one", "waits", 0) == {"got": "x"}
    assert server.call("one", "waits", Sand_Timeout="3s").json() == "Timeout"


def test_a_killed_process_writes_nothing_into_its_namesakes_log(server: Server) -> None:
    def log() -> list[str]:
        found = server.http.get(f"{server.root}/talker/logs?limit=1000").json()
        return [line["text"] for line in found.get("lines", [])]  # none: it is on its way

    for _ in range(3):
        with ThreadPoolExecutor(1) as clients:
            talking = clients.submit(server.call, "talker", "talks", 20)
            until(lambda: "of the first" in log(), "it talks")
            assert server.http.delete(f"{server.root}/talker").status_code == 204
            assert server.ask("talker", "talks", 0) is None
            assert talking.result().status_code != 200
        until(lambda: "of the next" in log(), "its namesake has")
        assert set(log()) == {"of the next"}
        assert server.http.delete(f"{server.root}/talker").status_code == 204


def test_a_function_that_is_killed_in_its_middle_has_changed_nothing_but_what_it_sent(platform: Server) -> None:
    platform.ask("sink", "look")
    platform.ask("victim", "sends", "x")
    assert platform.call("victim", "half", "function").status_code == 500
    assert platform.ask("victim", "look") == {"keys": [], "messages": [["later", "x"], ["again", True]]}
    assert platform.ask("sink", "look")["messages"] == [["k", "victim"]]


def test_a_function_whose_worker_is_killed_in_its_middle_runs_again_as_if_for_the_first_time(platform: Server) -> None:
    platform.ask("sink", "look")
    platform.ask("orphan", "sends", "x")
    assert platform.ask("orphan", "half", "worker") == "whole"
    assert platform.ask("orphan", "look") == {"keys": ["half"], "messages": []}
    assert platform.ask("sink", "look")["messages"] == [["k", "orphan"]]
