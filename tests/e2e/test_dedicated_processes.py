"""A dedicated process has a container of its own: with what was asked for, from the process's first function to its end."""

import subprocess
from collections.abc import Iterator
from typing import Any

import pytest
from conftest import Tested, until

MIB = 1 << 20
OWN_IMAGE = "sand-test-own:e2e"
FILES = {
    "sand.yaml": """
name: own-sandboxes
sandbox: {memory: 256MiB}
processes:
  concurrency: 2
  queue: 3
  dedicated: {memory: 128MiB, cpus: 0.5, pids: 64}
""",
    "grains/where/handler.py": """
import os
import shutil
import socket


def handle(event, context):
    p = context.process
    if p is not None:
        p.state("runs", p.state("runs", default=0) + 1)
    return {
        "host": socket.gethostname(),
        "hello": shutil.which("hello"),
        "marker": os.path.exists("/etc/own-image"),
        "runs": None if p is None else p.state("runs"),
    }
""",
    "grains/hold/handler.py": """
def handle(event, context):
    context.process.recv(key="go", timeout=20)
""",
    "grains/let/handler.py": """
def handle(event, context):
    for _ in range(event["most"]):
        context.process.send(event["process"], "go", None)
""",
}
ROOT = "/api/v1/apps/own-sandboxes/processes"


@pytest.fixture(scope="module")
def own(tested: Tested) -> Tested:
    if tested.status()["sandboxKind"] != "docker":
        pytest.skip("sandboxes are plain processes here")
    deployed = tested.deploy_files(FILES)
    assert deployed.status_code in (200, 201), deployed.text
    return tested


@pytest.fixture(scope="module")
def own_image() -> Iterator[str]:
    """Made from the platform's, as an operator would."""
    dockerfile = b"FROM sand-sandbox:latest\nUSER root\nRUN touch /etc/own-image\n"
    build = ["docker", "build", "--network", "none", "-q", "-t", OWN_IMAGE, "-"]
    subprocess.run(
        build, input=dockerfile, check=True, capture_output=True, env={"DOCKER_BUILDKIT": "0", "PATH": "/usr/bin:/bin"}
    )
    yield OWN_IMAGE
    subprocess.run(["docker", "rmi", "-f", OWN_IMAGE], check=False, capture_output=True)


def ask(own: Tested, process: str, function: str = "where", event: Any = None) -> Any:
    where = {"function": function, "process": process}
    response = own.http.post(f"{ROOT}/invoke", params=where, json=event, timeout=110, headers={"Sand-Timeout": "100s"})
    assert response.status_code == 200, response.text
    return response.json() if response.content else None


def create(own: Tested, process: str, dedicated: Any) -> dict[str, Any]:
    response = own.http.post(ROOT, json={"id": process, "dedicated": dedicated})
    assert response.status_code == 201, response.text
    found: dict[str, Any] = response.json()
    return found


def limits(sandbox: str) -> str:
    """Of the container with that host name: memory, CPU, image."""
    shape = "{{.HostConfig.Memory}} {{.HostConfig.NanoCpus}} {{.Config.Image}}"
    listed = subprocess.run(
        ["docker", "ps", "-q", "--filter", f"label=dev.sand.sandbox={sandbox}"], capture_output=True, text=True
    )
    ids = listed.stdout.split()
    if not ids:
        return ""
    return subprocess.run(["docker", "inspect", "-f", shape, *ids], capture_output=True, text=True).stdout.strip()


@pytest.mark.slow
def test_it_has_a_container_that_ends_with_it(own: Tested):
    shared = own.ask("own-sandboxes/where")["host"]
    first = ask(own, "one")
    assert first["host"] not in (shared, ask(own, "two")["host"])
    memory, cpus, _ = limits(first["host"]).split()
    assert (int(memory), cpus) == ((128 + 64) * MIB, "500000000"), "64 MiB are the supervisor's"
    described = own.http.get(f"{ROOT}/one").json()
    assert described["dedicated"] == {"memoryBytes": 128 * MIB, "cpus": 0.5, "pids": 64}
    assert own.http.post(f"{ROOT}/one/swap-out", timeout=90).json()["status"] == "swapped"
    until(lambda: not limits(first["host"]), "its container is gone")
    again = ask(own, "one")
    assert again["host"] != first["host"] and again["runs"] == first["runs"] + 1
    assert own.http.delete(f"{ROOT}/one").status_code == 204
    until(lambda: not limits(again["host"]), "its container is gone")
    assert limits(shared), "the application's is not"


@pytest.mark.slow
def test_it_begins_from_an_image_of_its_own(own: Tested, own_image: str):
    made = create(own, "imaged", {"image": own_image, "memory": "96MiB"})
    assert made["dedicated"] == {"memoryBytes": 96 * MIB, "cpus": 0.0, "pids": 512, "image": own_image}
    seen = ask(own, "imaged")
    assert seen["marker"] and limits(seen["host"]).endswith(own_image)
    assert not ask(own, "two")["marker"]


@pytest.mark.slow
def test_it_has_packages_of_its_own(own: Tested):
    create(own, "packed", {"packages": ["hello"]})
    seen = ask(own, "packed")
    assert seen["hello"] == "/usr/bin/hello"
    assert "sand-packages:" in limits(seen["host"])
    assert ask(own, "two")["hello"] is None


@pytest.mark.slow
def test_what_cannot_be_had_is_said(own: Tested):
    for base, said in (
        ({"image": "sand-test-nowhere:1"}, "no image sand-test-nowhere:1"),
        ({"packages": ["hello", "sand-test-nothing"]}, "there is no package sand-test-nothing"),
    ):
        create(own, "nowhere", base)
        where = {"function": "where", "process": "nowhere"}
        response = own.http.post(f"{ROOT}/invoke", params=where, timeout=110, headers={"Sand-Timeout": "100s"})
        assert response.status_code == 503, response.text
        assert said in response.json()["detail"] and "\x1b" not in response.json()["detail"]
        assert response.json()["retryable"] is False, "nothing but another name helps"
        assert own.http.delete(f"{ROOT}/nowhere").status_code == 204
    for bad in ({"memory": "1MiB"}, {"cpu": 1}, {"packages": ["; true"]}, {"image": "-v"}, 7):
        refused = own.http.post(ROOT, json={"dedicated": bad})
        assert refused.status_code == 400, refused.text
        assert "dedicated" in refused.json()["detail"]


@pytest.mark.slow
def test_more_than_may_wait_are_refused_with_the_limit(own: Tested):
    ask(own, "full")
    where = {"function": "hold", "process": "full"}
    headers = {"Prefer": "respond-async"}
    for _ in range(2 + 3):
        assert own.http.post(f"{ROOT}/invoke", params=where, headers=headers).status_code == 202
    until(lambda: own.http.get(f"{ROOT}/full").json()["waiting"] == 3, "all wait that may")
    refused = own.http.post(f"{ROOT}/invoke", params=where)
    assert refused.status_code == 429, refused.text
    assert refused.json()["limit"] == 3
    ask(own, "two", "let", {"process": "full", "most": 5})
    until(lambda: own.http.get(f"{ROOT}/full").json()["running"] == 0, "they have run")
