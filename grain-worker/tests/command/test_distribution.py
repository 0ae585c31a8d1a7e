"""The distribution is built whole or not at all."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("setuptools")
HERE = Path(__file__).parents[2]
ASK = "from setuptools import build_meta; build_meta.get_requires_for_build_wheel()"


def _asked(folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", ASK], cwd=folder, capture_output=True, text=True, timeout=60, check=False)


def test_it_is_not_built_without_the_files_that_it_links_to(tmp_path: Path) -> None:
    alone = tmp_path / "checkout" / "grain-worker"
    shutil.copytree(HERE, alone, symlinks=True, ignore=shutil.ignore_patterns("tests", "bench", "target", "*.egg-info"))
    refused = _asked(alone)
    assert refused.returncode != 0
    said = refused.stderr.strip().splitlines()[-1]
    assert "src/sand/emulator/openapi.yaml, src/sand/emulator/sand.schema.json lead out of this folder" in said
    assert said.endswith("Build it from grain-worker/ inside of a whole checkout.")
    for link in ("openapi.yaml", "sand.schema.json"):
        (alone / "src/sand/emulator" / link).unlink()
        shutil.copy(HERE / "src/sand/emulator" / link, alone / "src/sand/emulator" / link)
    whole = _asked(alone)
    assert whole.returncode == 0, whole.stderr
