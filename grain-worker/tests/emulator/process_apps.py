"""An application of functions that do in a cloud process what a test says, and a client of its processes."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import httpx

AT = "/api/v1/apps/app/processes"
PATIENCE_SECONDS = 30

# Runs the lines that it is given, with `p`, `context`, `sand`; their `out` is what it returns.
DO = """
import os, time
from pathlib import Path
import sand

def wait(file):
    while not Path(file).exists():
        time.sleep(0.005)

def handle(event, context):
    names = {"p": context.process, "context": context, "sand": sand, "wait": wait, "Path": Path, "os": os, "out": None}
    names["event"] = event
    exec(event["do"] if isinstance(event, dict) and "do" in event else "out = event", names)
    return names["out"]
"""
# Keeps what it was invoked with, in the process's state.
KEEP = """
def handle(event, context):
    p = context.process
    p.state("kept", [*p.state("kept", default=[]), [p.invocation_key, event]])
"""


class Apps:
    """:param served: see conftest.py"""

    def __init__(self, served: Any) -> None:
        self.served = served
        self.http: httpx.Client = served.http
        served.grain("do", DO)
        served.grain("keep", KEEP)

    def load(self, manifest: str = "") -> Apps:
        self.served.load("name: app\n" + manifest)
        return self

    @property
    def table(self) -> Any:
        return self.served.emulator.applications.get("app").processes

    def invoke(self, process: str | None, do: str, function: str = "do", **headers: str) -> httpx.Response:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        if process is not None:
            named["Sand-Process"] = process
        return self.http.post(f"{AT}/invoke?function={function}", json={"do": do}, headers=named)

    def run(self, process: str, do: str) -> Any:
        response = self.invoke(process, do)
        assert response.status_code == 200, response.text
        return response.json()

    def start(self, process: str, do: str) -> str:
        """The execution's id."""
        response = self.invoke(process, do, Prefer="respond-async")
        assert response.status_code == 202, response.text
        return response.json()["executionId"]

    def output(self, execution: str) -> httpx.Response:
        """Once it has ended."""
        return self.until(lambda: (found := self.asked(execution)).status_code != 202 and found)

    def asked(self, execution: str) -> httpx.Response:
        return self.http.get(f"/api/v1/applications/app/invocations/{execution}/output")

    def create(self, **asked: Any) -> httpx.Response:
        return self.http.post(AT, json=asked)

    def describe(self, process: str) -> dict[str, Any]:
        return self.http.get(f"{AT}/{process}").json()

    def step(self, process: str, step: str) -> httpx.Response:
        return self.http.post(f"{AT}/{process}/{step}")

    def status(self, process: str) -> str:
        return self.describe(process)["status"]

    def until(self, condition: Callable[[], Any]) -> Any:
        end = time.monotonic() + PATIENCE_SECONDS
        while not (found := condition()):
            assert time.monotonic() < end, "waited in vain"
            time.sleep(0.01)
        return found
