"""The project's Python is checked and formatted by ruff: a failing test as any other, which says the place."""

import subprocess
import sys
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]
SOURCES = ["grain-worker/src", "grain-worker/tests", "tests", "examples", "deploy", "management"]


@pytest.mark.parametrize("how", [["check"], ["format", "--check", "--diff"]], ids=["check", "format"])
def test_the_python_sources_are_as_ruff_wants_them(how: list[str]) -> None:
    command = [sys.executable, "-P", "-m", "ruff", *how, *SOURCES]
    done = subprocess.run(command, cwd=TOP, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
