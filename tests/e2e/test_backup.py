"""A copy of a platform's home, made while it worked, is a platform that goes on from there."""

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


def accepted(tested: Tested, event: dict[str, float]) -> str:
    response = tested.invoke("probe/sleep", event, Prefer="respond-async")
    assert response.status_code == 202, response.text
    return response.headers["Sand-Execution-Id"]
