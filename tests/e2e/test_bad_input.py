"""Requests that cannot work: each is told why, with a problem that a program can read, and nothing else is disturbed."""

import socket

import pytest
from conftest import Tested, is_problem, until


@pytest.mark.parametrize(
    ("target", "detail"),
    [
        ("nobody/echo", "nobody"),
        ("probe/nothing", "nothing"),
        ("probe/echo@999", "999"),
        ("probe/echo@no-such-alias", "no-such-alias"),
    ],
)
@pytest.mark.parametrize("prefer", ["", "respond-async"])
def test_what_is_not_there_is_refused_before_anything_is_accepted(probe: Tested, target, detail, prefer):
    problem = is_problem(probe.invoke(target, {}, Prefer=prefer), 404)
    assert detail in problem["detail"]


@pytest.mark.parametrize("body", [b"{", b'{"a": }', b"", b"[1,", b'{"a": 1} 2', b"\xff\xfe"])
def test_malformed_json_is_refused(probe: Tested, body):
    response = probe.http.post("/invoke/probe/echo", content=body, headers={"Content-Type": "application/json"})
    if body == b"":
        assert response.status_code in (200, 400)
    else:
        is_problem(response, 400)
    assert probe.ask("probe/echo", [1]) == [1]


def test_a_body_over_the_limit_is_refused_with_limit_and_size(probe: Tested):
    size = 300 << 20
    headers = {"Content-Type": "application/octet-stream", "Content-Length": str(size)}

    def body():
        try:
            for _ in range(size >> 20):
                yield b"x" * (1 << 20)
        except GeneratorExit:
            return

    response = probe.http.post("/invoke/probe/echo", content=body(), headers=headers)
    problem = is_problem(response, 413)
    assert problem["actual"] == size
    assert 0 < problem["limit"] < size


def test_a_chunked_body_over_the_limit_is_refused_too(probe: Tested):
    chunks = (b"x" * (1 << 20) for _ in range(64))
    response = probe.http.post("/invoke/probe/echo", content=chunks, headers={"Content-Type": "application/octet-stream"})
    is_problem(response, 413)


@pytest.mark.parametrize(
    "path", ["/invoke/pro%2Fbe/echo", "/invoke/../etc/passwd", "/invoke/probe/%00", "/invoke/probe", "/invoke/"]
)
def test_odd_names_are_not_found(probe: Tested, path):
    with socket.create_connection(("127.0.0.1", probe.local.port), 10) as raw:
        raw.sendall(f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{{}}".encode())
        answer = raw.makefile("rb").read()
    status = int(answer.split()[1])
    assert status in (400, 404), answer
    assert b"application/problem+json" in answer


@pytest.mark.parametrize(
    ("header", "value"),
    [("Sand-Timeout", "soon"), ("Sand-Timeout", "-1s"), ("Prefer", "wait=never"), ("Idempotency-Key", "k" * 300)],
)
def test_a_header_that_means_nothing_is_refused(probe: Tested, header, value):
    is_problem(probe.http.post("/invoke/probe/echo", json={}, headers={header: value}), 400)


def test_the_wrong_method_says_which_are_right(probe: Tested):
    response = probe.http.put("/api/v1/applications/probe/versions")
    is_problem(response, 405)
    assert "GET" in response.headers["allow"]


def test_a_client_that_hangs_up_leaves_nothing_behind(probe: Tested):
    for _ in range(5):
        with socket.create_connection(("127.0.0.1", probe.local.port), 10) as raw:
            body = b'{"seconds": 15}'
            raw.sendall(b"POST /invoke/probe/sleep HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n")
            raw.sendall(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
            until(lambda: probe.running("probe", "sleep"), "the request runs")
    until(lambda: not probe.running("probe", "sleep"), "what nobody waits for is ended", 12)
    assert probe.ask("probe/echo", "still here") == "still here"


def test_a_client_that_sends_half_a_request_does_not_hold_up_others(probe: Tested):
    halves = []
    for _ in range(50):
        raw = socket.create_connection(("127.0.0.1", probe.local.port), 10)
        raw.sendall(b"POST /invoke/probe/echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{")
        halves.append(raw)
    assert probe.ask("probe/echo", 1) == 1
    for raw in halves:
        raw.close()


def test_a_deadline_that_passes_while_queued_is_told_as_one(probe: Tested):
    """`one_at_a_time` runs one; the second waits in its queue for longer than it has."""
    first = probe.invoke("probe/one_at_a_time", {"seconds": 3}, Prefer="respond-async").headers["Sand-Execution-Id"]
    until(lambda: probe.running("probe", "one_at_a_time"), "the first runs")
    late = probe.invoke("probe/one_at_a_time", {"seconds": 0}, Sand_Timeout="500ms")
    problem = is_problem(late, 504, "platform")
    assert problem["error"] == "Sand.Timeout"
    assert probe.ended("probe", first)["status"] == "SUCCEEDED"


def test_a_full_queue_pushes_back_and_drops_nothing(probe: Tested):
    accepted, refused = [], []
    for _ in range(8):
        response = probe.invoke("probe/one_at_a_time", {"seconds": 0.5}, Prefer="respond-async")
        if response.status_code == 202:
            accepted.append(response.headers["Sand-Execution-Id"])
        else:
            refused.append(response)
    records = [probe.ended("probe", invocation) for invocation in accepted]
    overloaded = [record for record in records if record["status"] != "SUCCEEDED"]
    assert all((record.get("failure") or {}).get("error") == "Sand.Overloaded" for record in overloaded)
    assert refused or overloaded
    for response in refused:
        assert is_problem(response, 429, "platform")["retryable"]
