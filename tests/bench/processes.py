"""Cloud processes (PraaS 6.1-6.3, 6.6): how soon there is one, how soon one invokes, and what their memory costs; messages,
reduction and swapping are in modules of their own."""

from __future__ import annotations

import time
from collections.abc import Callable

from sand.client import Process

from . import process_messages, process_reduction, process_swap
from .client import Client
from .processes_at_rest import at_rest
from .table import Row, latency
from .under_test import APPS, Platform, warm

PROCESSES = "/api/v1/applications/processes/processes"
CREATED = 200
FOLLOW_UPS = 2000
WARM_BLOCK = 500


def on_platform(part: Callable[[Platform], list[Row]]) -> Callable[[str], list[Row]]:
    """With a platform of its own."""

    def run(sandbox: str) -> list[Row]:
        with Platform(sandbox) as platform:
            platform.deploy(APPS / "processes")
            return part(platform)

    return run


def allocation(platform: Platform) -> list[Row]:
    """In a sandbox that runs, as the control plane's client sees it; two calls on one connection."""
    made: list[float] = []
    called: list[float] = []
    with Client(platform.port) as client:
        for number in range(-20, CREATED):
            took, status, answer = client.timed(PROCESSES, b"{}")
            if status != 201:
                raise RuntimeError(f"no process: {status} {answer[:200]!r}")
            new, status, answer = client.timed(f"{PROCESSES}/invoke?function=noop")
            if status != 200:
                raise RuntimeError(f"no function in a new process: {status} {answer[:200]!r}")
            if number >= 0:
                made.append(took)
                called.append(new)
            time.sleep(0.005)
    return [
        latency("process-allocation", "SAND", made, at_most=20, note="POST …/processes to its 201: made, and durable"),
        latency(
            "process-allocation-call",
            "SAND",
            called,
            at_most=20,
            note="POST …/processes/invoke to a no-op's answer from a new one",
        ),
    ]


def follow_up(platform: Platform) -> list[Row]:
    """PraaS 6.1's local invocations: a function invokes another on its host and has the result; 10 bytes there and back. By the
    clock of the function that invokes: of both calls that it makes, and nothing of how it was invoked itself."""
    server = f"http://127.0.0.1:{platform.port}"
    note = "a function invokes {} and waits for its result, 10 B; by its own clock"
    with Process(server, "processes", "follow") as first, Process(server, "processes", "followed") as second:
        second.invoke("noop", bytes(10))
        own = follow(first, None)
        other = follow(first, second.id)
        client = []
        warm(lambda: first.invoke("noop", bytes(10)))
        for _ in range(FOLLOW_UPS):
            began = time.perf_counter()
            first.invoke("noop", bytes(10))
            client.append(time.perf_counter() - began)
    return [
        latency("process-follow-up", "SAND", own, at_most=0.15, note=note.format("one of its own process")),
        latency("process-follow-up-other", "SAND", other, note=note.format("one of another process on its host")),
        latency("process-follow-up-client", "SAND", client, note="a client's further invocation over the data plane, 10 B"),
    ]


def follow(process: Process, to: str | None) -> list[float]:
    warm(lambda: process.invoke("follow", {"to": to, "count": WARM_BLOCK, "size": 10}, timeout=120))
    return [ns / 1e9 for ns in process.invoke("follow", {"to": to, "count": FOLLOW_UPS, "size": 10}, timeout=60)]


# By name, each of which can be asked for; in this order.
PARTS: dict[str, Callable[[str], list[Row]]] = {
    "process-allocation": on_platform(allocation),
    "process-follow-up": on_platform(follow_up),
    "process-messages": on_platform(process_messages.on_one_host),
    "process-messages-hosts": process_messages.between_two_hosts,
    "process-swap": on_platform(process_swap.swap),
    "process-overflow": on_platform(process_swap.overflow),
    "process-memory": on_platform(at_rest),
    "process-reduction": lambda _: process_reduction.reduction(),
}
