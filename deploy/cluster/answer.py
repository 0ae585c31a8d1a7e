"""Whether a cluster answers: a small application is deployed to it once, and invoked through nginx."""

import io
import time
import zipfile
from collections.abc import Callable

import httpx
from sand.command.client import Platform
from sand.command.deploy import deploy as deploy_archive
from sand.command.failure import ExitCode, Failure

from cluster.place import Cluster

APPLICATION = "cluster-check"
REQUEST_SECONDS = 30
PAUSE_SECONDS = 0.25
EXPECTED = {"answers": True}

FILES = {
    "sand.yaml": f"name: {APPLICATION}\nsandbox: {{memory: 128MiB}}\n",
    "grains/answer/handler.py": 'def handle(event, context):\n    return {"answers": event["ask"]}\n',
}


def wait_until(what: str, holds: Callable[[], bool], deadline: float) -> None:
    """Polls; a time that passes is a failure that names what was waited for."""
    while not holds():
        if time.monotonic() > deadline:
            raise Failure(ExitCode.TIMED_OUT, f"{what} did not come in time")
        time.sleep(PAUSE_SECONDS)


def ready(cluster: Cluster) -> bool:
    try:
        return httpx.get(f"{cluster.server}/readyz", timeout=5).status_code == 200
    except httpx.HTTPError:
        return False


# How it goes is asked of the frontends themselves: hosts that are lost are in the way of grains.
DIRECT = {"Sand-Direct": "true"}


def shown(cluster: Cluster) -> dict[str, str]:
    key = cluster.operator_key()
    return {"Authorization": f"Bearer {key}"} if key else {}


def hosts(cluster: Cluster) -> list[dict]:
    """What the frontends know of the host agents; empty when nothing answers."""
    try:
        answer = httpx.get(f"{cluster.server}/api/v1/status", headers=shown(cluster) | DIRECT, timeout=10)
        return answer.json()["hosts"] if answer.status_code == 200 else []
    except (httpx.HTTPError, ValueError, KeyError):
        return []


def management(cluster: Cluster) -> str:
    """In a few words: what does operations, and why not what is to."""
    try:
        known = httpx.get(f"{cluster.server}/api/v1/management", headers=shown(cluster), timeout=10).json()
        if not known["enabled"]:
            return "off"
        serving = f"version {known['version']}" if known["version"] else "on, but not there"
        return f"{serving} ({known['trouble']})" if known["trouble"] else serving
    except (httpx.HTTPError, ValueError, KeyError):
        return "unknown: no frontend answers"


def managed(cluster: Cluster) -> bool:
    """Whether a grain does what is asked for."""
    try:
        answer = httpx.get(f"{cluster.server}/api/v1/applications", headers=shown(cluster), timeout=REQUEST_SECONDS)
        return answer.status_code == 200 and "Sand-Execution-Id" in answer.headers
    except httpx.HTTPError:
        return False


def all_owned(cluster: Cluster) -> bool:
    """Every host is known and answers, and each has its share of the slots."""
    found = hosts(cluster)
    return len(found) == cluster.hosts and all(slots(host) for host in found)


def slots(host: dict) -> list[int]:
    return (host.get("place") or {}).get("slots") or []


def invoke(cluster: Cluster) -> bool:
    """One request; False when the application is not there or the platform is not ready for it yet."""
    try:
        url = f"{cluster.server}/invoke/{APPLICATION}/answer"
        answer = httpx.post(url, json={"ask": True}, headers=shown(cluster), timeout=REQUEST_SECONDS)
        return answer.status_code == 200 and answer.json() == EXPECTED
    except (httpx.HTTPError, ValueError):
        return False


def deploy(cluster: Cluster) -> None:
    """Uploads the application as `sand deploy` would."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as target:
        for name, text in FILES.items():
            target.writestr(name, text)
    with Platform(cluster.server, key=cluster.operator_key()) as platform:
        deploy_archive(platform, archive.getvalue())
