"""An emulator that serves an application made of a test's own files."""

from __future__ import annotations

import textwrap
from pathlib import Path

import httpx

from sand.emulator.emulator import Emulator


class Served:
    """An emulator and a client of it."""

    def __init__(self, emulator: Emulator, folder: Path) -> None:
        self.emulator = emulator
        self.folder = folder
        self.http = httpx.Client(base_url=emulator.url, timeout=60, trust_env=False)

    def grain(self, name: str, code: str) -> None:
        path = self.folder / "grains" / name / "handler.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(code))

    def load(self, manifest: str = "name: app\n") -> None:
        (self.folder / "sand.yaml").write_text(textwrap.dedent(manifest))
        self.emulator.applications.load(self.folder)

    def call(self, target: str, event: object = None, **headers: str) -> httpx.Response:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.http.post(f"/invoke/app/{target}", json=event, headers=named)

    def ask(self, target: str, event: object = None) -> object:
        response = self.call(target, event)
        assert response.status_code == 200, response.text
        return response.json()
