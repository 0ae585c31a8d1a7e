"""One platform for the whole run, and what tests do with it. SAND_E2E_SANDBOX=docker|process chooses its sandboxes."""

import io
import os
import signal
import subprocess
import sys
import time
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest
from host_processes import find
from sand.command.bundle import zip_folder
from sand.command.client import Platform
from sand.command.deploy import deploy
from sand.command.local import LocalPlatform
from sand.emulator.emulator import Emulator

CHECKOUT = Path(__file__).parents[2]
APPLICATIONS = Path(__file__).parent / "applications"
PATIENCE_SECONDS = 60


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "slow: takes more than a few seconds; not in ./sand test --quick")
    config.addinivalue_line("markers", "long: takes minutes, or changes the machine for a while; in ./sand test --all alone")
    config.addinivalue_line("markers", "docker: needs Docker sandboxes")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Of tests that have one name pytest-xdist runs one, and says nothing of the others."""
    twice = [name for name, times in Counter(item.nodeid for item in items).items() if times > 1]
    if twice:
        raise pytest.UsageError(f"tests of one name, of which one would be run: {', '.join(twice)}")


def sandbox_option() -> list[str]:
    return ["--sandbox", os.environ.get("SAND_E2E_SANDBOX", "auto")]


class Tested:
    """A running platform, and short names for what tests ask of it."""

    __test__ = False

    def __init__(self, local: LocalPlatform) -> None:
        self.local = local
        self.server = local.server
        self.home = local.home
        limits = httpx.Limits(max_connections=None, max_keepalive_connections=64)
        self.http = httpx.Client(base_url=local.server, timeout=120, trust_env=False, limits=limits)

    @property
    def java_pid(self) -> int:
        return self.local.process.pid

    def deploy(self, folder: Path) -> dict[str, Any]:
        with Platform(self.server) as platform:
            return deploy(platform, zip_folder(folder))

    def deploy_files(self, files: Mapping[str, str | bytes]) -> httpx.Response:
        """An application of these files: the platform's answer, whatever it is."""
        return self.deploy_zip(zipped(files))

    def deploy_zip(self, data: bytes) -> httpx.Response:
        return self.http.post("/api/v1/applications", content=data, headers={"Content-Type": "application/zip"})

    def invoke(self, target: str, event: Any = None, **headers: str) -> httpx.Response:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.http.post(f"/invoke/{target}", json=event, headers=named)

    def ask(self, target: str, event: Any = None) -> Any:
        """The output of an invocation that must work."""
        response = self.invoke(target, event)
        assert response.status_code == 200, response.text
        return response.json()

    def ask_all(self, target: str, events: list[Any], at_once: int = 16) -> list[httpx.Response]:
        with ThreadPoolExecutor(at_once) as pool:
            return list(pool.map(lambda event: self.invoke(target, event), events))

    def api(self, application: str, *rest: str, **query: Any) -> Any:
        path = "/".join(["/api/v1/applications", application, *rest])
        response = self.http.get(path, params=query)
        assert response.status_code == 200, response.text
        return response.json()

    def ended(self, application: str, invocation: str) -> dict[str, Any]:
        """The record of an invocation, once it has ended."""

        def look() -> dict[str, Any] | None:
            record = self.api(application, "invocations", invocation)
            return record if record["status"] != "RUNNING" else None

        return until(look, f"invocation {invocation} has ended")

    def sand(self, *arguments: str, stdin: bytes = b"", code: int = 0) -> bytes:
        """The command against this platform: what it writes to stdout."""
        command = [sys.executable, "-P", "-m", "sand.command", "--server", self.server, *arguments]
        done = subprocess.run(command, input=stdin, capture_output=True, timeout=300, check=False)
        assert done.returncode == code, done.stderr.decode()
        return done.stdout

    def hops(self, application: str, invocation: str) -> list[dict[str, Any]]:
        """The attempts of an invocation that has ended."""
        self.ended(application, invocation)
        return self.api(application, "invocations", invocation, "timeline")["hops"]

    def status(self) -> dict[str, Any]:
        """What the one host agent says of itself."""
        response = self.http.get("/api/v1/status")
        assert response.status_code == 200, response.text
        (host,) = response.json()["hosts"]
        return host

    def grains(self, application: str) -> list[dict[str, Any]]:
        """What the host agent says of the grains in the application's sandbox; none when it does not run."""
        found = [sandbox["grains"] for sandbox in self.status()["sandboxes"] if sandbox["application"] == application]
        return [grain for grains in found for grain in grains]

    def running(self, application: str, grain: str | None = None) -> int:
        """How many instances handle a request now."""
        return sum(found["running"] for found in self.grains(application) if grain in (None, found["grain"]))

    def kill_worker(self, grain: str) -> None:
        """SIGKILL to the grain's worker, as somebody on this machine could send it."""
        host = self.ask("probe/whoami")["host"]
        inside = next(found["workerPid"] for found in self.grains("probe") if found["grain"] == grain)
        pid = inside if self.status()["sandboxKind"] == "process" else find(inside, host)
        os.kill(pid, signal.SIGKILL)


def until(look: Callable[[], Any], what: str, seconds: float = PATIENCE_SECONDS) -> Any:
    """What `look` returns once that is something."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        found = look()
        if found:
            return found
        time.sleep(0.02)
    raise AssertionError(f"not within {seconds} s: {what}")


def zipped(files: Mapping[str, str | bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def is_problem(response: httpx.Response, status: int, source: str = "caller") -> dict[str, Any]:
    """The answer is an RFC 9457 problem of that status, with what every problem has."""
    assert response.status_code == status, response.text
    assert response.headers["content-type"].startswith("application/problem+json")
    problem = response.json()
    assert problem["status"] == status
    assert problem["type"] and problem["title"] and problem["detail"]
    assert problem["source"] == source, problem
    assert isinstance(problem["retryable"], bool)
    return problem


@pytest.fixture(scope="session")
def tested() -> Iterator[Tested]:
    with LocalPlatform(*sandbox_option()) as local:
        yield Tested(local)


@pytest.fixture(scope="module", params=["platform", "emulator"])
def either(request: pytest.FixtureRequest) -> Iterator[str]:
    """The address of the platform, then that of an emulator: what holds on one holds on the other."""
    if request.param == "platform":
        yield request.getfixturevalue("tested").server
        return
    with Emulator() as emulator:
        yield emulator.url


@pytest.fixture(scope="session")
def probe(tested: Tested) -> Tested:
    """The platform with the application `probe`."""
    tested.deploy(APPLICATIONS / "probe")
    return tested


@pytest.fixture(scope="session")
def crash(tested: Tested) -> Tested:
    """The platform with the application `crash`."""
    tested.deploy(APPLICATIONS / "crash")
    return tested


@pytest.fixture
def docker(tested: Tested) -> Tested:
    if tested.status()["sandboxKind"] != "docker":
        pytest.skip("sandboxes are plain processes here")
    return tested
