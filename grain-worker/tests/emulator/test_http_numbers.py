"""Numbers in a request that are none, or have more digits than Python reads: a mistake of the caller's, and never of the
emulator's."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest
from served import Served

from sand.emulator.emulator import Emulator
from sand.emulator.inline import InlineGrains

AT = "/api/v1/applications/app"
MANY = "9" * 5000


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with Emulator(make=InlineGrains) as emulator:
        one = Served(emulator, tmp_path_factory.mktemp("app"))
        one.grain("echo", "def handle(event, context):\n    return event\n")
        one.load()
        yield one
        one.http.close()


@pytest.mark.parametrize("text", ["--5", MANY, "5-", "٣", "1_0", " 5"])
def test_a_limit_that_is_no_number_is_refused(served: Served, text: str) -> None:
    told = served.http.get(f"{AT}/invocations", params={"limit": text}).json()
    detail = f"Query parameter 'limit' is a number from 1 to 1000, not '{text}'."
    assert (told["status"], told["detail"], told["pointer"]) == (400, detail, "/query/limit")


def test_a_limit_may_have_a_sign(served: Served) -> None:
    assert served.http.get(f"{AT}/invocations", params={"limit": "+5"}).status_code == 200


@pytest.mark.parametrize("version", [MANY, "٣", "1_0"])
def test_a_version_that_is_no_number_is_not_there(served: Served, version: str) -> None:
    assert served.http.get(f"{AT}/versions/{version}").json()["type"].endswith("/unknown-version")


def test_a_tag_that_no_version_has_is_refused(served: Served) -> None:
    def put(tag: str) -> tuple[int, str]:
        told = served.http.put(f"{AT}/data/value", params={"key": "a"}, content=b"1", headers={"If-Match": tag}).json()
        return told["status"], told["detail"]

    assert put(f'"{2**63}"') == (400, f"No value has a version like {2**63}.")
    assert put(f'"{2**63 - 1}"') == (412, "There is no value of this key.")


@pytest.mark.parametrize(
    ("headers", "body"),
    [
        (f"Content-Length: {MANY}", ""),
        ("Transfer-Encoding: chunked", "-5\r\n"),
        ("Transfer-Encoding: chunked", "0x5\r\n"),
        ("Transfer-Encoding: chunked", f"{MANY}\r\n"),
    ],
)
def test_a_length_that_is_none_is_refused_at_once(served: Served, headers: str, body: str) -> None:
    host, port = served.http.base_url.host, served.http.base_url.port
    with socket.create_connection((host, port or 0), timeout=20) as client:
        client.sendall(f"POST /invoke/app/echo HTTP/1.1\r\nHost: {host}:{port}\r\n{headers}\r\n\r\n{body}".encode())
        assert client.recv(1 << 16).startswith(b"HTTP/1.1 400 ")
