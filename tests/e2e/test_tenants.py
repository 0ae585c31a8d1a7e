"""Tenants are apart: each operation of the document is tried with another tenant's key, a revoked one and none."""

import json
import os
import re
import secrets
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml
from conftest import APPLICATIONS, is_problem, sandbox_option, until
from sand.client import Denied, Process
from sand.command.bundle import zip_folder
from sand.command.client import Platform
from sand.command.deploy import deploy
from sand.command.local import LocalPlatform
from two_tenants import PASSWORD, SCOPES, Tenant, Tenants, call, joined, signed_in, tenant

# A platform of its own with the management in it: more than the inner loop has time for.
pytestmark = pytest.mark.slow

METHODS = ("get", "put", "post", "delete")


@pytest.fixture(scope="module")
def tenants(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tenants]:
    """Each has an application `probe`, and so has `default`."""
    file: Path = tmp_path_factory.mktemp("key") / "operator.key"
    operator = secrets.token_urlsafe(32)
    file.write_text(operator + "\n")
    with LocalPlatform(*sandbox_option(), "--operator-key", str(file), "--management", "on") as local:
        until(lambda: call(local, "GET", "/api/v1/management", operator).json()["version"], "management does operations", 300)
        first = {"name": "root", "password": PASSWORD}
        assert call(local, "POST", "/api/v1/users", operator, json=first).status_code == 201
        with Platform(local.server, key=operator) as platform:
            deploy(platform, zip_folder(APPLICATIONS / "probe"))
        red = tenant(local, operator, "red", "127.0.0.21")
        blue = tenant(local, operator, "blue", "127.0.0.22")
        for one in (red, blue):
            ran = call(local, "POST", "/invoke/probe/echo", one.key, json=one.name)
            assert ran.json() == one.name
            one.execution = ran.headers["Sand-Execution-Id"]
        yield Tenants(local, operator, red, blue)


def operations(tenants: Tenants) -> list[tuple[str, dict[str, Any], str, str]]:
    """(operationId, x-sand, method, path template) of all that the document has, and that ask who it is."""
    document = yaml.safe_load(tenants.call("GET", "/openapi.yaml").text)
    return [
        (one["operationId"], one["x-sand"], method.upper(), path)
        for path, methods in document["paths"].items()
        for method, one in methods.items()
        if method in METHODS and (one["x-sand"]["scope"] != "none" or one["x-sand"].get("enter") == "known")
    ]


def filled(path: str, **names: str) -> str:
    return re.sub(r"{(\w+)}", lambda it: names.get(it[1], "x"), path)


def test_each_tenant_has_names_of_its_own(tenants: Tenants) -> None:
    for key, name in ((tenants.operator, "probe"), (tenants.red.key, "red--probe"), (tenants.blue.key, "blue--probe")):
        listed = tenants.call("GET", "/api/v1/applications", key).json()["applications"]
        assert [each["name"] for each in listed] == [name]
        shown = tenants.call("GET", "/api/v1/applications/probe", key).json()
        assert (shown["application"], shown["version"]) == (name, 1)
    assert tenants.call("GET", "/api/v1/applications/red--probe", tenants.red.key).json()["application"] == "red--probe"
    assert tenants.call("POST", "/invoke/red--probe/echo", tenants.red.key, json=1).json() == 1
    assert tenants.call("POST", "/invoke/red--probe/echo", tenants.operator, json=1).json() == 1
    every = tenants.call("GET", "/api/v1/applications?tenant=red", tenants.operator).json()["applications"]
    assert [each["name"] for each in every] == ["red--probe"]


@pytest.mark.parametrize("theirs", ["red--probe", "default--probe", "blue--red--probe", "default--red--probe"])
def test_no_operation_reaches_another_tenants_application(tenants: Tenants, theirs: str) -> None:
    tried = [each for each in operations(tenants) if "{app}" in each[3]]
    assert len(tried) > 45
    before = tenants.call("GET", "/api/v1/applications/red--probe", tenants.operator).json()
    for operation, _, method, path in tried:
        there = filled(path, app=theirs, target="echo", id=tenants.red.execution, version="1", alias="live")
        options = {} if method == "GET" else {"json": {}}
        answer = tenants.call(method, there, tenants.blue.key, **options)
        refused = is_problem(answer, 404)
        assert (operation, refused["type"].rpartition("/")[2]) == (operation, "unknown-application")
    assert tenants.call("GET", "/api/v1/applications/red--probe", tenants.operator).json() == before


def test_nothing_opens_without_a_key_that_is_good(tenants: Tenants) -> None:
    for operation, _, method, path in operations(tenants):
        options = {} if method == "GET" else {"json": {}}
        for key in (None, tenants.blue.revoked):
            there = filled(path, app="blue--probe", target="echo", tenant="blue", user="blue-owner", id=tenants.blue.execution)
            assert (operation, tenants.call(method, there, key, **options).status_code) == (operation, 401)


def test_what_belongs_to_no_application_says_nothing_of_other_tenants(tenants: Tenants) -> None:
    theirs = {"tenant": "red", "user": "red-owner", "key": tenants.red.key[5:17], "id": "0" * 64}
    for operation, sand, method, path in operations(tenants):
        if "{app}" in path or path.startswith(("/api/v1/session", "/api/v1/account", "/api/v1/task-tokens")):
            continue
        answer = tenants.call(method, filled(path, **theirs), tenants.blue.key, **({} if method == "GET" else {"json": {}}))
        if sand["scope"] == "operator":
            assert (operation, is_problem(answer, 403)["scope"]) == (operation, "operator")
        elif any(each in path for each in ("{tenant}", "{user}", "{key}")):
            assert (operation, answer.status_code) == (operation, 404)
        else:
            assert "red" not in re.findall(r"\w+", answer.text), operation
    for path in ("/api/v1/applications", "/api/v1/audit"):
        is_problem(tenants.call("GET", f"{path}?tenant=red", tenants.blue.key), 404)


def test_ids_of_another_tenant_name_nothing_in_ones_own_application(tenants: Tenants) -> None:
    for what in ("", "/output", "/timeline", "/logs", "/events"):
        path = f"/api/v1/applications/probe/invocations/{tenants.red.execution}{what}"
        assert tenants.call("GET", path, tenants.red.key).status_code == 200
        assert (what, tenants.call("GET", path, tenants.blue.key).status_code) == (what, 404)


def test_what_an_application_used_is_its_own_tenants_to_see(tenants: Tenants) -> None:
    with Process(tenants.local.server, "probe", "used", token=tenants.red.key) as process:
        assert process.invoke("echo", 7) == 7

    def used(key: str, app: str = "probe") -> int:
        answer = tenants.call("GET", f"/api/v1/apps/{app}/usage", key)
        assert answer.status_code == 200, answer.text
        return answer.json()["totals"]["dataPlane"]["invocations"]

    until(lambda: used(tenants.red.key) == 1, "it is written", 60)
    assert used(tenants.operator, "red--probe") == 1
    assert used(tenants.blue.key) == used(tenants.operator) == 0
    is_problem(tenants.call("GET", "/api/v1/apps/red--probe/usage", tenants.blue.key), 404)


def test_figures_are_of_ones_own_applications(tenants: Tenants) -> None:
    def names(key: str) -> set[str]:
        answer = tenants.call("GET", "/api/v1/figures?minutes=60&system=true", key)
        assert answer.status_code == 200, answer.text
        if key != tenants.operator:
            assert answer.json()["hosts"] == []
        return {each["application"] for each in answer.json()["applications"]}

    for one in (tenants.red, tenants.blue):
        assert tenants.call("POST", "/invoke/probe/echo", one.key, json=1).status_code == 200
        assert names(one.key) == {f"{one.name}--probe"}
    assert names(tenants.operator) >= {"red--probe", "blue--probe"}


def test_who_changed_what_is_told_in_ones_own_tenant(tenants: Tenants) -> None:
    for one in (tenants.red, tenants.blue):
        entries = tenants.call("GET", "/api/v1/audit?limit=1000", one.key).json()["entries"]
        assert {each["application"] for each in entries} == {None, f"{one.name}--probe"}
        assert f"key:{one.key[5:17]}" in {each["caller"] for each in entries}


def test_a_session_acts_in_one_tenant_and_goes_to_another_of_its_users(tenants: Tenants) -> None:
    headers = joined(tenants.local, tenants.operator, "red", "both", "127.0.0.23")

    def names() -> list[str]:
        return [each["name"] for each in tenants.call("GET", "/api/v1/applications", headers=headers).json()["applications"]]

    assert names() == ["red--probe"]
    is_problem(tenants.call("PUT", "/api/v1/session", headers=headers, json={"tenant": "blue"}), 404)
    role = {"role": "viewer"}
    assert tenants.call("PUT", "/api/v1/tenants/blue/members/both", tenants.blue.key, json={"role": "owner"}).status_code == 200
    moved = tenants.call("PUT", "/api/v1/session", headers=headers, json={"tenant": "blue"})
    assert (moved.status_code, moved.json()["tenant"]) == (200, "blue")
    assert names() == ["blue--probe"]
    assert tenants.call("PUT", "/api/v1/tenants/blue/members/both", tenants.blue.key, json=role).status_code == 200
    assert (
        is_problem(tenants.call("POST", "/api/v1/applications/probe/invoke/echo", headers=headers, json=1), 403)["scope"]
        == "invoke"
    )
    assert tenants.call("DELETE", "/api/v1/tenants/blue/members/both", tenants.blue.key).status_code == 204
    is_problem(tenants.call("GET", "/api/v1/applications", headers=headers), 403)


def test_the_command_makes_suspends_and_deletes_tenants(tenants: Tenants, tmp_path: Path) -> None:
    file = tmp_path / "key"
    file.write_text(tenants.operator)

    def sand(*arguments: str) -> str:
        command = [
            sys.executable,
            "-P",
            "-m",
            "sand.command",
            *arguments,
            "--server",
            tenants.local.server,
            "--key-file",
            str(file),
        ]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    sand("tenant", "create", "brief", "--title", "For a moment")
    assert "For a moment" in sand("tenant", "list")
    sand("quotas", "set", "--tenant", "brief", "--applications", "3")
    assert json.loads(sand("quotas", "show", "--tenant", "brief", "-o", "json"))["limits"]["applications"] == 3
    password = tmp_path / "password"
    password.write_text(PASSWORD)
    environment = {**os.environ, "XDG_CONFIG_HOME": str(tmp_path)}
    command = [sys.executable, "-P", "-m", "sand.command"]
    at = ["--server", tenants.local.server]

    def red(*arguments: str) -> str:
        return subprocess.run(
            [*command, *arguments, *at], capture_output=True, text=True, timeout=120, check=True, env=environment
        ).stdout

    red("login", "red-owner", "--password-file", str(password))
    assert json.loads(red("quotas", "show", "-o", "json"))["tenant"] == "red"
    assert red("account", "invite", "--role", "viewer").startswith("red.")
    red("tenant", "use", "red")
    assert "brief" not in red("tenant", "list")
    sand("tenant", "suspend", "brief")
    sand("tenant", "resume", "brief")
    sand("tenant", "delete", "brief")
    assert "brief" not in sand("tenant", "list")


def test_quotas_are_each_tenants_own(tenants: Tenants) -> None:
    limit = {"requestsPerSecond": 0}
    assert tenants.call("PUT", "/api/v1/tenants/red/quotas", tenants.operator, json=limit).status_code == 200
    until(lambda: tenants.call("POST", "/invoke/probe/echo", tenants.red.key, json=1).status_code == 429, "red is limited", 30)
    refused = is_problem(tenants.call("POST", "/invoke/red--probe/echo", tenants.operator, json=1), 429)
    assert "'red'" in refused["detail"]
    assert tenants.call("POST", "/invoke/probe/echo", tenants.blue.key, json=1).status_code == 200
    assert tenants.call("PUT", "/api/v1/tenants/red/quotas", tenants.operator, json={}).status_code == 200
    until(lambda: tenants.call("POST", "/invoke/probe/echo", tenants.red.key, json=1).status_code == 200, "red goes on", 30)
    used = tenants.call("GET", "/api/v1/tenants/red/quotas", tenants.red.key).json()
    assert used["use"]["applications"] == 1


def test_a_grain_is_borrowed_within_a_tenant_alone(tenants: Tenants, tmp_path: Path) -> None:
    lender, borrower = tmp_path / "lender", tmp_path / "borrower"
    (lender / "grains" / "lent").mkdir(parents=True)
    (lender / "grains" / "lent" / "handler.py").write_text("def handle(event, context):\n    return 7\n")
    (lender / "sand.yaml").write_text("name: lender\nshare: [lent]\n")
    borrower.mkdir()
    with Platform(tenants.local.server, key=tenants.red.key) as platform:
        deploy(platform, zip_folder(lender))
    for said, by, status in (
        ("lender", tenants.red, 201),
        ("red--lender", tenants.red, 201),
        ("red--lender", tenants.blue, 422),
        ("lender", tenants.blue, 422),
    ):
        (borrower / "sand.yaml").write_text(f"name: borrower\ngrains:\n  lent: {{from: {said}/lent}}\n")
        sent = {"content": zip_folder(borrower), "headers": {"Content-Type": "application/zip"}}
        answer = tenants.call("POST", "/api/v1/applications", by.key, **sent)
        assert (said, by.name, answer.status_code) == (said, by.name, status), answer.text
        if status == 422:
            assert is_problem(answer, 422)["errors"][0]["pointer"] == "/grains/lent/from", answer.text
    assert tenants.call("POST", "/invoke/borrower/lent", tenants.red.key, json=1).json() == 7
    for application in ("borrower", "lender"):
        assert tenants.call("DELETE", f"/api/v1/applications/{application}", tenants.red.key).status_code == 204


def test_pages_have_their_tenant_in_their_address(tenants: Tenants) -> None:
    assert tenants.call("GET", "/web/red--probe/mirror/x").json()["path"] == "/mirror/x"
    is_problem(tenants.call("GET", "/web/default--probe/mirror/x"), 404)


def test_whoever_sends_slowly_holds_up_nobody_else(tenants: Tenants) -> None:
    """Half requests, of which the rest does not come: four, and more, of what four are taken of at once."""
    zip_type, json_type = "application/zip", "application/json"
    held = []

    def half(method: str, path: str, content_type: str, key: str | None, address: str) -> None:
        connection = socket.create_connection(("127.0.0.1", tenants.local.port), source_address=(address, 0))
        lines = [f"{method} {path} HTTP/1.1", "Host: 127.0.0.1", f"Content-Type: {content_type}", "Content-Length: 1000"]
        lines += [f"Authorization: Bearer {key}"] if key else []
        connection.sendall(("\r\n".join(lines) + "\r\n\r\n{").encode())
        held.append(connection)

    try:
        for number in range(9):
            half("POST", "/api/v1/sessions", json_type, None, "127.0.0.31")
            half("POST", "/api/v1/users", json_type, None, "127.0.0.32")
            half("POST", "/api/v1/applications", zip_type, tenants.blue.key, "127.0.0.1")
            half("POST", "/api/v1/applications?dryRun=true", zip_type, tenants.blue.key, "127.0.0.1")
            half("PUT", f"/api/v1/applications/probe/data/value?key=k{number}", json_type, tenants.blue.key, "127.0.0.1")
        # More than a tenant may send at once: its own are refused, when all of them have arrived.
        until(lambda: deployed_again(tenants, tenants.blue).status_code == 429, "blue's own places are taken", 30)
        assert signed_in(tenants.local, "red-owner", "127.0.0.33")
        assert deployed_again(tenants, tenants.red).status_code == 200
        assert deployed_again(tenants, tenants.red, "?dryRun=true").status_code == 200
        value = "/api/v1/applications/probe/data/value?key=a"
        assert tenants.call("PUT", value, tenants.red.key, json=1).status_code == 200
        assert tenants.call("GET", value, tenants.red.key).json() == 1
    finally:
        for connection in held:
            connection.close()


def deployed_again(tenants: Tenants, tenant: Tenant, query: str = "") -> httpx.Response:
    sent = {"content": zip_folder(APPLICATIONS / "probe"), "headers": {"Content-Type": "application/zip"}}
    return tenants.call("POST", f"/api/v1/applications{query}", tenant.key, **sent)


def test_the_platforms_own_application_is_the_operators_under_any_name(tenants: Tenants, tmp_path: Path) -> None:
    key = tenants.call("POST", "/api/v1/keys", tenants.operator, json={"name": "reads", "scopes": SCOPES}).json()["key"]
    for said in ("0sand-management", "default--0sand-management"):
        for path in (f"/api/v1/applications/{said}?system=true", f"/api/v1/applications/{said}/invocations?system=true"):
            assert tenants.call("GET", path, key).status_code in (403, 404), path
            assert tenants.call("GET", path, tenants.blue.key).status_code in (403, 404), path


def test_the_longest_names_are_good_for_sandboxes_queues_and_processes(tenants: Tenants, tmp_path: Path) -> None:
    name, app = "t" * 20, "a" * 63
    long = tenant(tenants.local, tenants.operator, name, "127.0.0.25")
    (tmp_path / "grains" / "g").mkdir(parents=True)
    (tmp_path / "grains" / "g" / "handler.py").write_text("def handle(event, context):\n    return context.application\n")
    (tmp_path / "sand.yaml").write_text(f"name: {app}\nqueues: {{q: {{target: g}}}}\n")
    with Platform(tenants.local.server, key=long.key) as platform:
        deploy(platform, zip_folder(tmp_path))
    assert tenants.call("POST", f"/invoke/{app}/g", long.key, json=1).json() == f"{name}--{app}"
    assert tenants.call("POST", f"/api/v1/applications/{app}/queues/q", long.key, json=1).status_code < 300
    made = tenants.call("POST", f"/api/v1/applications/{app}/processes", long.key, json={})
    assert made.status_code == 201, made.text
    assert tenants.call("DELETE", f"/api/v1/applications/{app}", long.key).status_code == 204


def test_a_suspended_tenant_begins_nothing_over_the_data_plane_and_goes_on_afterwards(tenants: Tenants) -> None:
    idle = tenant(tenants.local, tenants.operator, "idle", "127.0.0.26")
    path = "/api/v1/tenants/idle"
    with (
        Process(tenants.local.server, "probe", "p", token=idle.key) as process,
        Process(tenants.local.server, "probe", "p", token=tenants.blue.key) as other,
    ):
        assert (process.invoke("echo", 1), other.invoke("echo", 1)) == (1, 1)

        def said() -> str:
            try:
                return f"{process.invoke('echo', 2)}"
            except Denied as denied:
                return str(denied)

        assert tenants.call("PUT", path, tenants.operator, json={"state": "suspended"}).status_code == 200
        until(lambda: "tenant 'idle' is suspended" in said(), "nothing begins any more")
        assert other.invoke("echo", 3) == 3
        assert tenants.call("PUT", path, tenants.operator, json={"state": "active"}).status_code == 200
        until(lambda: said() == "2", "the same client goes on")
        assert process.reconnects == 0


def test_a_suspended_tenants_keys_open_nothing_and_one_that_is_gone_has_none(tenants: Tenants) -> None:
    gone = tenant(tenants.local, tenants.operator, "gone", "127.0.0.24")
    path = "/api/v1/tenants/gone"
    assert tenants.call("PUT", path, tenants.operator, json={"state": "suspended"}).status_code == 200
    assert is_problem(tenants.call("GET", "/api/v1/applications", gone.key), 401)["detail"].startswith("The tenant")
    is_problem(tenants.call("GET", "/api/v1/applications", headers=gone.headers), 403)
    assert tenants.call("PUT", path, tenants.operator, json={"state": "active"}).status_code == 200
    assert tenants.call("GET", "/api/v1/applications", gone.key).status_code == 200
    assert is_problem(tenants.call("DELETE", path, tenants.operator), 409)["actual"] == 1
    assert tenants.call("DELETE", "/api/v1/applications/gone--probe", tenants.operator).status_code == 204
    assert tenants.call("DELETE", path, tenants.operator).status_code == 204
    is_problem(tenants.call("GET", "/api/v1/applications", gone.key), 401)
    is_problem(tenants.call("GET", path, tenants.operator), 404)
