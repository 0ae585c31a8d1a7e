"""How applications did lately: `sand figures` and GET /api/v1/figures."""

import json
import time

import httpx
import pytest
from conftest import APPLICATIONS, Tested, is_problem, sandbox_option
from sand.command.local import LocalPlatform

WITHIN_SECONDS = 20


@pytest.mark.slow
def test_what_ended_is_counted_with_failures_and_latencies() -> None:
    with LocalPlatform(*sandbox_option()) as local:
        tested = Tested(local)
        assert tested.http.get("/api/v1/figures").json()["applications"] == []
        tested.sand("deploy", str(APPLICATIONS / "gate"))

        def invoke(target: str, body: dict) -> httpx.Response:
            return tested.http.post(f"/invoke/gate/{target}", json=body)

        assert invoke("open", {"open": False}).status_code == 200
        for _ in range(8):
            assert invoke("greet", {"name": "Ada"}).status_code == 200
        assert invoke("check", {}).status_code >= 400
        until = time.monotonic() + WITHIN_SECONDS
        while True:
            found = tested.http.get("/api/v1/figures?minutes=5").json()
            if found["applications"] and found["applications"][0]["ended"] >= 10:
                break
            assert time.monotonic() < until, str(found)
            time.sleep(0.2)
        gate = found["applications"][0]
        assert (gate["application"], gate["ended"], gate["failed"]) == ("gate", 10, 1)
        assert 0 < gate["p50Ms"] <= gate["p95Ms"] <= gate["p99Ms"]
        assert sum(step["ended"] for step in gate["steps"]) == 10
        assert found["fromMs"] <= found["sinceMs"] <= found["untilMs"]
        assert json.loads(tested.sand("figures", "--minutes", "5", "-o", "json"))["applications"][0]["ended"] == 10
        assert b"gate" in tested.sand("figures")
        is_problem(tested.http.get("/api/v1/figures?minutes=90"), 400)
