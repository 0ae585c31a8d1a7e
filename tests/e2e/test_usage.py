"""What an application has used is kept for who bills it: `sand usage` and GET …/usage, over restarts, kills and deletions."""

import json
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import Tested, is_problem, sandbox_option, until
from sand.client import InvocationFailed, Process
from sand.command.local import LocalPlatform

# A platform of its own, and more than one start of it.
pytestmark = pytest.mark.slow

FILES = {
    "sand.yaml": "name: metered\nprocesses: {memory: 64MiB}\ngrains:\n  nap: {memory: 32MiB}\n",
    "grains/echo/handler.py": "def handle(event, context):\n    return event\n",
    "grains/boom/handler.py": "def handle(event, context):\n    raise ValueError('boom')\n",
    "grains/nap/handler.py": "import time\ndef handle(event, context):\n    time.sleep(event)\n    return event\n",
}


@pytest.fixture
def local() -> Iterator[LocalPlatform]:
    with tempfile.TemporaryDirectory(prefix="sand-", dir="/tmp") as folder:
        started = LocalPlatform(*sandbox_option(), "--usage-interval", "1s", home=Path(folder)).start()
        try:
            yield started
        finally:
            started.stop()


def use(tested: Tested, times: int) -> None:
    with Process(tested.server, "metered", f"p-{time.time_ns()}") as process:
        for number in range(times):
            assert process.invoke("echo", number % 10) == number % 10


def totals(tested: Tested, kind: str = "dataPlane") -> dict[str, Any]:
    return tested.api("metered", "usage")["totals"][kind]


def test_use_outlives_its_platform_and_its_application(local: LocalPlatform) -> None:
    tested = Tested(local)
    assert tested.deploy_files(FILES).status_code == 201
    assert totals(tested)["invocations"] == 0
    use(tested, 5)
    with Process(tested.server, "metered", "p") as process:
        assert process.invoke("nap", 0.25) == 0.25
        with pytest.raises(InvocationFailed):
            process.invoke("boom", 1)
    assert tested.ask("metered/nap", 0.125) == 0.125
    assert tested.invoke("metered/boom", 1).status_code >= 400
    local.stop()
    tested = Tested(local.start())
    grains = totals(tested, "grains")
    assert (grains["attempts"], grains["failed"], grains["ms"] >= 125) == (2, 1, True)
    assert grains["mbMs"] >= 32 * 125
    first = totals(tested)
    assert (first["invocations"], first["failed"], first["bytesIn"], first["bytesOut"]) == (7, 1, 5 + 4 + 1, 5 + 4)
    assert first["ms"] >= 250
    assert abs(first["mbMs"] - 64 * first["ms"]) <= 64 * 2  # of two days at the most, in whole milliseconds
    use(tested, 3)
    until(lambda: totals(tested)["invocations"] == 10, "it is written while the platform runs")
    local.kill()
    tested = Tested(local.start())
    assert totals(tested)["invocations"] == 10
    use(tested, 2)
    until(lambda: totals(tested)["invocations"] == 12, "what is used now is added to what there is")
    shown = json.loads(tested.sand("usage", "metered", "-o", "json"))
    assert shown == tested.api("metered", "usage")
    assert len(shown["days"]) == 30
    assert sum(day["dataPlane"]["invocations"] for day in shown["days"][-2:]) == 12
    assert b"data plane" in tested.sand("usage", "metered", "--from", shown["from"], "--to", shown["to"])
    tested.sand("delete", "metered", "--yes")
    assert totals(tested)["invocations"] == 12
    tested.sand("usage", "nobody", code=3)


def test_days_that_are_none_are_refused(tested: Tested) -> None:
    assert tested.deploy_files(FILES).status_code in (200, 201)
    for query in ("from=today", "to=2026-02-30", "from=2026-01-02&to=2026-01-01", "from=2024-01-01&to=2026-01-01"):
        is_problem(tested.http.get(f"/api/v1/apps/metered/usage?{query}"), 400)
    assert tested.api("metered", "usage", **{"from": "2026-01-01", "to": "2026-01-01"})["days"][0]["day"] == "2026-01-01"
    tested.sand("usage", "metered", "--from", "yesterday", code=2)
