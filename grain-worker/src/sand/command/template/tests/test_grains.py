"""Handlers are plain functions: called here without a platform. Run with pytest."""

import logging
import runpy
from pathlib import Path
from types import SimpleNamespace

import pytest

GRAINS = Path(__file__).parent.parent / "grains"
CONTEXT = SimpleNamespace(logger=logging.getLogger("test"))


def call(grain, event):
    return runpy.run_path(str(GRAINS / grain / "handler.py"))["handle"](event, CONTEXT)


def test_greets_and_shouts():
    assert call("shout", call("greet", {"name": "Ada"})) == {"greeting": "HELLO, ADA!"}


def test_a_greeting_needs_a_name():
    with pytest.raises(ValueError, match="name"):
        call("greet", {})
