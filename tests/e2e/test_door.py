"""Who is let in: nobody from elsewhere without a key, and no web page of another site at a platform that asks for none."""

import json
import os
import secrets
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from conftest import APPLICATIONS, Tested, is_problem, sandbox_option, until
from sand.client import Process
from sand.command.bundle import zip_folder
from sand.command.client import Platform
from sand.command.deploy import deploy
from sand.command.local import LocalPlatform
from sand.errors import Denied

pytestmark = pytest.mark.slow


def test_it_does_not_listen_for_other_machines_without_a_key(tmp_path: Path) -> None:
    command = [sys.executable, "-P", "-m", "sand.command", "up", "--home", str(tmp_path), "--sandbox", "process"]
    done = subprocess.run([*command, "--listen", "0.0.0.0:0"], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2
    assert "--listen 0.0.0.0:0 is not an address of this machine alone" in done.stderr
    assert "--operator-key" in done.stderr
    assert not done.stdout


def test_without_a_key_it_answers_to_its_own_machine_and_its_own_pages(probe: Tested) -> None:
    for host in ("evil.example", f"evil.example:{probe.local.port}", "10.0.0.1"):
        is_problem(probe.http.get("/api/v1/applications", headers={"Host": host}), 403)
        is_problem(probe.http.post("/invoke/probe/echo", json=1, headers={"Host": host}), 403)
    for strange in ({"Origin": "https://evil.example"}, {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"}):
        is_problem(probe.http.post("/invoke/probe/echo", json=1, headers=strange), 403)
        is_problem(probe.http.delete("/api/v1/applications/probe", headers=strange), 403)
    own = {"Origin": probe.server, "Sec-Fetch-Site": "same-origin"}
    assert probe.http.post("/invoke/probe/echo", json=1, headers=own).json() == 1
    assert probe.http.get("/readyz", headers={"Host": "a-balancer"}).status_code == 200
    assert "open: no account" in probe.local.log.read_text()


@pytest.fixture(scope="module")
def keyed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[LocalPlatform, Path]]:
    file = tmp_path_factory.mktemp("key") / "operator.key"
    file.write_text(secrets.token_urlsafe(32) + "\n")
    with LocalPlatform(*sandbox_option(), "--operator-key", str(file)) as local:
        with Platform(local.server, key=file.read_text().strip()) as platform:
            deploy(platform, zip_folder(APPLICATIONS / "probe"))
        yield local, file


def sand(local: LocalPlatform, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-P", "-m", "sand.command", "--server", local.server, *arguments]
    clean = {name: value for name, value in os.environ.items() if not name.startswith("SAND_KEY")}
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, env=clean | environment)


def test_with_a_key_it_answers_to_nobody_else(keyed: tuple[LocalPlatform, Path]) -> None:
    local, file = keyed
    key = file.read_text().strip()
    for wrong in ({}, {"Authorization": "Bearer " + secrets.token_urlsafe(32)}, {"Authorization": f"Basic {key}"}):
        for method, path in (("GET", "/api/v1/applications"), ("POST", "/invoke/probe/echo"), ("GET", "/metrics")):
            refused = httpx.request(method, local.server + path, headers=wrong, trust_env=False, verify=False)
            is_problem(refused, 401)
            assert refused.headers["www-authenticate"] == 'Bearer realm="sand"'
    assert httpx.get(f"{local.server}/readyz", trust_env=False).status_code == 200
    strange = {"Authorization": f"Bearer {key}", "Host": "any.example"}
    assert httpx.get(f"{local.server}/api/v1/applications", headers=strange, trust_env=False).status_code == 200


def test_the_command_and_the_client_show_it(keyed: tuple[LocalPlatform, Path]) -> None:
    local, file = keyed
    refused = sand(local, "list")
    assert refused.returncode == 4
    assert "SAND_KEY" in refused.stderr
    key = file.read_text().strip()
    assert sand(local, "list", SAND_KEY="x" * 40).returncode == 4
    assert sand(local, "deploy", str(APPLICATIONS / "probe"), SAND_KEY=key).returncode == 0
    assert sand(local, "--key-file", str(file), "list").stdout.count("probe") == 1
    assert sand(local, "invoke", "probe/echo", "--data", "7", "--key-file", str(file)).stdout.strip() == "7"
    found = sand(local, "doctor", "--server", local.server, "-o", "json", SAND_KEY_FILE=str(file)).stdout
    assert [check["result"] for check in json.loads(found) if check["check"] == "server"] == ["ok"]
    with pytest.raises(Denied), Process(local.server, "probe", "p"):
        pass
    with Process(local.server, "probe", "p", token=key) as process:
        assert process.invoke("echo", 8) == 8


def test_who_changed_what_is_told(keyed: tuple[LocalPlatform, Path]) -> None:
    local, file = keyed
    shown = {"SAND_KEY_FILE": str(file)}
    assert sand(local, "deploy", str(APPLICATIONS / "probe"), **shown).returncode == 0
    assert sand(local, "rollback", "probe", "--to", "999", **shown).returncode == 3

    def told() -> list[dict]:
        found = sand(local, "audit", "--application", "probe", "--limit", "2", "-o", "json", **shown).stdout
        entries = json.loads(found)["entries"]
        return entries if all(entry["status"] for entry in entries) else []

    undone, deployed = until(told, "both have ended")
    assert (undone["operation"], undone["status"], undone["problem"]) == ("rollback", 404, "unknown-version")
    assert (deployed["operation"], deployed["caller"], deployed["address"]) == ("deploy", "operator", "127.0.0.1")
    assert deployed["details"]["version"] == "1"
    assert "deploy" in sand(local, "audit", **shown).stdout


def test_the_key_is_nowhere_in_what_is_written(keyed: tuple[LocalPlatform, Path]) -> None:
    local, file = keyed
    key = file.read_text().strip().encode()
    shown = {"Authorization": f"Bearer {key.decode()}"}
    assert httpx.post(f"{local.server}/invoke/probe/echo", json=1, headers=shown, trust_env=False).status_code == 200
    written = [path for path in local.home.iterdir() if path.is_file()]
    assert {"up.log", "store.db", "bus.db", "logs.db"} <= {path.name for path in written}
    assert not [path for path in written if key in path.read_bytes()]
    assert key not in Path(f"/proc/{local.process.pid}/cmdline").read_bytes()
