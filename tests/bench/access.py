"""What the check of who asks adds to an invocation: with a key, in a session, and where nobody is asked, in turns."""

from __future__ import annotations

import secrets
import tempfile
from contextlib import ExitStack
from pathlib import Path

import httpx

from .client import Client
from .management import wait_until_managed
from .table import Row, figure, latency, percentile
from .under_test import APPS, Platform

CALLS = 3000
WARM = 1000
PATH = "/invoke/bench/noop_worker"
NOTES = {
    "nobody": "isolation: worker; whoever is on this machine may do everything",
    "operator-key": "the same with the operator's key",
    "key": "the same with a key of an account",
    "session": "the same in a session, from a page",
}


def access(sandbox: str) -> list[Row]:
    with ExitStack() as stack:
        clients = {"nobody": stack.enter_context(Client(anybodys(stack, sandbox)))}
        port, ways = somebodys(stack, sandbox)
        clients |= {name: stack.enter_context(Client(port, headers=headers)) for name, headers in ways.items()}
        samples = in_turns(clients)
    rows = [latency(f"access-{name}", "SAND", seconds, note=NOTES[name]) for name, seconds in samples.items()]
    nobody = percentile(samples.pop("nobody"), 0.5)
    for name, seconds in samples.items():
        added = (percentile(seconds, 0.5) - nobody) * 1e6
        rows.append(figure(f"access-{name}-added", "SAND", "us", added, note="medians of both, in turns"))
    return rows


def anybodys(stack: ExitStack, sandbox: str) -> int:
    """:return: the port of a platform that asks nobody who it is"""
    platform = stack.enter_context(Platform(sandbox))
    platform.deploy(APPS / "bench")
    return platform.port


def somebodys(stack: ExitStack, sandbox: str) -> tuple[int, dict[str, dict[str, str]]]:
    """:return: the port of one that does, and the headers of each way to say it"""
    folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="sand-bench-", dir="/tmp"))
    file = Path(folder) / "operator.key"
    file.write_text(secrets.token_urlsafe(32))
    operator = {"Authorization": f"Bearer {file.read_text()}"}
    options = ["--management", "on", "--operator-key", str(file)]
    platform = stack.enter_context(Platform(sandbox, options=options))
    server = f"http://127.0.0.1:{platform.port}"
    with httpx.Client(base_url=server, headers=operator, timeout=60, trust_env=False) as http:
        wait_until_managed(http)
        platform.sand("deploy", str(APPS / "bench"), key_file=file)
        key = platform.sand("keys", "create", "bench", "--scopes", "invoke", "--expires", "1d", key_file=file).strip()
        who = {"name": "ada", "password": secrets.token_urlsafe(16)}
        http.post("/api/v1/users", json=who).raise_for_status()
    with httpx.Client(base_url=server, timeout=60, trust_env=False) as http:
        signed_in = http.post("/api/v1/sessions", json=who).raise_for_status()
    session = {"Cookie": f"sand_session={signed_in.cookies['sand_session']}", "Sand-Csrf": signed_in.json()["csrf"]}
    return platform.port, {"operator-key": operator, "key": {"Authorization": f"Bearer {key}"}, "session": session}


def in_turns(clients: dict[str, Client]) -> dict[str, list[float]]:
    """Seconds by way. As many calls in a row to each platform, and each way is as often the first, which wakes the platform."""
    samples: dict[str, list[float]] = {name: [] for name in clients}
    known = [name for name in clients if name != "nobody"]
    for count in range(-WARM, CALLS):
        first = count % len(known)
        for name in ["nobody"] * len(known) + known[first:] + known[:first]:
            seconds, status, body = clients[name].timed(PATH)
            if status != 200:
                raise RuntimeError(f"{name}: {status} {body[:300]!r}")
            if count >= 0:
                samples[name].append(seconds)
    return samples
