"""Cloud processes over the data plane, of the platform and of the emulator: the Python client, and what nobody should send."""

import struct
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest
from conftest import Tested, sandbox_option, until, zipped
from raw_connections import Raw, WebSocket
from sand.client import Denied, InvocationFailed, NotFound, Process, Timeout, frames
from sand.command.local import LocalPlatform

pytestmark = pytest.mark.slow

APPLICATION = {
    "sand.yaml": "name: plane\nprocesses: {concurrency: 64, queue: 2000}\n",
    "grains/echo/handler.py": "def handle(event, context):\n    return event\n",
    "grains/boom/handler.py": "def handle(event, context):\n    raise ValueError('boom')\n",
    "grains/slow/handler.py": (
        "import time\ndef handle(event, context):\n    time.sleep(event)\n    return context.process.id\n"
    ),
    "grains/count/handler.py": (
        "import time\ndef handle(event, context):\n    p = context.process\n    n = p.state('n', default=0) + 1\n"
        "    p.state('n', n)\n    time.sleep(event or 0)\n    return n\n"
    ),
    "grains/zeros/handler.py": "def handle(event, context):\n    return bytes(event)\n",
}


class Plane:
    """A platform, or an emulator, that has the application."""

    def __init__(self, server: str) -> None:
        self.server = server
        self.http = httpx.Client(base_url=server, timeout=60, trust_env=False)
        headers = {"Content-Type": "application/zip"}
        deployed = self.http.post("/api/v1/applications", content=zipped(APPLICATION), headers=headers)
        assert deployed.status_code in (200, 201), deployed.text


@pytest.fixture(scope="module")
def plane(either: str) -> Plane:
    return Plane(either)


@pytest.fixture
def process(plane: Plane) -> Iterator[Process]:
    with Process(plane.server, "plane", f"p-{time.time_ns()}") as made:
        yield made


def place(plane: Plane, process: str, **body: Any) -> dict[str, Any]:
    response = plane.http.post(f"/api/v1/apps/plane/processes/{process}/connect", json=body)
    assert response.status_code == 200, response.text
    return response.json()


@pytest.mark.parametrize("value", [None, {"a": [1, "é"]}, b"", b"\0\1", bytes(70_000), "x" * 200_000])
def test_values_go_there_and_back(process: Process, value: Any) -> None:
    found = process.invoke("echo", value)
    assert (bytes(found) if isinstance(found, memoryview) else found) == value


def test_a_large_value_goes_there_and_back(process: Process) -> None:
    value = bytes(range(256)) * (64 << 12)  # 64 MiB
    assert bytes(process.invoke("echo", value)) == value


def test_an_array_goes_there_and_back(process: Process) -> None:
    numpy = pytest.importorskip("numpy")
    array = numpy.arange(100_000, dtype=numpy.float64).reshape(100, 1000)
    try:
        assert (process.invoke("echo", array) == array).all()
    except InvocationFailed as failed:
        assert "numpy" in str(failed)  # the sandbox has none


def test_a_functions_error_is_its_own(process: Process) -> None:
    with pytest.raises(InvocationFailed, match="boom") as failed:
        process.invoke("boom")
    assert failed.value.error == "ValueError"
    with pytest.raises(Timeout):
        process.invoke("slow", 5, timeout=0.3)


def test_it_is_the_process_that_http_knows(process: Process, plane: Plane) -> None:
    assert process.invoke("count") == 1
    headers = {"Sand-Process": process.id}
    answer = plane.http.post("/api/v1/apps/plane/processes/invoke?function=count", json=0, headers=headers)
    assert answer.json() == 2
    assert process.invoke("count") == 3


def test_a_thousand_at_once_on_one_connection(process: Process) -> None:
    futures = [process.submit("echo", number) for number in range(1000)]
    assert [future.result() for future in futures] == list(range(1000))
    assert process.reconnects == 0


@pytest.mark.parametrize(("concurrency", "told"), [(None, 5), (6, 9)])
def test_who_submits_more_than_the_process_takes_waits_and_is_not_refused(
    plane: Plane, concurrency: int | None, told: int
) -> None:
    files = APPLICATION | {"sand.yaml": "name: narrow\nprocesses: {concurrency: 2, queue: 3}\n"}
    headers = {"Content-Type": "application/zip"}
    plane.http.post("/api/v1/applications", content=zipped(files), headers=headers)
    id = f"p-{time.time_ns()}"
    assert plane.http.post("/api/v1/apps/narrow/processes", json={"id": id, "concurrency": concurrency}).status_code == 201
    with Process(plane.server, "narrow", id) as process:
        assert process._connection is not None and process._connection.welcome.in_flight == told
        futures = [process.submit("echo", number) for number in range(300)]
        assert [future.result() for future in futures] == list(range(300))
        large = [process.submit("echo", bytes(100_000)) for _ in range(50)]
        assert all(len(future.result()) == 100_000 for future in large)


def test_two_clients_share_what_the_process_takes(plane: Plane) -> None:
    files = APPLICATION | {"sand.yaml": "name: narrow\nprocesses: {concurrency: 2, queue: 3}\n"}
    headers = {"Content-Type": "application/zip"}
    plane.http.post("/api/v1/applications", content=zipped(files), headers=headers)
    with Process(plane.server, "narrow", "two") as one, Process(plane.server, "narrow", "two") as other:
        futures = [client.submit("slow", 1) for _ in range(5) for client in (one, other)]
        ended = [future.exception() for future in futures]
    assert {type(one).__name__ for one in ended if one is not None} == {"Overloaded"}
    assert sum(one is None for one in ended) == 5


def test_threads_share_a_process(process: Process) -> None:
    found: list[int] = []
    threads = [threading.Thread(target=lambda: found.append(process.invoke("count"))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8


def test_small_answers_pass_a_large_one(process: Process) -> None:
    large = process.submit("echo", bytes(128 << 20))
    assert [process.invoke("echo", number) for number in range(20)] == list(range(20))
    assert len(large.result()) == 128 << 20


def test_what_was_not_answered_is_asked_for_again_and_runs_once(process: Process) -> None:
    assert process.invoke("count") == 1
    futures = [process.submit("slow", 0.5) for _ in range(4)]
    counted = process.submit("count", 0.5)
    time.sleep(0.2)
    process._connection._wire.close()  # type: ignore[union-attr]
    assert [future.result() for future in futures] == [process.id] * 4
    assert counted.result() == 2
    assert process.invoke("count") == 3
    assert process.reconnects == 1


def test_a_result_that_is_cut_in_its_middle_comes_again(process: Process) -> None:
    connection = process._connection
    assert connection is not None
    cut = threading.Event()
    place = connection._reader._place

    def hang_up(request: int, count: int) -> memoryview | None:
        if not cut.is_set():
            cut.set()
            connection._wire.close()
        return place(request, count)

    connection._reader._place = hang_up
    assert len(process.invoke("zeros", 8 << 20)) == 8 << 20
    assert cut.is_set()
    assert process.reconnects == 1


def test_a_killed_process_ends_what_it_ran_and_who_was_connected(process: Process, plane: Plane) -> None:
    grant = place(plane, process.id)
    running = process.submit("slow", 30)
    time.sleep(0.3)
    assert plane.http.delete(f"/api/v1/apps/plane/processes/{process.id}").status_code == 204
    with pytest.raises((InvocationFailed, NotFound)):
        running.result(20)
    refused = Raw(grant["address"]).hello(grant["grant"])
    assert isinstance(refused, frames.Refused) and refused.error == "Sand.NotFound"
    assert process.invoke("count") == 1  # anew


def test_a_killed_process_stays_killed_until_somebody_calls_again(process: Process, plane: Plane) -> None:
    at = f"/api/v1/apps/plane/processes/{process.id}"
    assert process.invoke("count") == 1
    for connections in (1, 2):
        assert plane.http.delete(at).status_code == 204
        until(lambda least=connections: process.reconnects >= least, "the idle client is there again")
        assert plane.http.get(at).status_code == 404
        assert plane.http.delete(at).status_code == 404
        # And nobody is in the way of whoever makes one.
        made = plane.http.post("/api/v1/apps/plane/processes", json={"id": process.id, "concurrency": connections})
        assert made.status_code == 201, made.text
    assert plane.http.get(at).json()["concurrency"] == 2
    assert plane.http.delete(at).status_code == 204
    assert process.invoke("count") == 1
    assert plane.http.get(at).status_code == 200


def test_a_process_is_made_by_who_says_so_or_by_its_first_invocation(plane: Plane) -> None:
    id = f"made-{time.time_ns()}"
    at = f"/api/v1/apps/plane/processes/{id}"
    here = place(plane, id)
    raw = Raw(here["address"])
    assert isinstance(raw.hello(here["grant"]), frames.Welcome)
    assert plane.http.get(at).status_code == 404
    raw.send(raw.invoke(1, "echo", b"x"))
    assert raw.reader.next().first == b"x"
    assert plane.http.get(at).status_code == 200
    assert plane.http.post(f"{at}-2/connect?create=true").status_code == 200
    assert plane.http.get(f"{at}-2").status_code == 200
    assert plane.http.post(f"{at}-3/connect?create=perhaps").status_code == 400


def test_clients_that_connect_at_once_all_find_the_process(plane: Plane) -> None:
    clients = [httpx.Client(base_url=plane.server, timeout=60, trust_env=False) for _ in range(8)]
    at_once = threading.Barrier(len(clients))

    def connect(client: httpx.Client, id: str) -> str:
        at_once.wait(60)
        answer = client.post(f"/api/v1/apps/plane/processes/{id}/connect?create=true")
        return "" if answer.status_code == 200 else answer.text

    with ThreadPoolExecutor(len(clients)) as pool:
        for turn in range(20):
            told = list(pool.map(connect, clients, [f"at-once-{time.time_ns()}"] * len(clients)))
            assert told == [""] * len(clients), turn


def test_an_unknown_application_and_function(process: Process, plane: Plane) -> None:
    with pytest.raises(Exception, match="has no grain nobody"):
        process.invoke("nobody")
    with pytest.raises(NotFound), Process(plane.server, "no-such-application", "p"):
        pass


def test_a_wrong_argument_of_the_client_is_told_in_words_of_ours(process: Process, plane: Plane) -> None:
    with pytest.raises(TypeError, match="function is the name of a grain, not None"):
        process.invoke(None)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="timeout is seconds, or None, not 'x'"):
        process.submit("echo", 1, timeout="x")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="process is text, not 5"):
        Process(plane.server, "plane", 5)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="functions is a list of names"):
        Process(plane.server, "plane", "p", functions="echo")  # type: ignore[arg-type]
    assert process.invoke("echo", 1, timeout=float("inf")) == process.invoke("echo", 1, timeout=None) == 1


def test_a_grant_names_what_may_be_invoked(plane: Plane) -> None:
    with Process(plane.server, "plane", "narrow", functions=["echo"]) as narrow:
        assert narrow.invoke("echo", 1) == 1
        with pytest.raises(Denied):
            narrow.invoke("count")
        assert narrow.invoke("echo", 2) == 2 and narrow.reconnects == 0  # that invocation alone was refused
    with pytest.raises(Exception, match="'functions' is empty"), Process(plane.server, "plane", "narrow", functions=[]) as none:
        none.invoke("echo", 1)


@pytest.mark.parametrize("rights", [[], ["own"], ["invoke", "own"], "invoke", ["invoke"], None])
def test_a_grant_has_the_rights_that_there_are(plane: Plane, rights: Any) -> None:
    asked = plane.http.post("/api/v1/apps/plane/processes/p/connect", json={"rights": rights})
    if rights not in (["invoke"], None):
        assert asked.status_code == 400 and "'rights' is" in asked.json()["detail"]
        return
    here = asked.json()
    raw = Raw(here["address"])
    raw.hello(here["grant"])
    raw.send(raw.invoke(1, "echo", b"x"))
    assert raw.reader.next().first == b"x"


def test_forged_expired_and_foreign_grants_open_nothing(plane: Plane) -> None:
    good = place(plane, "p", ttl=1)
    forged = good["grant"][:40] + ("A" if good["grant"][40] != "A" else "B") + good["grant"][41:]
    for grant, words in ((forged, "not signed"), ("AAAA", "no grant"), (good["grant"][:-4], "not signed")):
        refused = Raw(good["address"]).hello(grant)
        assert isinstance(refused, frames.Refused) and words in refused.cause and not refused.retryable
    time.sleep(1.2)
    expired = Raw(good["address"]).hello(good["grant"])
    assert isinstance(expired, frames.Refused) and "expired" in expired.cause and expired.retryable


@pytest.mark.parametrize(
    "stream",
    [
        b"garbage of any kind, at length",
        b"GET /elsewhere HTTP/1.1\r\nHost: x\r\n\r\n",
        frames.PREFACE + b"\xff\xff\xff\xff\x01",
        frames.PREFACE + b"\0\0\0\0\0",
        frames.PREFACE + frames.encode(frames.Ping(1)),
        frames.PREFACE + frames.encode(frames.Hello(2, "x", "y")),
    ],
)
def test_what_is_no_client_is_sent_away(plane: Plane, stream: bytes) -> None:
    raw = Raw(place(plane, "p")["address"])
    raw.send(stream)
    raw.ends()


def test_half_a_frame_hurts_nobody(plane: Plane, process: Process) -> None:
    here = place(plane, process.id)
    raw = Raw(here["address"])
    assert isinstance(raw.hello(here["grant"]), frames.Welcome)
    raw.send(frames.encode(raw.invoke(1, "echo", b"x" * 1000))[:-500])
    raw.socket.close()
    assert process.invoke("echo", 1) == 1


def test_a_gigabyte_is_refused_by_its_announced_size(plane: Plane) -> None:
    here = place(plane, "p")
    raw = Raw(here["address"])
    raw.hello(here["grant"])
    raw.send(raw.invoke(1, "echo", b"", 1 << 30))
    failed = raw.reader.next()
    assert isinstance(failed, frames.Failed) and failed.error == "Sand.TooLarge"
    raw.send(frames.Part(1, bytes(1 << 19)), raw.invoke(2, "echo", b"abc"))  # what still comes is dropped
    assert raw.reader.next().first == b"abc"
    raw.send(struct.pack(">IBQ", (1 << 30) + 9, frames.PART, 2))
    assert isinstance(raw.reader.next(), frames.GoAway)


def test_a_client_that_never_reads_is_not_read_from(plane: Plane, process: Process) -> None:
    here = place(plane, process.id)
    raw = Raw(here["address"])
    raw.hello(here["grant"])
    raw.socket.settimeout(3)
    with pytest.raises((TimeoutError, ConnectionError)):
        for request in range(1, 100_000):
            raw.send(raw.invoke(request, "echo", bytes(60_000)))
    assert request < 3_000  # and with it what is kept for it
    assert process.invoke("echo", 1) == 1
    raw.socket.close()


def test_what_passes_is_counted_by_process(plane: Plane, process: Process) -> None:
    process.invoke("echo", bytes(100_000))
    with pytest.raises(InvocationFailed):
        process.invoke("boom", 1)
    use = plane.http.get(f"/api/v1/apps/plane/processes/{process.id}/metrics").json()["dataPlane"]
    assert use.pop("quietMs") >= 0 and use.pop("ms") >= 0 and use.pop("mbMs") >= 0
    assert use == {"connections": 1, "invocations": 2, "failures": 1, "bytesIn": 100_001, "bytesOut": 100_000}


def test_what_passes_is_counted_by_application(tested: Tested) -> None:
    plane = Plane(tested.server)
    with Process(plane.server, "plane", "counted") as process:
        before = figures(plane)
        process.invoke("echo", bytes(100_000))
        with pytest.raises(InvocationFailed):
            process.invoke("boom", 1)
        after = figures(plane)
    changed = {name: after[name] - before.get(name, 0) for name in after if after[name] != before.get(name, 0)}
    took = changed.pop("invocation_seconds_total{}")
    assert took > 0
    assert changed == {
        "invocations_total{succeeded}": 1, "invocations_total{failed}": 1,
        "bytes_total{in}": 100_001, "bytes_total{out}": 100_000,
    }  # fmt: skip
    assert after["connections{}"] >= 1


def figures(plane: Plane) -> dict[str, float]:
    """Of the application, by their names and what is told apart."""
    found = {}
    for line in plane.http.get("/metrics").text.splitlines():
        if line.startswith("sand_data_plane_") and 'application="plane"' in line:
            name, _, rest = line.removeprefix("sand_data_plane_").partition("{")
            labels, _, value = rest.partition("} ")
            kinds = [label.split("=")[1].strip('"') for label in labels.split(",") if not label.startswith("application=")]
            found[f"{name}{{{','.join(kinds)}}}"] = float(value)
    return found


def test_a_function_is_cancelled(plane: Plane) -> None:
    here = place(plane, "p")
    raw = Raw(here["address"])
    raw.hello(here["grant"])
    asked = raw.invoke(5, "slow", b"30")._replace(content_type="application/json")
    raw.send(asked)
    time.sleep(0.3)
    raw.send(frames.Cancel(5))
    failed = raw.reader.next()
    assert isinstance(failed, frames.Failed) and failed.status == "CANCELLED"
    raw.send(asked._replace(request=6, repeated=True))
    assert raw.reader.next().status == "CANCELLED"  # and stays so


def test_a_host_agent_that_is_killed_and_started_again_answers_what_was_under_way() -> None:
    with LocalPlatform(*sandbox_option()) as local:
        plane = Plane(local.server)
        with Process(plane.server, "plane", "lasting") as process:
            assert process.invoke("echo", 1) == 1
            under_way = [process.submit("slow", 2, timeout=120) for _ in range(5)]
            large = process.submit("zeros", 1 << 20, timeout=120)
            time.sleep(0.5)
            local.kill()
            meanwhile = process.submit("echo", "sent while nobody is there", timeout=120)
            local.start()
            assert [one.result() for one in under_way] == ["lasting"] * 5
            assert meanwhile.result() == "sent while nobody is there"
            assert len(large.result()) == 1 << 20
            assert process.reconnects >= 1


def test_a_websocket_is_a_connection_too(plane: Plane) -> None:
    here = place(plane, "ws")
    assert here["websocket"] == f"ws://{here['address']}/data"
    raw = WebSocket(here["address"])
    assert isinstance(raw.hello(here["grant"]), frames.Welcome)
    raw.send(raw.invoke(1, "echo", b"x" * 5000))
    assert raw.reader.next().first == b"x" * 5000
    value = bytes(range(256)) * 600
    raw.send(raw.invoke(2, "echo", b"", len(value)), frames.Part(2, value[:100_000]), frames.Part(2, value[100_000:]))
    assert raw.reader.next().size == len(value)
    assert isinstance(raw.reader.next(), frames.Part)
    assert bytes(raw.memory[: len(value)]) == value


def test_text_messages_are_refused(plane: Plane) -> None:
    raw = WebSocket(place(plane, "ws")["address"])
    raw.message(1, b"hello")
    with pytest.raises(EOFError) as ended:
        raw.reader.next()
    assert ended.value.args == (1003,)
