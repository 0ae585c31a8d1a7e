"""nginx as the cluster has it, before two frontends that do what a test tells them: which request may be sent twice, what is
passed on as it comes, and what is added."""

import http.client
import json
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "deploy"))

from cluster import processes
from cluster.place import Cluster
from sand.command.ports import free_port

SECONDS = 20
pytestmark = pytest.mark.skipif(
    shutil.which("nginx", path="/usr/sbin:/usr/bin:/usr/local/sbin") is None, reason="no nginx here"
)


class Frontend(ThreadingHTTPServer):
    """Notes what it is asked; `drops` closes the connection after reading, as one that dies in the middle does."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.asked: list[tuple[str, str, dict]] = []
        self.drops = False
        self.status = 200
        self.go_on = threading.Event()
        threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Frontend

    def answer(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.server.asked.append((self.command, self.path, dict(self.headers)))
        if self.server.drops:
            self.close_connection = True
            self.connection.shutdown(socket.SHUT_RDWR)
            return
        self.send_response(self.server.status)
        if self.path.endswith("/events"):
            self.send_header("Content-Type", "text/event-stream")
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            self.wfile.write(b"9\r\ndata: 1\n\n\r\n")
            self.server.go_on.wait(SECONDS)
            self.wfile.write(b"9\r\ndata: 2\n\n\r\n0\r\n\r\n")
            return
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"ok")

    do_GET = do_POST = do_PUT = do_DELETE = answer

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def frontends() -> Iterator[list[Frontend]]:
    two = [Frontend(), Frontend()]
    yield two
    for frontend in two:
        frontend.shutdown()
        frontend.server_close()


@pytest.fixture
def nginx(tmp_path: Path, frontends: list[Frontend]) -> Iterator[int]:
    """Its port."""
    port = free_port()
    ports = {f"frontend{i + 1}": frontend.server_port for i, frontend in enumerate(frontends)}
    cluster = Cluster(tmp_path, "sand-x", "processes", 1, f"127.0.0.1:{port}", {}, ports)
    program = processes.nginx(cluster, processes.deploy_folder() / "images")
    process = subprocess.Popen(program.command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + SECONDS
        while subprocess.run(program.check, capture_output=True, check=False).returncode != 0:
            assert time.monotonic() < deadline and process.poll() is None, "nginx does not start"
        yield port
    finally:
        process.terminate()
        process.wait(SECONDS)


def ask(port: int, method: str, path: str = "/invoke/a/b", headers: dict | None = None) -> http.client.HTTPResponse:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=SECONDS)
    connection.request(method, path, b"{}" if method in ("POST", "PUT") else None, headers or {})
    return connection.getresponse()


def times_asked(frontends: list[Frontend]) -> int:
    return sum(len(frontend.asked) for frontend in frontends)


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE"])
def test_a_request_that_may_have_begun_is_not_sent_again(nginx: int, frontends: list[Frontend], method: str) -> None:
    for frontend in frontends:
        frontend.drops = True
    assert ask(nginx, method).status == 502
    assert times_asked(frontends) == 1


def test_a_safe_request_goes_to_the_other_frontend(nginx: int, frontends: list[Frontend]) -> None:
    frontends[0].drops = True
    assert [ask(nginx, "GET").status for _ in range(4)] == [200] * 4


def test_a_request_that_could_not_be_handed_over_goes_to_the_other_frontend(nginx: int, frontends: list[Frontend]) -> None:
    frontends[0].shutdown()
    frontends[0].server_close()
    assert [ask(nginx, "POST").status for _ in range(4)] == [200] * 4
    assert len(frontends[1].asked) == 4


def test_events_are_passed_on_as_they_come(nginx: int, frontends: list[Frontend]) -> None:
    answer = ask(nginx, "GET", "/api/v1/applications/a/invocations/x/events")
    assert answer.readline() == b"data: 1\n"  # the frontend has not ended, and waits
    for frontend in frontends:
        frontend.go_on.set()
    assert b"data: 2" in answer.read()


def test_a_request_has_one_id_all_the_way(nginx: int, frontends: list[Frontend]) -> None:
    made = ask(nginx, "GET").headers["X-Request-Id"]
    assert len(made) == 32
    assert ask(nginx, "GET", headers={"X-Request-Id": "mine-1"}).headers["X-Request-Id"] == "mine-1"
    assert ask(nginx, "GET", headers={"X-Request-Id": "no spaces; here"}).headers["X-Request-Id"] != "no spaces; here"
    seen = [headers["X-Request-Id"] for frontend in frontends for _, _, headers in frontend.asked]
    assert {made, "mine-1"} <= set(seen)


def test_figures_are_not_for_everybody(nginx: int, frontends: list[Frontend]) -> None:
    assert ask(nginx, "GET", "/metrics").status == 404
    assert times_asked(frontends) == 0


def said(port: int, request: bytes) -> tuple[int, dict[str, str], dict]:
    """What nginx answers to bytes that no client of good manners sends."""
    with socket.create_connection(("127.0.0.1", port), SECONDS) as connection:
        connection.sendall(request)
        answer = http.client.HTTPResponse(connection)
        answer.begin()
        return answer.status, dict(answer.headers), json.loads(answer.read())


BAD = {
    400: b"GET /api/v1/applications/%00 HTTP/1.1\r\nHost: x\r\n\r\n",
    404: b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n",
    405: b"TRACE / HTTP/1.1\r\nHost: x\r\n\r\n",
    413: b"POST /invoke/a/b HTTP/1.1\r\nHost: x\r\nContent-Length: 400000000\r\n\r\n",
    414: b"GET /" + b"x" * 9000 + b" HTTP/1.1\r\nHost: x\r\n\r\n",
    431: b"GET / HTTP/1.1\r\nHost: x\r\nX-Large: " + b"x" * 9000 + b"\r\n\r\n",
    505: b"GET / HTTP/3.0\r\nHost: x\r\n\r\n",
}


@pytest.mark.parametrize("status", BAD)
def test_what_nginx_refuses_itself_has_the_form_of_all_errors(nginx: int, frontends: list[Frontend], status: int) -> None:
    at, headers, problem = said(nginx, BAD[status])
    assert (at, headers["Content-Type"], problem["status"]) == (status, "application/problem+json", status)
    assert (problem["source"], problem["retryable"]) == ("caller", False)
    assert set(problem) - {"limit"} == {"type", "title", "status", "detail", "source", "retryable"}
    assert len(headers["X-Request-Id"]) == 32
    assert times_asked(frontends) == 0


@pytest.mark.parametrize(("method", "path"), [("POST", "/invoke/a/b"), ("GET", "/api/v1/status"), ("PUT", "/api/v1/x")])
def test_a_frontend_that_has_gone_is_told_of_in_the_same_form(
    nginx: int, frontends: list[Frontend], method: str, path: str
) -> None:
    for frontend in frontends:
        frontend.drops = True
    answer = ask(nginx, method, path)
    problem = json.loads(answer.read())
    assert (answer.status, answer.headers["Content-Type"]) == (502, "application/problem+json")
    assert (problem["type"], problem["retryable"]) == ("https://sand.dev/problems/unavailable", True)
    assert problem["mayHaveRun"]


def test_a_frontends_own_error_goes_through_as_it_is(nginx: int, frontends: list[Frontend]) -> None:
    for frontend in frontends:
        frontend.status = 503
    answer = ask(nginx, "GET")
    assert (answer.status, answer.read()) == (503, b"ok")
