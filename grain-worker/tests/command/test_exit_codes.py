"""The command against a server that answers what a test wants: exit codes, and what goes to stdout and stderr."""

import io
import json
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import NamedTuple

import click
import pytest

from sand.command.client import Platform
from sand.command.failure import Failure
from sand.command.main import main

pytestmark = pytest.mark.slow

Answer = tuple[int, dict[str, str], bytes]


class Done(NamedTuple):
    returncode: int
    stdout: bytes
    stderr: bytes


class CannedServer:
    """Answers every request with `answer`, and remembers the requests."""

    def __init__(self) -> None:
        self.answer: Answer = (200, {}, b"{}")
        self.requests: list[tuple[str, str, dict[str, str], bytes]] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def respond(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                outer.requests.append((self.command, self.path, dict(self.headers), body))
                status, headers, content = outer.answer
                self.send_response(status)
                for name, value in {"Content-Length": str(len(content)), **headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(content)

            do_GET = do_POST = do_PUT = do_DELETE = respond

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def problem(self, status: int, **members: object) -> None:
        self.answer = (status, {"Content-Type": "application/problem+json"}, json.dumps(members).encode())

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def server() -> Iterator[CannedServer]:
    running = CannedServer()
    yield running
    running.close()


@pytest.fixture
def sand(server: CannedServer, monkeypatch, capfdbinary) -> Callable[..., Done]:
    """Runs the command in this process: starting one takes longer than all that it does."""

    def run(*arguments: str, stdin: bytes = b"") -> Done:
        monkeypatch.setattr(sys, "argv", ["sand", "--server", server.address, *arguments])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        with pytest.raises(SystemExit) as ended:
            main()
        return Done(ended.value.code, *capfdbinary.readouterr())

    return run


@pytest.mark.parametrize(
    ("status", "source", "code"),
    [
        (404, "caller", 3),
        (400, "caller", 4),
        (413, "caller", 4),
        (403, "caller", 4),
        (409, "caller", 5),
        (429, "platform", 6),
        (504, "platform", 7),
        (500, "grain", 1),
        (500, "platform", 70),
        (503, "platform", 70),
    ],
)
def test_each_kind_of_problem_has_its_exit_code(server, sand, status, source, code):
    server.problem(status, title="No", detail="It did not work, since so.", source=source)
    done = sand("invoke", "app/grain")
    assert (done.returncode, done.stdout) == (code, b"")
    assert b"It did not work, since so." in done.stderr


def test_what_a_list_of_invocations_is_asked_for_goes_to_the_platform(server, sand):
    server.answer = (200, {}, b'{"invocations": [], "next": null}')
    done = sand("invocations", "list", "app", "--status", "failed", "--target", "greet", "--before", "01JD", "--limit", "7")
    assert done.returncode == 0
    assert server.requests[-1][1] == "/api/v1/applications/app/invocations?status=FAILED&target=greet&limit=7&before=01JD"


def test_a_grains_error_is_shown_with_its_traceback_and_limits(server, sand):
    server.problem(500, detail="boom", error="ValueError", source="grain", stackTrace="Traceback: line 3", limit=7, actual=9)
    told = sand("invoke", "app/grain").stderr.decode()
    assert "ValueError: boom" in told
    assert "Traceback: line 3" in told
    assert "limit: 7" in told and "actual: 9" in told


def test_an_answer_that_is_no_problem_is_told_too(server, sand):
    server.answer = (502, {}, b"<html>Bad gateway</html>")
    done = sand("list")
    assert done.returncode == 70
    assert b"Bad gateway" in done.stderr


def test_without_a_platform_it_says_how_to_start_one(server, sand):
    server.close()
    done = sand("list")
    assert done.returncode == 70
    assert b"no platform answers" in done.stderr and b"sand up" in done.stderr
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize(
    "line",
    ["invoke", "invoke no-slash", "nothing-such", "invoke a/b --data {", "invoke a/b -d @/no/file", "rollback app --to 0"],
)
def test_wrong_use_is_told_before_anything_is_sent(server, sand, line):
    done = sand(*line.split())
    assert done.returncode == 2
    assert server.requests == []
    assert done.stderr and not done.stdout


def test_output_reaches_stdout_byte_for_byte(server, sand):
    binary = bytes(range(256))
    server.answer = (200, {"Content-Type": "application/octet-stream"}, binary)
    assert sand("invoke", "app/grain").stdout == binary


def test_input_from_stdin_and_files_goes_as_it_is(server, sand, tmp_path):
    picture = tmp_path / "a.jpg"
    picture.write_bytes(b"\xff\xd8\x00")
    sand("invoke", "app/grain", "--data", f"@{picture}")
    sand("invoke", "app/grain@3", "--data", "-", stdin=b'{"a": 1}')
    (_, path, headers, body), (_, path2, headers2, body2) = server.requests
    assert (path, headers["Content-Type"], body) == ("/invoke/app/grain", "image/jpeg", b"\xff\xd8\x00")
    assert (path2, headers2["Content-Type"], body2) == ("/invoke/app/grain@3", "application/json", b'{"a": 1}')


def test_async_prints_the_id_alone_on_stdout(server, sand):
    server.answer = (202, {"Sand-Execution-Id": "01ABC", "Location": "/api/v1/x"}, b"")
    done = sand("invoke", "app/grain", "--async", "--idempotency-key", "k", "--timeout", "1.5")
    assert done.stdout == b"01ABC\n"
    _, _, headers, _ = server.requests[0]
    assert headers["Prefer"] == "respond-async"
    assert headers["Idempotency-Key"] == "k"
    assert headers["Sand-Timeout"] == "1500ms"


def test_json_output_of_an_invocation_has_its_timing(server, sand):
    headers = {"Content-Type": "application/json", "Sand-Execution-Id": "01ABC", "Server-Timing": "queue;dur=0.1, run;dur=2.5"}
    server.answer = (200, headers, b'{"x": 1}')
    shown = json.loads(sand("invoke", "app/grain", "-o", "json").stdout)
    assert shown["output"] == {"x": 1}
    assert shown["timingMs"] == {"queue": 0.1, "run": 2.5}


def test_findings_of_a_deployment_are_lines_and_with_json_the_problem(server, sand, tmp_path):
    (tmp_path / "sand.yaml").write_text("name: x\n")
    findings = [
        {"file": "sand.yaml", "pointer": "/sandbox/pids", "detail": "must have a minimum value of 16"},
        {"file": "grains", "pointer": "", "detail": "there is no grain"},
    ]
    server.problem(
        422, title="The application folder is not valid", detail="one (and 1 more)", source="caller", errors=findings
    )
    done = sand("deploy", str(tmp_path))
    assert done.returncode == 4
    lines = done.stderr.decode().splitlines()
    assert lines[-3:] == [
        "sand: The application folder is not valid",
        "  sand.yaml#/sandbox/pids: must have a minimum value of 16",
        "  grains: there is no grain",
    ]
    assert json.loads(sand("deploy", str(tmp_path), "-o", "json").stdout)["errors"] == findings


def test_with_json_every_failure_is_a_document_on_stdout(server, sand):
    server.problem(404, title="Not found", detail="There is no application 'x' here.")
    assert json.loads(sand("describe", "x", "-o", "json").stdout)["title"] == "Not found"
    server.close()
    assert "no platform answers" in json.loads(sand("list", "-o", "json").stdout)["title"]


@pytest.mark.parametrize(
    ("text", "header"),
    [("2", "2000ms"), ("0.5", "500ms"), ("1s", "1000ms"), ("500ms", "500ms"), ("1.5m", "90000ms"), ("24h", "86400000ms")],
)
def test_a_timeout_is_a_number_of_seconds_or_a_duration(server, sand, text, header):
    assert sand("invoke", "app/grain", "--timeout", text).returncode == 0
    assert server.requests[-1][2]["Sand-Timeout"] == header


@pytest.mark.parametrize(
    "line",
    [
        "invoke a/b --timeout 0", "invoke a/b --timeout 1y", "invoke a/b --timeout -1", "invoke a/b --wait x", "invoke a/b/c",
        "invoke a/b --event e --data 1", "events list a", "events get a/b c/d", "events get a/b c --out /no/such/folder/x",
        "events save a/b c --data {", "events save a/b c",
        "describe a/b", "versions ..", "delete a", "invoke a/b --out /no/such/folder/x", "doctor --listen 7263",
    ],
)  # fmt: skip
def test_what_cannot_be_meant_is_told_before_anything_is_sent(server, sand, line):
    done = sand(*line.split())
    assert (done.returncode, done.stdout, server.requests) == (2, b"", [])


def test_a_word_that_is_nearly_one_is_guessed(sand):
    assert b"Did you mean list?" in sand("lst").stderr


def test_doctor_looks_at_the_platform_that_is_named(server, sand, monkeypatch):
    server.answer = (200, {"Content-Type": "application/json"}, b'{"hosts": [{"sandboxes": [1, 2]}]}')
    found = json.loads(sand("doctor", "-o", "json").stdout)
    assert (found[0]["check"], found[0]["result"]) == ("server", "ok")
    assert "1 host, 2 sandboxes" in found[0]["found"]
    server.close()
    done = sand("doctor", "-o", "json")
    assert (done.returncode, json.loads(done.stdout)[0]["result"]) == (70, "failed")


def test_whoever_has_read_enough_is_no_error(server):
    lines = [{"epochMs": 1, "stream": "stdout", "text": "x" * 200} for _ in range(5000)]
    server.answer = (200, {"Content-Type": "application/json"}, json.dumps({"lines": lines}).encode())
    command = [sys.executable, "-P", "-m", "sand.command", "--server", server.address, "logs", "app"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as logs:
        logs.stdout.readline()
        logs.stdout.close()
        told = logs.stderr.read()
    assert (logs.returncode, told) == (0, b"")


def test_every_command_that_has_data_has_json():
    from sand.command.main import SUBCOMMANDS, sand

    def without(command: click.Command, name: str) -> Iterator[str]:
        if isinstance(command, click.Group):
            for inner in command.list_commands(click.Context(command)):
                yield from without(command.get_command(click.Context(command), inner), f"{name} {inner}")
        elif not any("-o" in parameter.opts for parameter in command.params):
            yield name

    assert len(SUBCOMMANDS) > 10
    # Of `sand up` there is none, what an engine answers is JSON in any case, and a value is told as it was put.
    assert sorted(without(sand, "sand")) == ["sand asl run", "sand asl validate", "sand data get", "sand events get", "sand up"]


def test_ps_shows_every_host_and_says_which_does_not_answer(server, sand):
    grain = {"grain": "resize", "workerState": "READY", "running": 2, "idle": 1, "queued": 3, "restarts": 0}
    sandbox = {"application": "shop", "version": 4, "state": "READY", "grains": [grain]}
    place = {"address": "a:7264", "labels": ["ssd", "zone=a"], "busy": 0.5, "slots": [1, 2, 3]}
    hosts = [
        {"host": "host-a", "sandboxKind": "docker", "draining": False, "sandboxes": [sandbox], "place": place},
        {"host": "host-b", "sandboxKind": None, "draining": False, "sandboxes": [], "place": place, "problem": "no connection"},
    ]
    server.answer = (200, {}, json.dumps({"hosts": hosts}).encode())
    lines = [" ".join(line.split()) for line in sand("ps").stdout.decode().splitlines()]
    assert "host-a docker a:7264 ssd, zone=a 3 0.50 1" in lines
    assert "host-b no connection a:7264 ssd, zone=a 3 0.50 0" in lines
    assert "host-a shop 4 ready resize 2 1 3 0" in lines
    alone = {"host": "local", "sandboxKind": "process", "draining": False, "sandboxes": []}
    server.answer = (200, {}, json.dumps({"hosts": [alone]}).encode())
    assert "local process - - all - 0" in [" ".join(line.split()) for line in sand("ps").stdout.decode().splitlines()]


def test_local_queues_are_listed_and_looked_into_as_text(server, sand):
    queue = {
        "grain": "resize",
        "version": 4,
        "waiting": 2,
        "oldestMs": 1500,
        "running": 1,
        "idle": 0,
        "inPerSecond": 2.25,
        "outPerSecond": 2,
    }
    silent = [{"host": "a host", "problem": "it does not tell"}]
    server.answer = (200, {}, json.dumps({"rateWindowMs": 10_000, "queues": [queue], "silent": silent}).encode())
    listed = sand("queues", "list", "shop", "--local")
    assert "resize - 4 2 1.5 s 2.2 2.0 1 0" in [" ".join(line.split()) for line in listed.stdout.decode().splitlines()]
    assert listed.stderr == b"in and out: events a second, in the last 10 s\nwithout a host: it does not tell\n"
    assert server.requests[-1][1] == "/api/v1/applications/shop/local-queues"

    event = {
        "executionId": "e1",
        "eventId": "e1/resize",
        "version": 4,
        "queuedMs": 0,
        "attempt": 2,
        "bytes": 9000,
        "contentType": "text/plain",
    }
    events = [
        event | {"preview": "\x1b[31mred\n" + "x" * 99, "host": "b"},
        event | {"preview": "/wA=", "isBase64Encoded": True},
        event,
    ]
    server.answer = (200, {}, json.dumps({"events": events, "more": True, "silent": []}).encode())
    peeked = sand("queues", "peek", "shop", "resize", "--local", "--limit", "3")
    assert server.requests[-1][1] == "/api/v1/applications/shop/local-queues/resize/events?limit=3"
    assert "\\x1b[31mred\\nxxx" in peeked.stdout.decode() and b"\x1b" not in peeked.stdout
    assert peeked.stdout.count(b"(text/plain)") == 2
    assert peeked.stderr == b"there are more than these\n"


@pytest.mark.parametrize(("scopes", "told"), [(["read"], "shop"), (["read", "operator"], "acme--shop")])
def test_within_a_tenant_applications_have_their_own_names(server, sand, scopes, told):
    # One answer for all that is asked: the list, and who asks.
    found = {"applications": [{"name": "acme--shop"}, {"name": "other--shop"}], "tenant": "acme", "scopes": scopes}
    server.answer = (200, {}, json.dumps(found).encode())
    names = [line.split()[0] for line in sand("list").stdout.decode().splitlines()[1:]]
    assert names == [told, "other--shop"]
    assert server.requests[-1][1] == "/api/v1/session"
    server.answer = (200, {}, json.dumps({"applications": [{"name": "shop"}]}).encode())
    assert sand("list").returncode == 0
    assert server.requests[-1][1] == "/api/v1/applications"


def test_a_host_is_drained_waited_for_and_taken_back(server, sand):
    short = {"host": "host-a", "problem": None, "slots": 0, "sandboxes": 0, "executions": 0, "events": 0, "applications": []}
    server.answer = (202, {}, json.dumps(short | {"state": "drained"}).encode())
    done = sand("host", "drain", "host-a", "--wait", "1s")
    assert (done.returncode, done.stderr) == (0, b"host 'host-a' is drained\n")
    assert server.requests[-1][:2] == ("POST", "/api/v1/hosts/host-a/drain")
    assert sand("host", "resume", "host-a").returncode == 0
    assert server.requests[-1][:2] == ("POST", "/api/v1/hosts/host-a/resume")

    busy = short | {"state": "draining", "slots": 8, "executions": 2, "sandboxes": 1}
    server.answer = (
        200,
        {},
        json.dumps(busy | {"hosts": [busy, short | {"state": "up", "host": "alone", "slots": None}]}).encode(),
    )
    done = sand("host", "drain", "host-a", "--wait", "1ms")
    assert (done.returncode, b"8 slots, 2 executions and 1 sandboxes" in done.stderr) == (7, True)
    lines = [" ".join(line.split()) for line in sand("host", "list").stdout.decode().splitlines()]
    assert lines[1:] == ["host-a draining 8 1 2 0", "alone up all 0 0 0"]
    server.problem(409, title="Conflict", detail="nobody would be left")
    assert sand("host", "drain", "host-a").returncode == 5


@pytest.fixture
def no_key(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Nobody has a key. Gives the folder of this machine's cluster."""
    monkeypatch.delenv("SAND_KEY", raising=False)
    monkeypatch.delenv("SAND_KEY_FILE", raising=False)
    monkeypatch.setattr("sand.command.key.cluster_home", lambda: tmp_path / "cluster")
    (tmp_path / "cluster").mkdir()
    return tmp_path / "cluster"


def test_the_key_comes_from_the_option_the_environment_or_this_machines_cluster(
    server: CannedServer, no_key: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def shown() -> str | None:
        return Platform(server.address).call("GET", "/").request.headers.get("authorization")

    assert shown() is None
    (no_key / "operator.key").write_text("of-the-cluster\n")
    (no_key / "cluster.json").write_text(json.dumps({"listen": "127.0.0.1:1"}))
    assert shown() is None, "a key goes to its own platform alone"
    (no_key / "cluster.json").write_text(json.dumps({"listen": server.address.removeprefix("http://")}))
    assert shown() == "Bearer of-the-cluster"
    (no_key / "file").write_text("of-the-file\n")
    monkeypatch.setenv("SAND_KEY_FILE", str(no_key / "file"))
    assert shown() == "Bearer of-the-file"
    monkeypatch.setenv("SAND_KEY", "itself")
    assert shown() == "Bearer itself"


@pytest.mark.parametrize("text", ["", "two words", "zwölf", "two\nlines"])
def test_what_is_no_key_is_not_sent(no_key: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    (no_key / "file").write_text(text)
    monkeypatch.setenv("SAND_KEY_FILE", str(no_key / "file"))
    with pytest.raises(Failure, match="has no key"):
        Platform("http://127.0.0.1:1")
    monkeypatch.setenv("SAND_KEY_FILE", str(no_key / "none"))
    with pytest.raises(Failure, match="cannot be read"):
        Platform("http://127.0.0.1:1")
