"""What the grains of the management add to an operation: each through its grain and directly, in turns."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import httpx

from .several_hosts import SeveralHosts
from .table import Row, figure, latency, percentile
from .under_test import APPS, Platform

CALLS = 300
# Each move of an alias waits a second until every frontend has seen it.
CLUSTER_CALLS = 60
READY_SECONDS = 180
DIRECT = {"Sand-Direct": "true"}


def management_call(sandbox: str) -> list[Row]:
    with Platform(sandbox, options=["--management", "on"]) as platform:
        return of_server(f"http://127.0.0.1:{platform.port}", "management", platform.deploy, CALLS)


def management_cluster(sandbox: str) -> list[Row]:
    """The same through nginx and either of two frontends, of two hosts over Kafka and Cassandra."""
    with SeveralHosts(2, sandbox, management="on") as cluster:
        return of_server(cluster.cluster.server, "management-cluster", cluster.deploy, CLUSTER_CALLS)


def of_server(server: str, prefix: str, deploy: Callable[[Path], None], count: int) -> list[Row]:
    rows = []
    with httpx.Client(base_url=server, timeout=60, trust_env=False) as http:
        wait_until_managed(http)
        deploy(APPS / "bench")
        http.post("/invoke/bench/noop", json={}).raise_for_status()
        app = "/api/v1/applications/bench"
        execution = http.get(f"{app}/invocations").json()["invocations"][0]["executionId"]
        calls = {
            "listApplications": ("GET", "/api/v1/applications", None),
            "describeInvocation": ("GET", f"{app}/invocations/{execution}", None),
            "moveAlias": ("PUT", f"{app}/aliases/next", {"version": 1}),
        }
        for name, (method, path, body) in calls.items():
            grain, direct = [], []
            for _ in range(count):
                for samples, headers in ((grain, {}), (direct, DIRECT)):
                    began = time.perf_counter()
                    response = http.request(method, path, json=body, headers=headers)
                    samples.append(time.perf_counter() - began)
                    response.raise_for_status()
                    if ("Sand-Execution-Id" in response.headers) != (samples is grain):
                        raise RuntimeError(f"{name} did not take the way that it was to take: {response.headers}")
            added = (percentile(grain, 0.5) - percentile(direct, 0.5)) * 1e3
            rows.append(latency(f"{prefix}-{name}", "SAND", grain, note="through a grain of the management"))
            rows.append(latency(f"{prefix}-{name}-direct", "SAND", direct, note="the same without"))
            rows.append(figure(f"{prefix}-{name}-added", "SAND", "ms", added, at_most=5, note="medians of both, in turns"))
    return rows


def wait_until_managed(http: httpx.Client) -> None:
    end = time.monotonic() + READY_SECONDS
    while http.get("/api/v1/management").json()["version"] is None:
        if time.monotonic() > end:
            raise RuntimeError(f"no management after {READY_SECONDS} s: {http.get('/api/v1/management').text}")
        time.sleep(0.2)
