"""Handlers are plain functions: called here without a platform. Run with pytest."""

import json
import runpy
from pathlib import Path
from unittest.mock import Mock

import pytest

GRAINS = Path(__file__).parent.parent / "grains"
EVENTS = Path(__file__).parent / "events"


def call(grain, event):
    return runpy.run_path(str(GRAINS / grain / "handler.py"))["handle"](event, Mock())


def event(grain, name):
    return json.loads((EVENTS / grain / f"{name}.json").read_text())


def test_greets_and_shouts():
    assert call("shout", call("greet", event("greet", "ada"))) == {"greeting": "HELLO, ADA!"}


def test_a_greeting_needs_a_name():
    with pytest.raises(ValueError, match="name"):
        call("greet", {})
