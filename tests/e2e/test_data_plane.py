"""Cloud processes over the data plane: the Python client against the platform, and what nobody should send to it."""

import socket
import struct
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
from conftest import Tested
from sand.client import Denied, InvocationFailed, NotFound, Process, Timeout, frames
from sand.client.calls import new_id

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


@pytest.fixture(scope="module", autouse=True)
def deployed(tested: Tested) -> None:
    assert tested.deploy_files(APPLICATION).status_code == 201


@pytest.fixture
def process(tested: Tested) -> Iterator[Process]:
    with Process(tested.server, "plane", f"p-{time.time_ns()}") as made:
        yield made


def place(tested: Tested, process: str, **body: Any) -> dict[str, Any]:
    response = tested.http.post(f"/api/v1/apps/plane/processes/{process}/connect", json=body)
    assert response.status_code == 200, response.text
    return response.json()


class Raw:
    """A connection in a test's hands."""

    def __init__(self, address: str) -> None:
        host, port = address.split(":")
        self.socket = socket.create_connection((host, int(port)), 20)
        self.reader = frames.Reader(self.socket.recv_into, lambda request, count: None)

    def send(self, *all_frames: Any) -> None:
        self.socket.sendall(b"".join(frame if isinstance(frame, bytes) else frames.encode(frame) for frame in all_frames))

    def hello(self, grant: str) -> Any:
        self.send(frames.PREFACE, frames.Hello(1, grant, "test"))
        return self.reader.next()

    def invoke(self, request: int, function: str, data: bytes, size: int | None = None) -> frames.Invoke:
        size = len(data) if size is None else size
        id = new_id(time.time_ns() // 1_000_000)
        return frames.Invoke(request, id, False, 0, function, "application/octet-stream", size, data)

    def ends(self) -> None:
        """The host hangs up, whatever it still says."""
        try:
            while self.socket.recv(1 << 20):
                pass
        except ConnectionResetError:
            pass


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


def test_it_is_the_process_that_http_knows(process: Process, tested: Tested) -> None:
    assert process.invoke("count") == 1
    headers = {"Sand-Process": process.id}
    answer = tested.http.post("/api/v1/apps/plane/processes/invoke?function=count", json=0, headers=headers)
    assert answer.json() == 2
    assert process.invoke("count") == 3


def test_a_thousand_at_once_on_one_connection(process: Process) -> None:
    futures = [process.submit("echo", number) for number in range(1000)]
    assert [future.result() for future in futures] == list(range(1000))
    assert process.reconnects == 0


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


def test_a_killed_process_ends_what_it_ran_and_who_was_connected(process: Process, tested: Tested) -> None:
    grant = place(tested, process.id)
    running = process.submit("slow", 30)
    time.sleep(0.3)
    assert tested.http.delete(f"/api/v1/apps/plane/processes/{process.id}").status_code == 204
    with pytest.raises((InvocationFailed, NotFound)):
        running.result(20)
    refused = Raw(grant["address"]).hello(grant["grant"])
    assert isinstance(refused, frames.Refused) and refused.error == "Sand.NotFound"
    assert process.invoke("count") == 1  # anew


def test_an_unknown_application_and_function(process: Process, tested: Tested) -> None:
    with pytest.raises(Exception, match="has no grain nobody"):
        process.invoke("nobody")
    with pytest.raises(NotFound), Process(tested.server, "no-such-application", "p"):
        pass


def test_a_grant_names_what_may_be_invoked(tested: Tested) -> None:
    with Process(tested.server, "plane", "narrow", functions=["echo"]) as narrow:
        assert narrow.invoke("echo", 1) == 1
        with pytest.raises(Denied):
            narrow.invoke("count")


def test_forged_expired_and_foreign_grants_open_nothing(tested: Tested) -> None:
    good = place(tested, "p", ttl=1)
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
def test_what_is_no_client_is_sent_away(tested: Tested, stream: bytes) -> None:
    raw = Raw(place(tested, "p")["address"])
    raw.send(stream)
    raw.ends()


def test_half_a_frame_hurts_nobody(tested: Tested, process: Process) -> None:
    here = place(tested, process.id)
    raw = Raw(here["address"])
    assert isinstance(raw.hello(here["grant"]), frames.Welcome)
    raw.send(frames.encode(raw.invoke(1, "echo", b"x" * 1000))[:-500])
    raw.socket.close()
    assert process.invoke("echo", 1) == 1


def test_a_gigabyte_is_refused_by_its_announced_size(tested: Tested) -> None:
    here = place(tested, "p")
    raw = Raw(here["address"])
    raw.hello(here["grant"])
    raw.send(raw.invoke(1, "echo", b"", 1 << 30))
    failed = raw.reader.next()
    assert isinstance(failed, frames.Failed) and failed.error == "Sand.TooLarge"
    raw.send(frames.Part(1, bytes(1 << 19)), raw.invoke(2, "echo", b"abc"))  # what still comes is dropped
    assert raw.reader.next().first == b"abc"
    raw.send(struct.pack(">IBQ", (1 << 30) + 9, frames.PART, 2))
    assert isinstance(raw.reader.next(), frames.GoAway)


def test_a_client_that_never_reads_is_not_read_from(tested: Tested, process: Process) -> None:
    here = place(tested, process.id)
    raw = Raw(here["address"])
    raw.hello(here["grant"])
    raw.socket.settimeout(3)
    with pytest.raises(TimeoutError):
        for request in range(1, 100_000):
            raw.send(raw.invoke(request, "echo", bytes(60_000)))
    assert request < 2_500  # and with it what is kept for it
    assert process.invoke("echo", 1) == 1
    raw.socket.close()


def test_a_function_is_cancelled(tested: Tested) -> None:
    here = place(tested, "p")
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
