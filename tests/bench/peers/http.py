"""HTTP peers: OpenFaaS of-watchdog, Google's functions framework, the Lambda emulator, Nuclio, and a process a request."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from sand.command.ports import free_port

from ..client import Client
from ..table import Row, latency, missing
from .process import CACHE, Peer, run
from .venv import python

HANDLERS = Path(__file__).resolve().parent / "handlers"


def go_program(module: str, package: str = "", version: str = "latest") -> Path:
    """A program from the Go module proxy, built once; these projects tag no Go versions, so the newest commit is taken."""
    if not shutil.which("go"):
        raise RuntimeError("Go is not installed")
    target = CACHE / "go"
    name = (package or module).rsplit("/", 1)[-1]
    if not (target / name).exists():
        target.mkdir(parents=True, exist_ok=True)
        run(
            ["go", "install", f"{module}{package}@{version}"],
            seconds=600,
            environment={"GOBIN": str(target), "GOFLAGS": "-buildvcs=false"},
        )
    return target / name


@contextmanager
def functions_framework() -> Iterator[int]:
    port = free_port()
    command = [
        str(python().with_name("functions-framework")),
        "--source",
        str(HANDLERS / "noop_function.py"),
        "--target",
        "noop",
        "--port",
        str(port),
        "--host",
        "127.0.0.1",
    ]
    with Peer(command, "functions-framework") as peer:
        peer.wait_for_port(port)
        yield port


@contextmanager
def of_watchdog(mode: str) -> Iterator[int]:
    port, upstream = free_port(), free_port()
    program = go_program("github.com/openfaas/of-watchdog")
    environment = {"port": str(port), "mode": mode, "max_inflight": "64"}
    if mode == "http":
        environment |= {
            "upstream_url": f"http://127.0.0.1:{upstream}",
            "PORT": str(upstream),
            "fprocess": f"{python()} {HANDLERS / 'noop_flask.py'}",
        }
    else:
        environment |= {"fprocess": f"{python()} {HANDLERS / 'noop_stdin.py'}"}
    with Peer([str(program)], f"of-watchdog-{mode}", environment) as peer:
        peer.wait_for_port(port)
        yield port


@contextmanager
def process_a_request() -> Iterator[int]:
    """What a fork-per-request watchdog does at the least: run the handler's interpreter for each request."""
    port = free_port()
    run(["go", "build", "-o", str(CACHE / "exec-server"), str(HANDLERS / "exec_server.go")])
    command = [str(CACHE / "exec-server"), f"127.0.0.1:{port}", str(python()), str(HANDLERS / "noop_stdin.py")]
    with Peer(command, "exec-server") as peer:
        peer.wait_for_port(port)
        yield port


@contextmanager
def lambda_emulator() -> Iterator[int]:
    port = free_port()
    program = go_program("github.com/aws/aws-lambda-runtime-interface-emulator", "/cmd/aws-lambda-rie")
    command = [
        str(program),
        "--runtime-interface-emulator-address",
        f"127.0.0.1:{port}",
        str(python()),
        "-m",
        "awslambdaric",
        "noop_lambda.handle",
    ]
    with Peer(command, "lambda-rie", {"AWS_LAMBDA_FUNCTION_NAME": "noop"}, cwd=HANDLERS) as peer:
        peer.wait_for_port(port)
        yield port


@contextmanager
def nuclio() -> Iterator[int]:
    port = free_port()
    program = go_program("github.com/nuclio/nuclio", "/cmd/processor")
    with Peer([str(program)], "nuclio", {"NUCLIO_HTTP_PORT": str(port)}) as peer:
        peer.wait_for_port(port)
        yield port


LAMBDA_PATH = "/2015-03-31/functions/function/invocations"
PEERS: list[tuple[str, str, Callable, str, int]] = [
    ("peer-functions-framework", "functions-framework (shared process)", functions_framework, "/", 2000),
    ("peer-of-watchdog-http", "of-watchdog http + Flask", lambda: of_watchdog("http"), "/", 2000),
    ("peer-of-watchdog-fork", "of-watchdog, process a request", lambda: of_watchdog("streaming"), "/", 200),
    ("peer-exec", "Go server, python process a request", process_a_request, "/", 200),
    ("peer-lambda-rie", "Lambda emulator + awslambdaric", lambda_emulator, LAMBDA_PATH, 1000),
    ("peer-nuclio", "Nuclio processor", nuclio, "/", 2000),
]


def measure() -> list[Row]:
    rows = []
    for id, system, start, path, calls in PEERS:
        try:
            with start() as port, Client(port) as client:
                samples = [client.timed(path)[0] for _ in range(calls + 20)][20:]
            rows.append(latency(id, system, samples, note="back to back, keep-alive"))
        except (RuntimeError, OSError, ConnectionError) as error:
            rows.append(missing(id, system, " ".join(str(error).split())[:160]))
    return rows
