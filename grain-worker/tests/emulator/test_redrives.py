"""Redrives in the emulator after its folder has changed, beyond what the scenarios show of both it and the platform."""

from __future__ import annotations

import json
import time
from typing import Any

from served import Served

MACHINE: dict[str, Any] = {"StartAt": "Step", "States": {"Step": {"Type": "Task", "Resource": "step", "End": True}}}


def fail(served: Served) -> str:
    served.grain("step", "def handle(event, context):\n    raise ValueError('broken')\n")
    write(served, MACHINE)
    served.load()
    return served.call("main", 1).headers["Sand-Execution-Id"]


def write(served: Served, machine: dict[str, Any]) -> None:
    (served.folder / "workflows").mkdir(exist_ok=True)
    (served.folder / "workflows/main.asl.json").write_text(json.dumps(machine))


def of(served: Served, id: str, what: str = "", **options: Any) -> Any:
    address = f"/api/v1/applications/app/invocations/{id}{what}"
    return served.http.post(address, **options) if what == "/redrive" else served.http.get(address)


def test_the_history_of_what_ended_before_a_reload_stays(served: Served) -> None:
    id = fail(served)
    before = of(served, id, "/history").json()
    served.grain("step", "def handle(event, context):\n    return 'mended'\n")
    served.load()
    assert before["events"] and of(served, id, "/history").json() == before


def test_a_grain_that_was_mended_since_is_called_as_it_is_now(served: Served) -> None:
    id = fail(served)
    served.grain("step", "def handle(event, context):\n    return 'mended'\n")
    served.load()
    assert of(served, id, "/redrive").status_code == 202
    record = of(served, id).json()
    while record["status"] == "RUNNING":
        time.sleep(0.02)
        record = of(served, id).json()
    assert (record["status"], record["version"], record["redriveCount"]) == ("SUCCEEDED", 2, 1)
    assert of(served, id, "/output").json() == "mended"


def test_a_definition_that_has_changed_since_is_not_gone_on_with(served: Served) -> None:
    id = fail(served)
    write(served, {**MACHINE, "Comment": "another one"})
    served.load()
    refused = of(served, id, "/redrive")
    assert refused.status_code == 409
    assert "version 2 does not have the same definition of 'main'" in refused.json()["detail"]
    assert of(served, id, "/redrive", json={"version": 1}).json()["detail"].endswith("version 1 is kept no more.")
