"""Pages of the web GUI on loopback, each in a browser that has nothing kept from before (`gui/walk/loads.mjs`)."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
import urllib.request

from .table import Row, latency, missing
from .under_test import APPS, ROOT, Platform

TIMES = 7
SECONDS = 600
AT_MOST_MS = 1000
APP = "wide"
PAGES = {
    "home": "#/",
    "application": f"#/applications/{APP}",
    "grain": f"#/applications/{APP}/grains/nothing",
    "workflow": f"#/applications/{APP}/workflows/main",
    "executions": f"#/applications/{APP}/executions",
    "logs": f"#/applications/{APP}/logs",
    "bus": f"#/applications/{APP}/queues",
    "data": f"#/applications/{APP}/data",
    "processes": f"#/applications/{APP}/processes",
    "hosts": "#/hosts",
    "triggers": f"#/applications/{APP}/triggers",
    "settings": "#/settings/keys",
}


def page_load(sandbox: str) -> list[Row]:
    chromium = shutil.which("chromium")
    if chromium is None:
        return [missing("page-load", "SAND", "there is no Chromium on this machine")]
    with Platform(sandbox) as platform:
        server = f"http://127.0.0.1:{platform.port}"
        platform.deploy(APPS / APP)
        execution = _ran(server)
        pages = PAGES | {"execution": f"#/applications/{APP}/executions/{execution}"}
        command = [str(ROOT / ".sand/venv/bin/node"), str(ROOT / "gui/walk/loads.mjs"), server, str(TIMES), *pages.values()]
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=SECONDS, check=False, env=os.environ | {"SAND_CHROMIUM": chromium}
        )
        if done.returncode != 0:
            raise RuntimeError((done.stderr.strip().splitlines() or ["it failed"])[0])
    took = {one["address"]: one["ms"] for one in map(json.loads, done.stdout.splitlines()[:-1])}
    note = "until its heading and what it asks for first are there; a new browser profile each time, Chromium without a GPU"
    return [
        latency(f"page-load-{name}", "SAND", [ms / 1e3 for ms in took[address]], at_most=AT_MOST_MS, note=f"{name}: {note}")
        for name, address in pages.items()
    ]


def _ran(server: str) -> str:
    """An execution of the workflow, over a few items; its id."""
    asked = urllib.request.Request(f"{server}/invoke/{APP}/main", data=b"[1, 2, 3]", method="POST")
    asked.add_header("Content-Type", "application/json")
    with urllib.request.urlopen(asked, timeout=60) as answer:
        id = answer.headers["Sand-Execution-Id"]
        answer.read()
    time.sleep(1)  # its record is written behind its answer
    return id
