"""The application of all tests in a file, and who asks its grains."""

import compileall
import py_compile
from pathlib import Path

import pytest
from asking import Caller, Platform
from sand import context
from sand.emulator.harness import Harness


@pytest.fixture(scope="module")
def sand_application():
    """One a file: loading so many grains takes a while. Tests of a file keep out of each other's rows."""
    folder = Path(__file__).parent.parent
    # Each call imports all of it anew, and would compile it anew.
    compileall.compile_dir(folder / "manage", quiet=1, invalidation_mode=py_compile.PycInvalidationMode.CHECKED_HASH)
    with Harness(folder) as application:
        yield application


@pytest.fixture
def platform(monkeypatch):
    asked = Platform()
    monkeypatch.setattr(context.Context, "platform", asked, raising=False)
    return asked


@pytest.fixture
def caller(sand_application, platform):
    """`caller(grain, operation, …)` as who may everything; `caller.of(…)` as somebody else."""
    everybody = Caller(sand_application, platform)
    everybody.of = lambda **who: Caller(sand_application, platform, **who)
    return everybody
