"""A copy of a platform's home, made while it worked, is a platform that goes on from there."""

import fcntl
import random
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from conftest import APPLICATIONS, CHECKOUT, Tested, sandbox_option
from sand.command.local import LocalPlatform

BACKUP = CHECKOUT / "deploy" / "backup.py"


@pytest.mark.slow
def test_a_backup_made_under_way_goes_on_where_it_was_made():
    with tempfile.TemporaryDirectory(prefix="sand-", dir="/tmp") as folder:
        Path(folder).chmod(0o711)  # plain-process sandboxes run as other users
        first = LocalPlatform(*sandbox_option(), home=Path(folder) / "a")
        first.home.mkdir()
        second = LocalPlatform(*sandbox_option(), home=Path(folder) / "b")
        try:
            tested = Tested(first.start())
            tested.deploy(APPLICATIONS / "probe")
            assert tested.ask("probe/store", {"do": "count", "key": "before"}) == 1
            done = [accepted(tested, {"seconds": 0}) for _ in range(10)]
            for invocation in done:
                tested.ended("probe", invocation)
            open_then = [accepted(tested, {"seconds": 3}) for _ in range(10)]
            command = [sys.executable, str(BACKUP), str(first.home), str(second.home)]
            made = subprocess.run(command, capture_output=True, check=False)
            assert made.returncode == 0, made.stderr.decode()
            lost = tested.ask("probe/store", {"do": "count", "key": "after"})
            first.kill()
            tested = Tested(second.start())
            for invocation in done + open_then:
                record = tested.ended("probe", invocation)
                assert record["status"] == "SUCCEEDED", str(record)
            assert tested.ask("probe/store", {"do": "count", "key": "before"}) == 2
            assert tested.ask("probe/store", {"do": "count", "key": "after"}) == lost == 1  # it came after the copy
            assert tested.deploy(APPLICATIONS / "probe")["created"] is False
        finally:
            second.stop()
            first.stop()


@pytest.mark.slow
def test_no_place_of_a_large_value_is_used_again_while_a_backup_copies():
    """The lock that backup.py holds is another process's than the platform's that frees places."""
    with tempfile.TemporaryDirectory(prefix="sand-", dir="/tmp") as folder:
        Path(folder).chmod(0o711)
        home = Path(folder) / "a"
        home.mkdir()
        with LocalPlatform(*sandbox_option(), home=home) as local:
            tested = Tested(local)
            tested.deploy(APPLICATIONS / "probe")
            values = local.home / "store.db.values"
            first = put(tested, 0)
            assert first in values.read_bytes()
            with values.open("rb") as locked:
                fcntl.lockf(locked, fcntl.LOCK_SH)
                for salt in range(1, 12):
                    put(tested, salt)
                # Read through the file that has the lock: closing another one of this process would end it.
                assert first in locked.read()
            held = values.stat().st_size
            for salt in range(12, 24):
                last = put(tested, salt)
            assert values.stat().st_size <= held + len(first) + 4096
            assert last in values.read_bytes()


def put(tested: Tested, salt: int) -> bytes:
    """Puts a value of 300 kB under the same key. :return: it"""
    value = random.Random(salt).randbytes(300_000)
    address = "/api/v1/applications/probe/data/value"
    response = tested.http.put(
        address, params={"key": "large"}, content=value, headers={"Content-Type": "application/octet-stream"}
    )
    assert response.status_code in (200, 201), response.text
    return value


def accepted(tested: Tested, event: dict[str, float]) -> str:
    response = tested.invoke("probe/sleep", event, Prefer="respond-async")
    assert response.status_code == 202, response.text
    return response.headers["Sand-Execution-Id"]
