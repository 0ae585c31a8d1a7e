"""Requests over HTTP to a warm platform: latency, interaction between grains, throughput."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import threading
import time
from pathlib import Path

from .client import Client
from .table import Row, figure, latency, missing
from .under_test import APPS, Platform

SYSTEM = "SAND"
WARM_CALLS = 300
PACE_SECONDS = 0.008
LOAD_SECONDS = 8
WARM_SECONDS = 6
WRK_SCRIPT = Path(__file__).resolve().parent / "post.lua"


def prepare(platform: Platform) -> None:
    for application in ("bench", "imaging", "shared"):
        platform.deploy(APPS / application)
    for path in ("bench/noop_worker", "bench/chain", "bench/noop"):
        saturate(platform.port, f"/invoke/{path}", connections=4, seconds=WARM_SECONDS)


def call_samples(port: int, path: str, count: int, pace: float) -> list[float]:
    with Client(port) as client:
        for _ in range(WARM_CALLS):
            checked(client, path)
        samples = []
        for _ in range(count):
            if pace:
                time.sleep(pace)
            seconds, status, body = client.timed(path)
            if status != 200:
                raise RuntimeError(f"{path}: {status} {body[:300]!r}")
            samples.append(seconds)
        return samples


def checked(client: Client, path: str, body: bytes = b"{}") -> bytes:
    status, answer = client.call(path, body)
    if status != 200:
        raise RuntimeError(f"{path}: {status} {answer[:500]!r}")
    return answer


def http_request(platform: Platform) -> list[Row]:
    paced = call_samples(platform.port, "/invoke/bench/noop", 1000, PACE_SECONDS)
    closed = call_samples(platform.port, "/invoke/bench/noop", 3000, 0)
    return [
        latency(
            "http-request",
            SYSTEM,
            paced,
            at_most=0.3,
            note=f"a fresh process each, a call every {PACE_SECONDS * 1e3:g} ms",
        ),
        latency("http-request-closed", SYSTEM, closed, note="the same, back to back: the fork of the next process competes"),
    ]


def http_worker(platform: Platform) -> list[Row]:
    closed = call_samples(platform.port, "/invoke/bench/noop_worker", 5000, 0)
    rows = [latency("http-worker", SYSTEM, closed, at_most=0.2, note="isolation: worker, back to back")]
    rate = saturate(platform.port, "/invoke/bench/noop_worker", connections=16)
    rows.append(rate_row("http-worker-rate", rate, 8000, "16 connections, the client on the same cores"))
    return rows


def throughput(platform: Platform) -> list[Row]:
    rows = []
    for target_path, at_least in (("bench/noop", 900), ("imaging/imaging", None)):
        call_samples(platform.port, f"/invoke/{target_path}", 50, 0)
        rate = saturate(platform.port, f"/invoke/{target_path}", connections=8)
        name = "throughput-request" if at_least else "throughput-request-imaging"
        note = "a fresh process each, json only" if at_least else "a fresh process each, Pillow and OpenCV loaded"
        rows.append(rate_row(name, rate, at_least, note))
    return rows


def rate_row(id: str, rate: tuple[float, int] | None, at_least: float | None, note: str) -> Row:
    if rate is None:
        return missing(id, SYSTEM, "wrk is not installed")
    per_second, errors = rate
    return figure(
        id,
        SYSTEM,
        "1/s",
        per_second if not errors else None,
        at_least=at_least,
        note=note if not errors else f"{errors} errors",
    )


def saturate(port: int, path: str, connections: int, seconds: int = LOAD_SECONDS) -> tuple[float, int] | None:
    """Requests a second and the number of errors under wrk on loopback, or None when it is not installed."""
    if not shutil.which("wrk"):
        return None
    url = f"http://127.0.0.1:{port}{path}"
    command = ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "-s", str(WRK_SCRIPT), url]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    rate = float(re.search(r"Requests/sec:\s+([\d.]+)", done.stdout)[1])
    refused = re.search(r"Non-2xx or 3xx responses: (\d+)", done.stdout)
    broken = re.search(r"Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)", done.stdout)
    errors = int(refused[1]) if refused else 0
    return rate, errors + (sum(map(int, broken.groups())) if broken else 0)


def interaction(platform: Platform) -> list[Row]:
    one = interaction_samples(platform.port, 1000)
    closed = interaction_samples(platform.port, 2000, pace=0)
    rows = [
        latency(
            "interaction",
            SYSTEM,
            one,
            "us",
            at_most=120,
            p99_at_most=1000,
            note="end of F1 to start of F2, by the handlers' clocks; one request at a time",
        ),
        latency("interaction-closed", SYSTEM, closed, "us", note="the same, back to back"),
    ]
    saturation = closed_rate(platform.port, 8, LOAD_SECONDS / 2)
    loaded = open_loop_interactions(platform.port, saturation / 2, LOAD_SECONDS)
    rows.append(
        latency(
            "interaction-half-load",
            SYSTEM,
            loaded,
            "us",
            at_most=400,
            note=f"at {saturation / 2:.0f} executions a second, half of saturation",
        )
    )
    return rows


def interaction_samples(
    port: int, count: int, chain: str = "bench/chain", body: bytes = b"{}", pace: float = PACE_SECONDS, warm: int = WARM_CALLS
) -> list[float]:
    with Client(port) as client:
        for _ in range(warm):
            checked(client, f"/invoke/{chain}", body)
        samples = []
        for _ in range(count):
            if pace:
                time.sleep(pace)
            samples.append(interaction_of(checked(client, f"/invoke/{chain}", body)))
        return samples


def interaction_of(answer: bytes) -> float:
    """Seconds between F1's end and F2's start; the two ran in processes of their own, or it is no measurement."""
    output = json.loads(answer)
    if output["pid"] == output["first"]["pid"]:
        raise RuntimeError("both grains ran in one process")
    return (output["started"] - output["first"]["ended"]) / 1e9


def closed_rate(port: int, clients: int, seconds: float) -> float:
    counts = [0] * clients
    deadline = time.monotonic() + seconds

    def run(index: int) -> None:
        with Client(port) as client:
            while time.monotonic() < deadline:
                checked(client, "/invoke/bench/chain")
                counts[index] += 1

    together(run, clients)
    return sum(counts) / seconds


def open_loop_interactions(port: int, rate: float, seconds: float, clients: int = 8) -> list[float]:
    """Executions at a fixed rate, spread over several connections."""
    samples: list[list[float]] = [[] for _ in range(clients)]
    began = time.monotonic()

    def run(index: int) -> None:
        with Client(port) as client:
            for turn in range(int(rate * seconds / clients)):
                due = began + (turn * clients + index) / rate
                time.sleep(max(0.0, due - time.monotonic()))
                samples[index].append(interaction_of(checked(client, "/invoke/bench/chain")))

    together(run, clients)
    return [sample for each in samples for sample in each]


def together(run, count: int) -> None:
    """Runs run(0) … run(count - 1) in threads; the first error is raised here."""
    errors: list[BaseException] = []

    def guarded(index: int) -> None:
        try:
            run(index)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=guarded, args=(index,)) for index in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
