"""Requests that cannot work: each is told why, with a problem that a program can read, and nothing else is disturbed."""

import socket
import subprocess
from pathlib import Path
from urllib.parse import quote

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


def said_to(tested: Tested, request: bytes) -> tuple[int, bytes]:
    """What a request that no client would send is answered, on a connection of its own."""
    with socket.create_connection(("127.0.0.1", tested.local.port), 30) as raw:
        raw.sendall(request)
        answer = raw.makefile("rb").read()
    return int(answer.split()[1]), answer


@pytest.mark.parametrize(
    "path", ["/invoke/pro%2Fbe/echo", "/invoke/../etc/passwd", "/invoke/probe/%00", "/invoke/probe", "/invoke/"]
)
def test_odd_names_are_not_found(probe: Tested, path):
    request = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{{}}"
    status, answer = said_to(probe, request.encode())
    assert status in (400, 404), str(answer)
    assert b"application/problem+json" in answer


HEAD = b"Host: localhost\r\nConnection: close\r\n"
INVOKE = b"POST /invoke/probe/echo HTTP/1.1\r\n" + HEAD


@pytest.mark.parametrize(
    ("status", "request_"),
    [
        (414, b"GET /" + b"a" * 20_000 + b" HTTP/1.1\r\n" + HEAD + b"\r\n"),
        (431, b"GET /livez HTTP/1.1\r\n" + HEAD + b"X: " + b"a" * 20_000 + b"\r\n\r\n"),
        (431, b"GET /livez HTTP/1.1\r\n" + HEAD + b"".join(b"x%d: 1\r\n" % n for n in range(5_000)) + b"\r\n"),
        (400, INVOKE + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\n11"),
        (400, INVOKE + b"Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n1\r\n0\r\n\r\n"),
        (400, INVOKE + b"Content-Length: -1\r\n\r\n"),
        (400, INVOKE + b"Content-Length: 99999999999999999999\r\n\r\n"),
        (400, INVOKE + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n1\r\n"),
        (400, b"GET /api/v1/applications/%ff%fe HTTP/1.1\r\n" + HEAD + b"\r\n"),
        (400, b"GET /api/v1/applications/%zz HTTP/1.1\r\n" + HEAD + b"\r\n"),
        (400, b"GET /api/v1/applications/probe/logs?limit=%ff HTTP/1.1\r\n" + HEAD + b"\r\n"),
        (400, b"GET /api/v1/applications/probe/logs?limit=%zz HTTP/1.1\r\n" + HEAD + b"\r\n"),
        (400, b"GET /web/probe/mirror/a?b=%ff HTTP/1.1\r\n" + HEAD + b"\r\n"),
        (405, b"BREW /livez HTTP/1.1\r\n" + HEAD + b"\r\n"),
        (505, b"GET /livez HTTP/3.0\r\n" + HEAD + b"\r\n"),
        (400, b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n"),
    ],
    ids=lambda value: str(value[:40]) if isinstance(value, bytes) else str(value),
)
def test_what_is_hardly_http_is_a_problem_too(probe: Tested, status, request_):
    told, answer = said_to(probe, request_)
    assert told == status, str(answer)
    assert b"application/problem+json" in answer
    assert b"nosniff" in answer


DEEP = b"[" * 20_000 + b"]" * 20_000
NO_TEXT = b'{"version": "\xff\xfe"}'
UTF_32 = b"\x00\x00\x00{\x11\x11\x11\x11"


@pytest.mark.parametrize("path", ["/invoke/probe/echo", "rollback", "edits", "processes"])
@pytest.mark.parametrize(
    "body", [DEEP, b'{"a": ' + DEEP + b"}", NO_TEXT, UTF_32, b"1" * 5_000], ids=["deep", "deep in", "bytes", "utf-32", "long"]
)
def test_json_that_nobody_writes_is_refused(probe: Tested, path, body):
    where = path if path.startswith("/") else f"/api/v1/applications/probe/{path}"
    is_problem(probe.http.post(where, content=body, headers={"Content-Type": "application/json"}), 400)


@pytest.mark.slow
def test_json_with_very_many_keys_goes_through_or_is_too_large(probe: Tested):
    def keys(count: int) -> bytes:
        return b"{" + b",".join(b'"%x":0' % n for n in range(count)) + b"}"

    json = {"Content-Type": "application/json"}
    response = probe.http.post("/invoke/probe/echo", content=keys(500_000), headers=json)
    assert response.status_code == 200
    assert len(response.json()) == 500_000
    is_problem(probe.http.post("/invoke/probe/echo", content=keys(1_000_000), headers=json), 413)


def test_an_upload_of_2_gb_is_refused_before_it_is_sent(probe: Tested):
    upload = b"Content-Type: application/zip\r\nExpect: 100-continue\r\nContent-Length: %d\r\n\r\n" % (2 << 30)
    status, answer = said_to(probe, b"POST /api/v1/applications HTTP/1.1\r\n" + HEAD + upload)
    assert status == 413
    assert b'"actual":2147483648' in answer


@pytest.mark.slow
@pytest.mark.parametrize("length", [{"Content-Length": str(2 << 30)}, {}], ids=["told", "chunked"])
def test_an_upload_of_2_gb_takes_neither_memory_nor_disk(probe: Tested, length):
    before = live_mib(probe)
    while_sent = []

    def chunks():
        for number in range(2 << 10):
            if number % 240 == 239:
                while_sent.append(live_mib(probe))
            yield bytes(1 << 20)

    headers = {"Content-Type": "application/zip", **length}
    problem = is_problem(probe.http.post("/api/v1/applications", content=chunks(), headers=headers), 413)
    assert problem["limit"] < problem["actual"]
    assert max(while_sent) - before < 128
    assert not [path for path in probe.home.rglob("u*.zip") if path.stat().st_size]


def live_mib(tested: Tested) -> int:
    """What the platform holds of memory once nothing is in its heap that nobody needs."""
    process = Path(f"/proc/{tested.java_pid}")
    jcmd = (process / "exe").resolve().with_name("jcmd")
    subprocess.run([jcmd, str(tested.java_pid), "GC.run"], check=True, stdout=subprocess.DEVNULL, timeout=120)
    status = (process / "status").read_text()
    return int(next(line.split()[1] for line in status.splitlines() if line.startswith("VmRSS"))) >> 10


@pytest.mark.slow
def test_an_output_that_nobody_reads_holds_up_nobody(probe: Tested):
    body = b'"' + b"x" * (4 << 20) + b'"'
    request = INVOKE + b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)
    slow = []
    for _ in range(8):
        raw = socket.create_connection(("127.0.0.1", probe.local.port), 60)
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 16)
        raw.sendall(request)
        slow.append(raw)
    assert probe.ask("probe/echo", 1) == 1
    # And whoever begins to read after all gets all of it.
    assert len(slow[0].makefile("rb").read()) > len(body)
    for raw in slow:
        raw.close()


@pytest.mark.parametrize("output", ["<script>alert(1)</script>", '"><img src=x onerror=alert(1)>'])
def test_markup_in_names_and_outputs_is_text_and_runs_nowhere(probe: Tested, output):
    answers = [
        probe.invoke("probe/echo", output),
        probe.http.get(f"/api/v1/applications/{quote(output, safe='')}".replace("%2F", "")),
        probe.invoke(f"probe/{quote(output.replace('/', ''))}", {}),
    ]
    execution = answers[0].headers["Sand-Execution-Id"]
    probe.ended("probe", execution)
    answers.append(probe.http.get(f"/api/v1/applications/probe/invocations/{execution}/output"))
    for answer in answers:
        assert answer.headers["content-type"].split(";")[0] in ("application/json", "application/problem+json")
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert "sandbox" in answer.headers["content-security-policy"]
    assert answers[-1].json() == output


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


@pytest.mark.slow
def test_a_deadline_that_passes_while_queued_is_told_as_one(probe: Tested):
    """`one_at_a_time` runs one; the second waits in its queue for longer than it has."""
    first = probe.invoke("probe/one_at_a_time", {"seconds": 3}, Prefer="respond-async").headers["Sand-Execution-Id"]
    until(lambda: probe.running("probe", "one_at_a_time"), "the first runs")
    late = probe.invoke("probe/one_at_a_time", {"seconds": 0}, Sand_Timeout="500ms")
    problem = is_problem(late, 504, "platform")
    assert problem["error"] == "Sand.Timeout"
    assert probe.ended("probe", first)["status"] == "SUCCEEDED"


@pytest.mark.slow
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
