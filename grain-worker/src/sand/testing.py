"""The pytest plugin: an application's grains and workflows in a test, without a platform and without a server.

    def test_an_order_is_kept(sand_application):
        assert sand_application.call("order", {"item": "tea"})["number"] == 1
        assert sand_application.data.get("order/1") == {"item": "tea", "count": 1}

    def test_a_slow_bank_is_asked_again(sand_application):
        busy_once = [{"raise": {"error": "Busy"}}, {"return": "ok"}]
        outcome = sand_application.workflow("pay", {"sum": 3}, stubs={"charge": busy_once})
        assert outcome.output == "ok" and outcome.states() == ["Charge"]

    def test_a_cart_remembers(sand_application):
        cart = sand_application.process("cart-7")
        cart.invoke("put", "tea")
        assert cart.state == {"items": ["tea"]} and cart.messages == []

The application is the folder with a sand.yaml that the test's file is in or below, or what `sand_folder` (ini, or a fixture of
yours) says. Handlers run in the test's own process, where breakpoints, coverage and monkeypatch reach them; `--sand-forked`
runs each request in a process of its own, as a platform does. Each test has data of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from sand.emulator.harness import Harness


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addini("sand_folder", "The application's folder; else the one that a test is in or below.")
    group = parser.getgroup("sand", "applications of grains and workflows")
    group.addoption("--sand-forked", action="store_true", help="Run each request of a grain in a process of its own.")


@pytest.fixture
def sand_folder(request: pytest.FixtureRequest) -> Path:
    """The application's folder. Override it to say another."""
    configured = request.config.getini("sand_folder")
    if configured:
        return (request.config.rootpath / configured).resolve()
    for folder in request.path.parents:
        if (folder / "sand.yaml").is_file():
            return folder
    where = f"no folder above {request.path} has a sand.yaml"
    raise pytest.UsageError(f"{where}: set sand_folder in the ini file, or override the fixture")


@pytest.fixture
def sand_application(sand_folder: Path, request: pytest.FixtureRequest) -> Iterator[Harness]:
    """The application, loaded, with no data yet; see sand.emulator.harness.Harness."""
    from sand.emulator.harness import Harness

    with Harness(sand_folder, forked=request.config.getoption("--sand-forked")) as application:
        yield application


@pytest.fixture
def sand_server(sand_folder: Path, request: pytest.FixtureRequest) -> Iterator[Any]:
    """The application behind its HTTP interface: an httpx.Client whose base is the emulator's address."""
    import httpx

    from sand.emulator.emulator import Emulator
    from sand.emulator.forked import ForkedGrains
    from sand.emulator.inline import InlineGrains

    make = ForkedGrains if request.config.getoption("--sand-forked") else InlineGrains
    with Emulator(make=make) as emulator, httpx.Client(base_url=emulator.url, timeout=60, trust_env=False) as client:
        emulator.applications.load(sand_folder)
        yield client
