"""An application of cloud processes, deployed at a server that keeps their contract: the platform, or the emulator."""

from typing import Any

import httpx
from conftest import zipped


class ProcessServer:
    def __init__(self, url: str, application: str, files: dict[str, str]) -> None:
        self.root = f"/api/v1/apps/{application}/processes"
        self.http = httpx.Client(base_url=url, timeout=120, trust_env=False)
        deployed = self.http.post("/api/v1/applications", content=zipped(files), headers={"Content-Type": "application/zip"})
        assert deployed.status_code in (200, 201), deployed.text

    def call(self, process: str | None, function: str, event: Any = None, **headers: str) -> httpx.Response:
        where = {"function": function} | ({} if process is None else {"process": process})
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.http.post(f"{self.root}/invoke", params=where, json=event, headers=named)

    def ask(self, process: str, function: str, event: Any = None) -> Any:
        response = self.call(process, function, event)
        assert response.status_code == 200, response.text
        return response.json() if response.content else None

    def step(self, process: str, step: str) -> None:
        response = self.http.post(f"{self.root}/{process}/{step}")
        assert response.status_code == 200, response.text

    def make(self, *processes: str) -> None:
        for process in processes:
            assert self.http.post(self.root, json={"id": process}).status_code == 201
