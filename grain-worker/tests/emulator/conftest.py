"""An emulator a run, for each way in which grains run, and applications made of a test's own files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from served import Served

from sand.emulator.emulator import Emulator
from sand.emulator.forked import ForkedGrains
from sand.emulator.inline import InlineGrains


@pytest.fixture(params=[ForkedGrains, InlineGrains], ids=["forked", "inline"])
def served(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Served]:
    yield from _served(request, tmp_path)


@pytest.fixture(
    params=[pytest.param(ForkedGrains, id="forked", marks=pytest.mark.slow), pytest.param(InlineGrains, id="inline")]
)
def served_quickly(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Served]:
    """For many tests of one thing, whose ways to run are all shown by a few: forked ones only when there is time."""
    yield from _served(request, tmp_path)


def _served(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Served]:
    with Emulator(make=request.param) as emulator:
        one = Served(emulator, tmp_path)
        yield one
        one.http.close()


@pytest.fixture
def forked(tmp_path: Path) -> Iterator[Served]:
    with Emulator() as emulator:
        one = Served(emulator, tmp_path)
        yield one
        one.http.close()
