"""A request on its way to a grain: from the frontend to its owner directly, and through the global bus."""

from __future__ import annotations

import json
import time

import httpx

from .several_hosts import SeveralHosts
from .table import Row, latency
from .under_test import APPS
from .warm import PACE_SECONDS

HOSTS = 2
COUNT = 500
WARM = 100
DIRECT, OVER_BUS = "frontend1", "frontend2"
# Read by the frontend (BenchOptions): what is accepted for later goes through the topic `requests`, whoever can be reached.
BUS_FIRST = "-Dsand.bench.bus-first=true"
END_SECONDS = 30


def invocation(sandbox: str) -> list[Row]:
    """Alternating between two frontends of one cluster, of which one sends everything over the bus."""
    with SeveralHosts(HOSTS, sandbox, {OVER_BUS: [BUS_FIRST]}) as platform:
        platform.deploy(APPS / "pair")
        started: dict[str, list[float]] = {DIRECT: [], OVER_BUS: []}
        accepted: dict[str, list[float]] = {DIRECT: [], OVER_BUS: []}
        clients = {
            name: httpx.Client(base_url=f"http://127.0.0.1:{platform.ports[name]}", trust_env=False, timeout=END_SECONDS)
            for name in started
        }
        for turn in range(WARM + COUNT):
            for name in (DIRECT, OVER_BUS) if turn % 2 else (OVER_BUS, DIRECT):
                time.sleep(PACE_SECONDS)
                to_start, to_accepted = one(clients[name])
                if turn >= WARM:
                    started[name].append(to_start)
                    accepted[name].append(to_accepted)
    rows = []
    for name, id, how in ((DIRECT, "invocation-direct", "frontend to owner"), (OVER_BUS, "invocation-bus", "through Kafka")):
        system = "SAND" if name == DIRECT else "SAND, requests through Kafka"
        rows += [
            latency(id, system, started[name], note=f"{how}: from sending it to the handler's first line; respond-async"),
            latency(f"{id}-accepted", system, accepted[name], note=f"{how}: to the 202, when it cannot be lost any more"),
        ]
    return rows


def one(client: httpx.Client) -> tuple[float, float]:
    """Seconds from sending the request to the start of its handler, by the machine's clock, and to the 202."""
    began = time.monotonic()
    accepted = client.post("/invoke/pair/second", content=b"{}", headers={"Prefer": "respond-async"})
    answered = time.monotonic()
    if accepted.status_code != 202:
        raise RuntimeError(f"{accepted.status_code} {accepted.text[:300]}")
    deadline = answered + END_SECONDS
    # 404: its record is written behind its acceptance, and on a busy machine later than the frontend waits for it.
    while (end := client.get(accepted.headers["Location"] + "/output")).status_code in (
        202,
        404,
    ) and time.monotonic() < deadline:
        time.sleep(PACE_SECONDS)
    if end.status_code != 200:
        raise RuntimeError(f"{end.status_code} {end.text[:300]}")
    return json.loads(end.content)["started"] / 1e9 - began, answered - began
