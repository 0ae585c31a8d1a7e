"""The grains as plain functions, joined as the workflow joins them."""

import json
import runpy
import sys
from pathlib import Path
from unittest.mock import Mock

import pytest

APPLICATION = Path(__file__).parent.parent
sys.path.insert(0, str(APPLICATION))
import messages  # noqa: E402


def call(grain, event):
    return runpy.run_path(str(APPLICATION / "grains" / grain / "handler.py"))["handle"](event, Mock())


def scan(message):
    parsed = call("parse", message)
    scans = [call("headers", parsed["headers"]), call("links", parsed["texts"]), call("attachments", parsed["attachments"])]
    return call("verdict", {**parsed, "findings": scans})


def test_an_honest_message_is_clean():
    result = scan(messages.clean())
    assert result == {"verdict": "clean", "weight": 0, "subject": "Notes on the engine — part G", "findings": []}


def test_a_message_may_be_a_text():
    assert scan(messages.clean().decode()) == scan(messages.clean())


def test_the_signature_is_found_inside_an_archive_in_an_archive():
    result = scan(messages.infected())
    assert result["verdict"] == "infected"
    rules = [finding["rule"] for finding in result["findings"]]
    assert rules == ["test-signature", "disguised-link", "numeric-host", "other-domain"]
    assert "invoice.zip/inner.zip/invoice.com" in result["findings"][0]["what"]


@pytest.mark.parametrize(("name", "rules"), [("disguised", ["disguised-link", "numeric-host"]), ("honest", [])])
def test_links_are_looked_at(name, rules):
    event = json.loads((APPLICATION / f"tests/events/links/{name}.json").read_text())
    assert [finding["rule"] for finding in call("links", event)] == rules


def test_no_file_here_has_the_signature():
    signature = runpy.run_path(str(APPLICATION / "grains/attachments/handler.py"))["TEST_SIGNATURE"]
    assert len(signature) == 68
    assert not [path for path in APPLICATION.rglob("*") if path.is_file() and signature in path.read_bytes()]


def test_what_is_no_message_is_refused():
    with pytest.raises(ValueError, match="no headers"):
        call("parse", b"\n\nhello")
