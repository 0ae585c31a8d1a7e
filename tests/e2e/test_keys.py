"""API keys: made and revoked by the management, checked by the frontend; each operation of the document is tried with each."""

import os
import re
import secrets
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml
from conftest import APPLICATIONS, is_problem, sandbox_option, until
from sand.command.bundle import zip_folder
from sand.command.client import Platform
from sand.command.deploy import deploy
from sand.command.local import LocalPlatform

# A platform of its own with the management in it: more than the inner loop has time for.
pytestmark = pytest.mark.slow

SCOPES = ("invoke", "deploy", "read", "admin")
METHODS = ("get", "put", "post", "delete")
# What would be changed for good with a key that may: things that are not there.
NAMES = {"app": "nothing", "key": "000000000000", "tenant": "default"}


@dataclass
class Keyed:
    local: LocalPlatform
    operator: Path

    def call(self, method: str, path: str, key: str | None, **options: Any) -> httpx.Response:
        headers = {} if key is None else {"Authorization": f"Bearer {key}"}
        url = self.local.server + path
        return httpx.request(method, url, headers=headers, trust_env=False, verify=False, timeout=120, **options)

    def sand(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-P", "-m", "sand.command", *arguments, "--server", self.local.server]
        clean = {name: value for name, value in os.environ.items() if not name.startswith("SAND_KEY")}
        clean |= environment or {"SAND_KEY_FILE": str(self.operator)}
        return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, env=clean)

    def made(self, *scopes: str, expires: str = "1d") -> str:
        done = self.sand("keys", "create", f"for {','.join(scopes)}", "--scopes", ",".join(scopes), "--expires", expires)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()


@pytest.fixture(scope="module")
def keyed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Keyed]:
    file = tmp_path_factory.mktemp("key") / "operator.key"
    file.write_text(secrets.token_urlsafe(32) + "\n")
    with LocalPlatform(*sandbox_option(), "--operator-key", str(file), "--management", "on") as local:
        key = file.read_text().strip()
        found = Keyed(local, file)
        until(lambda: found.call("GET", "/api/v1/management", key).json()["version"], "management does operations", 300)
        with Platform(local.server, key=key) as platform:
            deploy(platform, zip_folder(APPLICATIONS / "probe"))
        yield found


def operations(keyed: Keyed) -> list[tuple[str, str, bool, str, str]]:
    """(operationId, scope, whether it asks who it is, method, path) of all that the document has."""
    document = yaml.safe_load(keyed.call("GET", "/openapi.yaml", None).text)
    return [
        (
            one["operationId"],
            one["x-sand"]["scope"],
            one["x-sand"]["scope"] != "none" or one["x-sand"].get("enter") == "known",
            method.upper(),
            re.sub(r"{(\w+)}", lambda it: NAMES.get(it[1], "x"), path),
        )
        for path, methods in document["paths"].items()
        for method, one in methods.items()
        if method in METHODS
    ]


def is_refused(response: httpx.Response) -> bool:
    """By the door: what an operation itself refuses names no scope."""
    if response.status_code not in (401, 403):
        return False
    return response.status_code == 401 or "scope" in response.json()


def test_a_key_may_what_its_scopes_say_and_no_operation_is_forgotten(keyed: Keyed) -> None:
    by_scope = {scope: keyed.made(scope) for scope in SCOPES}
    revoked = keyed.made(*SCOPES)
    assert keyed.sand("keys", "revoke", revoked[5:17]).returncode == 0
    bad = [None, "garbage", by_scope["admin"][:-1], by_scope["admin"][:-7] + "A" * 7, revoked]
    tried = operations(keyed)
    assert len(tried) > 60
    for operation, scope, asks, method, path in tried:
        options = {} if method == "GET" else {"json": {}}
        for key in bad:
            refused = keyed.call(method, path, key, **options)
            assert (operation, refused.status_code == 401) == (operation, asks)
            if asks:
                assert is_problem(refused, 401)["type"].endswith("/unauthenticated")
                assert refused.headers["WWW-Authenticate"] == 'Bearer realm="sand"'
        for name, key in by_scope.items():
            answer = keyed.call(method, path, key, **options)
            if scope in ("none", name):
                assert not is_refused(answer) and answer.status_code != 503, (operation, name, answer.text)
            else:
                assert is_problem(answer, 403)["scope"] == scope, (operation, name)


def test_a_revoked_key_is_refused_at_once_and_an_expired_one_in_time(keyed: Keyed) -> None:
    key, brief = keyed.made("invoke"), keyed.made("invoke", expires="1m")
    made_at = time.monotonic()
    assert keyed.call("POST", "/invoke/probe/echo", key, json=1).json() == 1
    assert keyed.call("POST", "/invoke/probe/echo", brief, json=1).json() == 1
    revoking = {"SAND_KEY": keyed.made("admin")}
    assert keyed.sand("keys", "revoke", key[5:17], **revoking).returncode == 0
    refused = is_problem(keyed.call("POST", "/invoke/probe/echo", key, json=1), 401)
    assert "revoked" in refused["detail"]
    assert keyed.sand("keys", "revoke", key[5:17], **revoking).returncode == 3
    assert keyed.call("POST", "/invoke/probe/echo", brief, json=1).status_code == 200 or time.monotonic() - made_at > 50
    until(lambda: keyed.call("POST", "/invoke/probe/echo", brief, json=1).status_code == 401, "it expires", 90)


def test_a_key_makes_none_that_may_more(keyed: Keyed) -> None:
    admin = keyed.made("admin", "read")
    body = {"name": "more", "scopes": ["read", "deploy"]}
    assert is_problem(keyed.call("POST", "/api/v1/keys", admin, json=body), 403)["scope"] == "deploy"
    body["scopes"] = ["operator"]
    is_problem(keyed.call("POST", "/api/v1/keys", admin, json=body), 400)
    body["scopes"] = ["read"]
    made = keyed.call("POST", "/api/v1/keys", admin, json=body)
    assert (made.status_code, made.headers["Cache-Control"]) == (201, "no-store")
    assert made.json()["by"] == admin[5:17]
    direct = {"Authorization": f"Bearer {made.json()['key']}", "Sand-Direct": "true"}
    asked = httpx.get(f"{keyed.local.server}/api/v1/applications", headers=direct, trust_env=False)
    assert is_problem(asked, 403)["scope"] == "operator"


def test_who_may_only_invoke_makes_no_process_with_more_than_is_declared(keyed: Keyed) -> None:
    key, at = keyed.made("invoke"), "/api/v1/apps/probe/processes"
    for body in ({"dedicated": {"memory": "500GiB", "packages": ["nmap"]}}, {"memory": 1 << 50}, {"concurrency": 1000}):
        refused = is_problem(keyed.call("POST", at, key, json={"id": "more", **body}), 403)
        assert (refused["scope"], refused["pointer"]) == ("deploy", f"/body/{next(iter(body))}")
    assert keyed.call("POST", at, key, json={"id": "less", "concurrency": 1, "memory": "1MiB"}).status_code == 201
    more = {"id": "more", "concurrency": 1000}
    assert keyed.call("POST", at, keyed.made("invoke", "deploy"), json=more).status_code == 201


def test_a_stream_ends_when_its_key_is_revoked(keyed: Keyed) -> None:
    key = keyed.made("read")
    follow = f"{keyed.local.server}/api/v1/applications/probe/logs?follow=true"
    headers = {"Authorization": f"Bearer {key}", "Accept": "text/event-stream"}
    with httpx.stream("GET", follow, headers=headers, trust_env=False, timeout=60) as response:
        assert response.status_code == 200
        lines = response.iter_lines()
        next(lines)
        assert keyed.sand("keys", "revoke", key[5:17]).returncode == 0
        with pytest.raises((StopIteration, httpx.HTTPError)):
            while True:
                next(lines)


def test_who_did_what_with_a_key_is_told(keyed: Keyed) -> None:
    key = keyed.made("deploy", "admin")
    assert keyed.call("PUT", "/api/v1/applications/probe/aliases/next", key, json={"version": 1}).status_code == 200
    entries = keyed.call("GET", "/api/v1/audit", key, params={"limit": 20}).json()["entries"]
    moved = next(entry for entry in entries if entry["operation"] == "moveAlias")
    assert moved["caller"] == f"key:{key[5:17]}"
    made = next(entry for entry in entries if entry["operation"] == "createKey")
    assert (made["caller"], made["details"]["key"], made["status"]) == ("operator", key[5:17], 201)
    listed = keyed.sand("keys", "list")
    assert key[5:17] in listed.stdout
    assert key not in listed.stdout


def test_a_key_is_nowhere_in_what_is_written(keyed: Keyed) -> None:
    key = keyed.made("invoke", "read")
    assert keyed.call("POST", "/invoke/probe/echo", key, json=1).status_code == 200
    page = keyed.call("GET", "/web/probe/anything", key)
    assert key not in page.text
    files = [path for path in keyed.local.home.rglob("*") if path.is_file()]
    assert {"up.log", "store.db", "bus.db", "logs.db"} <= {path.name for path in files}
    secret = key[17:].encode()
    assert not [path for path in files if secret in path.read_bytes()]
