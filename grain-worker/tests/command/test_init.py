"""`sand init`: what it writes works, and it overwrites nothing."""

import io
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
import yaml

from sand.command.bundle import zip_folder


def init(folder: Path, *more: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-P", "-m", "sand.command", "init", str(folder), *more]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.slow
def test_writes_an_application_whose_own_tests_pass(tmp_path):
    folder = tmp_path / "hello"
    assert init(folder).returncode == 0
    assert yaml.safe_load((folder / "sand.yaml").read_text())["name"] == "hello"
    deployed = zipfile.ZipFile(io.BytesIO(zip_folder(folder))).namelist()
    assert [name for name in deployed if name.startswith("tests/")] == ["tests/events/greet/ada.json"]
    tests = subprocess.run([sys.executable, "-m", "pytest", "-q", folder], capture_output=True, text=True, check=False)
    assert tests.returncode == 0, tests.stdout


def test_overwrites_nothing(tmp_path):
    (tmp_path / "mine").write_text("x")
    assert init(tmp_path, "--name", "hello").returncode == 5
    assert [entry.name for entry in tmp_path.iterdir()] == ["mine"]


def test_refuses_a_name_that_no_application_can_have(tmp_path):
    done = init(tmp_path / "Hello World")
    assert done.returncode == 2
    assert "not an application's name" in done.stderr
