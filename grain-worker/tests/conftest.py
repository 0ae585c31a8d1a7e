"""Fixtures of the runtime's tests: real processes, real sockets, and a broker on an independent Thrift library."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from sandbox import DEFAULT_COMMAND, Sandbox

GRAINS = str(Path(__file__).parent / "contract/grains")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--runtime", default=DEFAULT_COMMAND, help="command that starts the supervisor of the runtime under test")
    parser.addoption("--runtime-grains", default=GRAINS, help="folder of the contract's grains in that runtime's language")


@pytest.fixture
def sandbox() -> Iterator[Sandbox]:
    """Claimed, without preloaded modules."""
    one = Sandbox()
    one.claim()
    yield one
    one.close()


@pytest.fixture
def blank() -> Iterator[Sandbox]:
    """Not claimed yet."""
    one = Sandbox()
    yield one
    one.close()
