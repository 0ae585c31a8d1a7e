"""The first call of an application whose sandbox is not running."""

from __future__ import annotations

import shutil
import tempfile
import time
from pathlib import Path

from .client import Client
from .table import Row, latency
from .under_test import APPS, Platform
from .warm import checked

SYSTEM = "SAND"
APPLICATIONS = 6
REFILL_SECONDS = 4


def cold_app(sandbox: str) -> list[Row]:
    with Platform(sandbox, pool=0) as platform:
        cold = first_calls(platform, pause=1)
    with Platform(sandbox, pool=1) as platform:
        pooled = first_calls(platform, pause=REFILL_SECONDS)
    return [
        latency("cold-app", SYSTEM, cold, at_most=600, note="sandbox created for the call"),
        latency("cold-app-pool", SYSTEM, pooled, at_most=80, note="a blank sandbox was ready"),
    ]


def first_calls(platform: Platform, pause: float) -> list[float]:
    samples = []
    with tempfile.TemporaryDirectory() as folder, Client(platform.port) as client:
        names = [f"cold-{index}" for index in range(APPLICATIONS)]
        for name in names:
            shutil.copytree(APPS / "cold", Path(folder) / name)
            sheet = Path(folder) / name / "sand.yaml"
            sheet.write_text(sheet.read_text().replace("name: cold", f"name: {name}"))
            platform.deploy(Path(folder) / name)
        for name in names:
            time.sleep(pause)
            began = time.perf_counter()
            checked(client, f"/invoke/{name}/hello")
            samples.append(time.perf_counter() - began)
    return samples
