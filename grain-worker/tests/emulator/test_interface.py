"""The emulator's own /openapi.yaml: what it lists is served, and what is served is in it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
import yaml

from sand.emulator import interface
from sand.emulator.emulator import Emulator
from sand.emulator.inline import InlineGrains

METHODS = ("get", "put", "post", "patch", "delete")
ABSENT = {
    "/metrics",
    "/api/v1/hosts",
    "/api/v1/keys",
    "/api/v1/applications/{app}/usage",
    "/api/v1/applications/{app}/local-queues",
}


def operations(document: dict[str, Any]) -> set[tuple[str, str]]:
    return {(method, path) for path, item in document["paths"].items() for method in item if method in METHODS}


@pytest.fixture(scope="module")
def client() -> Iterator[httpx.Client]:
    with Emulator(make=InlineGrains) as emulator, httpx.Client(base_url=emulator.url, timeout=30, trust_env=False) as client:
        yield client


def test_what_it_lists_is_served_and_what_it_does_not_is_not(client: httpx.Client) -> None:
    own = yaml.safe_load(client.get("/openapi.yaml").text)
    whole = yaml.safe_load(interface.document(lambda method, path: True))
    assert operations(own) < operations(whole)
    assert ABSENT.isdisjoint(own["paths"]) and whole["paths"].keys() >= ABSENT
    for method, path in operations(whole):
        answer = client.request(method, re.sub(r"{[^}]*}", "x", path))
        is_there = not answer.json()["detail"].startswith("There is nothing at") if answer.status_code == 404 else True
        assert (is_there and answer.status_code != 405) == ((method, path) in operations(own)), (method, path, answer.text)


def test_what_it_lists_is_the_platforms_word_for_word(client: httpx.Client) -> None:
    own = yaml.safe_load(client.get("/openapi.yaml").text)
    whole = yaml.safe_load(interface.document(lambda method, path: True))
    assert own["components"] == whole["components"] and own["tags"] == whole["tags"]
    assert "This is the emulator's" in own["info"]["description"]
    for path, item in own["paths"].items():
        assert item == {name: each for name, each in whole["paths"][path].items() if name in item}, path
        assert item.get("parameters") == whole["paths"][path].get("parameters")


def test_where_nothing_is_the_list_is_named(client: httpx.Client) -> None:
    answer = client.get("/api/v1/figures")
    assert answer.status_code == 404
    assert answer.json()["detail"] == "There is nothing at /api/v1/figures; /openapi.yaml lists what is."
