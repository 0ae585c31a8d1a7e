"""The platform's operations through grains: the same answers as without them, and what an ordinary application may not."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest
from conftest import APPLICATIONS, Tested, is_problem, sandbox_option, until
from sand.command.local import LocalPlatform

# A platform of its own with the management in it: more than the inner loop has time for.
pytestmark = pytest.mark.slow

DIRECT = {"Sand-Direct": "true"}
INTRUDER = """
from sand.errors import Denied

def handle(event, context):
    try:
        return context.platform.call("listApplications", event["ticket"])
    except Denied as refused:
        return str(refused)
"""
BROKEN = """
def handle(event, context):
    if event["operation"] == "ready":
        return {"status": 200}
    raise ValueError("broken")
"""

SLOW = """
import time

def handle(event, context):
    if event["operation"] == "ready":
        return {"status": 200}
    arguments = {"parameters": event["parameters"], "body": event["body"]}
    status, body = context.platform.call("rollback", event["ticket"], arguments)
    time.sleep(4)
    return {"status": status, "body": body}
"""


@pytest.fixture(scope="module")
def managed() -> Iterator[Tested]:
    with LocalPlatform(*sandbox_option(), "--management", "on") as local:
        tested = Tested(local)
        until(lambda: management(tested)["version"], "management does operations", 180)
        tested.deploy(APPLICATIONS / "probe")
        yield tested


def management(tested: Tested) -> Any:
    return tested.http.get("/api/v1/management").json()


def through_a_grain(response: httpx.Response) -> httpx.Response:
    assert "Sand-Execution-Id" in response.headers, response.text
    assert "Sand-Served-By" not in response.headers
    return response


def test_every_answer_is_the_same_on_both_planes(managed: Tested) -> None:
    managed.ask("probe/echo", 1)
    execution = managed.api("probe", "invocations")["invocations"][0]["executionId"]
    managed.ended("probe", execution)
    app = "/api/v1/applications/probe"
    of_app = ["", "/versions", "/versions/1", "/versions/77", "/aliases", "/versions/1/files", "/logs", "/queues", "/triggers"]
    of_app += ["/workflows", "/workflows/chain", "/workflows/none"]
    of_app += ["/processes", "/invocations", "/invocations?limit=1", "/invocations/none"]
    of_app += [f"/invocations/{execution}{rest}" for rest in ("", "/timeline", "/logs")]
    paths = [app + rest for rest in of_app] + ["/api/v1/applications", "/api/v1/applications/no-such", "/api/v1/audit"]
    for path in paths:
        grain = through_a_grain(managed.http.get(path))
        direct = managed.http.get(path, headers=DIRECT)
        assert "Sand-Execution-Id" not in direct.headers or "invocations" in path
        assert (path, grain.status_code, grain.json()) == (path, direct.status_code, direct.json())
        assert grain.headers["Content-Type"] == direct.headers["Content-Type"]


def test_a_change_goes_through_a_grain_and_is_noted_once(managed: Tested) -> None:
    moved = through_a_grain(managed.http.put("/api/v1/applications/probe/aliases/next", json={"version": 1}))
    assert moved.json() == {"application": "probe", "alias": "next", "version": 1}
    assert managed.api("probe", "aliases")["aliases"]["next"] == 1
    noted = managed.http.get("/api/v1/audit", params={"operation": "moveAlias"}).json()["entries"]
    assert [(entry["caller"], entry["status"], entry["details"]["alias"]) for entry in noted] == [("local", 200, "next")]
    is_problem(managed.http.put("/api/v1/applications/probe/aliases/next", json={"version": 99}), 404)
    assert through_a_grain(managed.http.delete("/api/v1/applications/probe/aliases/next")).status_code == 204


def test_the_systems_application_is_shown_to_who_asks_for_it_and_called_by_nobody(managed: Tested) -> None:
    names = {one["name"] for one in managed.http.get("/api/v1/applications").json()["applications"]}
    assert "0sand-management" not in names
    assert "0sand-management" not in {one["application"] for one in managed.status()["sandboxes"]}
    both = managed.http.get("/api/v1/applications", params={"system": "true"}, headers=DIRECT).json()["applications"]
    assert "0sand-management" in {one["name"] for one in both}
    is_problem(managed.http.post("/invoke/0sand-management/applications", json={"operation": "listApplications"}), 404)
    is_problem(managed.http.delete("/api/v1/applications/0sand-management", headers=DIRECT), 409)


def test_an_ordinary_application_is_denied(managed: Tested) -> None:
    files = {"sand.yaml": "name: intruder\n", "grains/main/handler.py": INTRUDER}
    assert managed.deploy_files(files).status_code == 201
    assert "no capability" in managed.ask("intruder/main", {"ticket": "AQ"})
    executions = managed.http.get(
        "/api/v1/applications/0sand-management/invocations", params={"system": "true"}, headers=DIRECT
    ).json()["invocations"]
    one = next(each["executionId"] for each in executions)
    # Nor does the ticket of another's request help, which is in the record for the operator to see.
    assert "no capability" in managed.ask("intruder/main", {"ticket": one})
    assert 'sand_control_calls_total{outcome="denied"} 2' in managed.http.get("/metrics").text


def test_a_broken_management_is_not_in_the_way(tmp_path: Path) -> None:
    folder = tmp_path / "management"
    (folder / "grains/applications").mkdir(parents=True)
    (folder / "sand.yaml").write_text("name: management\n")
    (folder / "grains/applications/handler.py").write_text(BROKEN)
    with LocalPlatform(*sandbox_option(), "--management", str(folder)) as local:
        tested = Tested(local)
        until(lambda: management(tested)["version"], "management does operations", 180)
        broken = is_problem(tested.http.get("/api/v1/applications"), 503, "platform")
        assert broken["type"].endswith("management-failed")
        assert broken["grain"] == "applications"
        assert tested.http.get("/api/v1/applications", headers=DIRECT).json() == {"applications": []}
        said = management(tested)["grains"]["applications"]
        assert said["executionId"] == broken["executionId"]
        assert not said["ready"]
        # A grain that this management does not have has not begun: the platform does it itself, and says so.
        aliases = tested.http.get("/api/v1/applications/none/aliases")
        assert (aliases.status_code, aliases.headers["Sand-Served-By"]) == (404, "direct")


def test_what_it_requires_came_with_the_platform_and_no_index_is_asked() -> None:
    nowhere = {"PIP_INDEX_URL": "http://127.0.0.1:9/simple", "PIP_EXTRA_INDEX_URL": "", "PIP_CONFIG_FILE": "/dev/null"}
    with LocalPlatform(*sandbox_option(), "--management", "on", environment=nowhere) as local:
        tested = Tested(local)
        until(lambda: management(tested)["version"], "management does operations", 180)
        through_a_grain(tested.http.get("/api/v1/applications"))


def test_a_change_is_made_once_though_its_grain_runs_twice(tmp_path: Path) -> None:
    folder = tmp_path / "management"
    (folder / "grains/aliases").mkdir(parents=True)
    (folder / "sand.yaml").write_text("name: management\n")
    (folder / "grains/aliases/handler.py").write_text(SLOW)
    local = LocalPlatform(*sandbox_option(), "--management", str(folder))
    with local:
        tested = Tested(local)
        until(lambda: management(tested)["version"], "management does operations", 180)
        for number in (1, 2, 3):
            assert tested.deploy_files(echoing(number)).status_code == 201
        with ThreadPoolExecutor(1) as pool:
            asked = pool.submit(tested.http.post, "/api/v1/applications/thrice/rollback", json={})
            until(lambda: live(tested) == 2, "it is rolled back once")
            local.kill()
            assert asked.exception() is not None
        local.start()
        until(lambda: [one["status"] for one in rollbacks(tested)] == ["SUCCEEDED"], "the grain has run again", 180)
        output = f"/api/v1/applications/0sand-management/invocations/{rollbacks(tested)[0]['executionId']}/output"
        answer = tested.http.get(output, params={"system": "true"}, headers=DIRECT).json()
        # Killed between the change and its answer's being kept, nobody knows whether it was made, and it is not made again.
        assert answer["body"].get("version") == 2 if answer["status"] == 200 else answer["body"]["mayHaveRun"], str(answer)
        assert live(tested) == 2


def echoing(number: int) -> dict[str, str | bytes]:
    return {"sand.yaml": "name: thrice\n", "grains/main/handler.py": f"def handle(event, context):\n    return {number}\n"}


def live(tested: Tested) -> int:
    return tested.http.get("/api/v1/applications/thrice/aliases", headers=DIRECT).json()["aliases"]["live"]


def rollbacks(tested: Tested) -> list[Any]:
    path = "/api/v1/applications/0sand-management/invocations"
    invocations = tested.http.get(path, params={"system": "true"}, headers=DIRECT).json()["invocations"]
    # The oldest one was asked whether it is ready, and so is the newest, after the start.
    return [one for one in invocations if one["target"] == "aliases"][-2:-1]
