"""For how long the emulator's data plane waits for a client that says nothing, not all of an input, or reads nothing; and for
how many clients."""

from __future__ import annotations

import socket
import time
from typing import Any

import pytest
from process_apps import AT, Apps

from sand.client import frames
from sand.client.calls import new_id
from sand.emulator import data_plane, data_plane_wire

pytestmark = pytest.mark.slow


class Client:
    def __init__(self, apps: Apps, process: str = "p") -> None:
        here = apps.http.post(f"{AT}/{process}/connect", json={}).json()
        host, port = here["address"].split(":")
        self.socket = socket.create_connection((host, int(port)), 20)
        self.reader = frames.Reader(self.socket.recv_into, lambda request, count: None)
        self.send(frames.PREFACE, frames.encode(frames.Hello(1, here["grant"], "test")))
        self.first: Any = self.reader.next()

    def send(self, *data: bytes) -> None:
        self.socket.sendall(b"".join(data))


@pytest.fixture
def client(served: Any, monkeypatch: pytest.MonkeyPatch) -> Client:
    monkeypatch.setattr(data_plane, "_IDLE_SECONDS", 1)
    client = Client(Apps(served).load())
    assert isinstance(client.first, frames.Welcome)
    return client


def test_a_client_that_says_nothing_is_told_so(client: Client) -> None:
    assert client.reader.next() == frames.GoAway("Sand.Timeout", "nothing was heard for 1000 ms")
    with pytest.raises(EOFError):
        client.reader.next()


def test_an_input_that_stops_coming_is_given_up(client: Client) -> None:
    id = new_id(time.time_ns() // 1_000_000)
    client.send(frames.encode(frames.Invoke(1, id, False, 0, "do", "application/octet-stream", 100_000, b"")))
    frame: Any = None
    for number in range(30):
        client.send(frames.encode(frames.Ping(number)))
        frame = client.reader.next()
        if not isinstance(frame, frames.Pong):
            break
        time.sleep(0.1)
    assert (frame.error, frame.cause, frame.retryable) == ("Sand.Timeout", "of its input nothing came for 1000 ms", True)


def test_a_client_that_reads_nothing_is_cut_off(served: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(data_plane_wire, "_UNREAD_SECONDS", 1)
    apps = Apps(served).load()
    assert apps.create(id="p").status_code == 201
    client = Client(apps)

    def use(figure: str) -> int:
        return apps.http.get(f"{AT}/p/metrics").json()["dataPlane"][figure]

    id = new_id(time.time_ns() // 1_000_000)
    do = b'{"do": "out = bytes(32 << 20)"}'
    client.send(frames.encode(frames.Invoke(1, id, False, 0, "do", "application/json", len(do), do)))
    apps.until(lambda: use("invocations") == 1)
    apps.until(lambda: use("connections") == 0)


def test_an_application_has_so_many_connections_and_no_more(served: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(data_plane, "CONNECTIONS", 2)
    apps = Apps(served).load()
    clients = [Client(apps, "p"), Client(apps, "q")]
    assert all(isinstance(client.first, frames.Welcome) for client in clients)
    cause = "this host takes at most 2 connections that are app's"
    assert Client(apps, "r").first == frames.Refused("Sand.Overloaded", cause, True)
    clients[0].socket.close()
    apps.until(lambda: isinstance(Client(apps, "r").first, frames.Welcome))
