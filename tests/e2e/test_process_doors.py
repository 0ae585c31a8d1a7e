"""What is refused at the doors of cloud processes, and in which words: the same on the platform and on the emulator."""

import re
import socket
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from conftest import is_problem, until
from process_server import ProcessServer

pytestmark = pytest.mark.slow

FILES = {
    "sand.yaml": "name: doors\n"
    "processes: {concurrency: 1, queue: 1, memory: 1MiB, state: 2MiB, mailbox: {messages: 2, bytes: 1MiB}}\n"
    "routes:\n  - {path: '/files/{name}/{rest+}', target: page}\n",
    "grains/echo/handler.py": "def handle(event, context):\n    return event\n",
    "grains/page/handler.py": "def handle(event, context):\n    return event['parameters']\n",
    "grains/waits/handler.py": "def handle(event, context):\n    return context.process.recv(timeout=30)\n",
    "grains/writes/handler.py": """
def handle(sizes, context):
    for key, size in sizes.items():
        context.process.state(key, b"x" * size)
""",
    "grains/sends/handler.py": """
import sand


def handle(messages, context):
    try:
        for to, size, timeout in messages:
            context.process.send(to, "k", bytes(size), timeout=timeout)
    except sand.SandError as refused:
        return [refused.error, str(refused)]
""",
}


@pytest.fixture(scope="module")
def server(either: str) -> ProcessServer:
    return ProcessServer(either, "doors", FILES)


def said(server: ProcessServer, line: str) -> bytes:
    """What a request is answered that no client would send."""
    with socket.create_connection((server.http.base_url.host, server.http.base_url.port), 20) as raw:
        raw.sendall(f"{line}\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
        return raw.makefile("rb").read()


@pytest.mark.parametrize("semicolon", [";", "%3b", "%3B"])
def test_no_path_with_a_parameter_means_what_is_before_it(server: ProcessServer, semicolon: str) -> None:
    server.make("a")
    asked = [
        ("DELETE", f"{server.root}/a;b"),
        ("GET", f"{server.root}/a;b"),
        ("GET", f"{server.root}/a;"),
        ("POST", f"{server.root}/a;b/connect"),
        ("POST", f"{server.root}/a;v=1/swap-out;x"),
        ("DELETE", "/api/v1/applications/doors;x=1"),
        ("GET", "/api/v1/applications;x/doors"),
        ("POST", "/invoke/doors;x/echo;y"),
        ("POST", "/api/v1/apps/doors/invoke;/echo"),
    ]
    for method, path in asked:
        refused = is_problem(server.http.request(method, path.replace(";", semicolon)), 400)
        assert refused["detail"] == "A path has no parameters: there is no ';' in it, nor a %3B.", path
    assert server.http.get(f"{server.root}/a").json()["status"] in ("active", "idle")
    assert server.http.delete(f"{server.root}/a").status_code == 204


def test_a_path_that_goes_up_behind_a_semicolon_is_none(server: ProcessServer) -> None:
    for path in (
        "/web/doors/..;/livez",
        f"{server.root}/x/..;/echo",
        f"{server.root}/%2e%2e;x",
        "/invoke/doors/..;/doors/echo",
    ):
        answer = said(server, f"GET {path} HTTP/1.1")
        assert answer.startswith(b"HTTP/1.1 400 ") and b"application/problem+json" in answer, path


def test_a_semicolon_is_data_of_a_route_when_it_is_written_as_data(server: ProcessServer) -> None:
    assert server.http.get("/web/doors/files/a%3Bb/c%3bd/e").json() == {"name": "a;b", "rest": "c;d/e"}
    for path in ("/web/doors/files/a;b/c", "/web/doors;x/files/a/c", "/web/doors/files/a/c;"):
        refused = is_problem(server.http.get(path), 400)
        assert refused["detail"].startswith("A path has no parameters: there is no ';' in it, and %3B where"), path


@pytest.mark.parametrize("id", ["a%20b", "%C3%BC", "a:b", "x" * 129])
def test_an_id_that_no_process_can_have_is_told(server: ProcessServer, id: str) -> None:
    asked = [("GET", part) for part in ("", "/metrics", "/state", "/state/value?key=k", "/mailbox", "/mailbox/1", "/logs")]
    asked += [("DELETE", ""), *(("POST", step) for step in ("/swap-out", "/swap-in", "/checkpoint", "/migrate", "/connect"))]
    for method, part in asked:
        refused = is_problem(server.http.request(method, f"{server.root}/{id}{part}"), 400)
        assert "A process's id is [A-Za-z0-9._~-]{1,128}, neither '.' nor '..'" in refused["detail"], (method, part)


@pytest.mark.parametrize("method", ["TRACE", "BREW", "PATCH"])
def test_whatever_the_method_is_a_path_says_which_it_has(server: ProcessServer, method: str) -> None:
    for path, allow in ((server.root, "GET, POST"), ("/invoke/doors/echo", "POST")):
        refused = server.http.request(method, path)
        assert is_problem(refused, 405)["type"].endswith("/method-not-allowed")
        assert refused.headers["Allow"] == allow
    assert is_problem(server.http.request(method, "/nowhere"), 404)


@pytest.mark.parametrize(
    ("status", "line"), [(400, "nonsense"), (414, f"GET /{'a' * 70_000} HTTP/1.1"), (505, "GET /livez HTTP/3.0")]
)
def test_what_is_no_request_is_told_as_all_else(server: ProcessServer, status: int, line: str) -> None:
    answer = said(server, line)
    assert answer.startswith(f"HTTP/1.1 {status} ".encode()) and b"application/problem+json" in answer, answer[:300]


@pytest.mark.parametrize("step", ["swap-out", "swap-in", "checkpoint"])
def test_a_step_takes_no_body_that_is_none(server: ProcessServer, step: str) -> None:
    server.make("steps")
    if step == "swap-in":
        server.step("steps", "swap-out")
    before = server.http.get(f"{server.root}/steps/metrics").json()
    for body in (b"null", b"{", b"\xff", b'{"a": \xff}'):
        is_problem(server.http.post(f"{server.root}/steps/{step}", content=body), 400)
    after = server.http.get(f"{server.root}/steps/metrics").json()
    assert [after[name] == before[name] for name in ("swapsIn", "swapsOut", "checkpoints")] == [True] * 3
    assert server.http.post(f"{server.root}/steps/{step}", content=b"{}").status_code == 200
    assert server.http.delete(f"{server.root}/steps").status_code == 204


def test_a_part_of_a_processor_is_enough(server: ProcessServer) -> None:
    for cpus in (0.5, 0.01):
        made = server.http.post(server.root, json={"id": "part", "dedicated": {"cpus": cpus, "memory": "64MiB"}})
        assert made.status_code == 201, made.text
        assert (made.json()["dedicated"]["cpus"], made.json()["dedicated"]["memoryBytes"]) == (cpus, 64 << 20)
        assert server.http.delete(f"{server.root}/part").status_code == 204


@pytest.mark.parametrize(
    ("dedicated", "below", "words"),
    [
        (7, "", "it is true, or an object with memory, cpus, pids, image and packages"),
        ({"gpu": 1}, "", "it has no 'gpu', but memory, cpus, pids, image and packages"),
        ({"memory": "1KiB"}, "/memory", "a sandbox needs at least 67108864 bytes of memory, not 1024"),
        ({"memory": "much"}, "/memory", "'much' is not a size like 512MiB, 64KiB or 1GiB"),
        ({"cpus": 1024.5}, "/cpus", "cpus is 0, or a number from 0.01 to 1024"),
        ({"cpus": 0.001}, "/cpus", "cpus is 0, or a number from 0.01 to 1024"),
        ({"pids": 1}, "/pids", "pids is a number from 16 to 32768"),
        ({"image": "-v"}, "/image", "image is the name of an image"),
        ({"packages": "gcc"}, "/packages", "packages is a list of at most 100 names"),
        ({"packages": ["gcc", "; rm"]}, "/packages", "'; rm' is no name of a package"),
    ],
)
def test_what_is_wrong_with_a_sandbox_is_told_with_its_place(
    server: ProcessServer, dedicated: Any, below: str, words: str
) -> None:
    refused = is_problem(server.http.post(server.root, json={"id": "wrong", "dedicated": dedicated}), 400)
    assert (refused["pointer"], refused["detail"]) == (f"/body/dedicated{below}", f"'dedicated': {words}.")


def test_keys_count_in_bytes_of_utf_8(server: ProcessServer) -> None:
    for key, size in (("é" * 512, 1024), ("\U0001f648" * 256, 1024), ("€" * 3, 9)):
        server.ask("counted", "writes", {key: 1})
        assert server.http.get(f"{server.root}/counted").json()["stateBytes"] == size + 1
        assert server.http.delete(f"{server.root}/counted").status_code == 204
    over = (1 << 20) - 1024
    assert server.call("counted", "writes", {"é" * 512: over}).status_code == 200
    refused = server.call("counted", "writes", {"é" * 512: over + 1}).json()
    assert (refused["limit"], refused["actual"]) == (1 << 20, (1 << 20) + 1)


def test_state_over_its_bounds_is_told_in_the_same_words(server: ProcessServer) -> None:
    limit = "process full has a limit of {} bytes of "
    value = "memory, and a value of its state has to fit into that with its key: \\S+ wrote one of {}"
    said = server.call("full", "writes", {"x": 1 << 20}).json()["detail"]
    assert re.search(limit.format(1 << 20) + value.format((1 << 20) + 1) + "$", said), said
    said = server.call("full", "writes", {"a": 900_000, "b": 900_000, "c": 900_000}).json()["detail"]
    assert re.search(limit.format(2 << 20) + f"state, and \\S+ would make it {3 * 900_001}$", said), said


def test_a_full_queue_of_a_process_is_told_with_its_limit(server: ProcessServer) -> None:
    server.make("busy")
    with ThreadPoolExecutor(2) as clients:
        calls = [clients.submit(server.call, "busy", "waits") for _ in range(2)]

        def counts() -> tuple[int, int]:
            found = server.http.get(f"{server.root}/busy").json()
            return found["running"], found["waiting"]

        until(lambda: counts() == (1, 1), "one runs, and one waits")
        refused = is_problem(server.call("busy", "echo"), 429, "platform")
        assert server.http.delete(f"{server.root}/busy").status_code == 204
        assert {call.result().status_code for call in calls} != {200}
    assert (refused["limit"], refused["actual"], refused["retryable"]) == (1, 2, True)
    words = "process busy of application doors has a limit of 1 waiting invocations, and this one would be one more"
    assert refused["detail"] == f"{words}; try again later"


def test_a_migration_needs_another_host(server: ProcessServer) -> None:
    server.make("stays")
    refused = is_problem(server.http.post(f"{server.root}/stays/migrate"), 409)
    words = r"Process stays is (active|idle): it cannot be migrated, for there is no other host than \S+\."
    assert re.fullmatch(words, refused["detail"]), refused["detail"]


def test_messages_that_do_not_come_in_are_told_in_the_same_words(server: ProcessServer) -> None:
    server.make("box")
    assert server.ask("from", "sends", [["nobody", (1 << 20) + 1, 0]]) == [
        "Sand.NotFound", "application doors has no process nobody",
    ]  # fmt: skip
    assert server.ask("from", "sends", [["box", 1, 0]] * 3) == [
        "Sand.Overloaded", "process box has a mailbox of 2 messages, and this message would make it 3",
    ]  # fmt: skip
    assert server.ask("from", "sends", [["other", 1, 0]]) == ["Sand.NotFound", "application doors has no process other"]
    with ThreadPoolExecutor(1) as clients:
        sending = clients.submit(server.ask, "waiting", "sends", [["box", 1, 60]])
        until(lambda: server.http.get(f"{server.root}/waiting").status_code == 200, "it is there")
        until(lambda: server.http.get(f"{server.root}/waiting").json()["running"] == 1, "it runs")
        with pytest.raises(TimeoutError):
            sending.result(timeout=1)
        assert server.http.delete(f"{server.root}/box").status_code == 204
        assert sending.result() == ["Sand.NotFound", "process box was killed"]
