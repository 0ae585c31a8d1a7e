"""`sand data`: what grains share, from outside."""

import hashlib
import json

import pytest
from conftest import APPLICATIONS, Tested, sandbox_option
from sand.command.local import LocalPlatform

# A platform of its own, and more than one start of it.
pytestmark = pytest.mark.slow


def test_values_are_put_under_their_version_and_read() -> None:
    with LocalPlatform(*sandbox_option()) as local:
        tested = Tested(local)
        tested.sand("deploy", str(APPLICATIONS / "gate"))
        put = json.loads(tested.sand("data", "put", "gate", "a/b", "--version", "0", "-o", "json", stdin=b'{"n": 1}'))
        tested.sand("data", "put", "gate", "a/b", "--version", "0", stdin=b"2", code=5)
        assert tested.sand("data", "get", "gate", "a/b").strip() == b'{"n": 1}'
        tested.sand("data", "put", "gate", "a/b", "--version", str(put["version"]), stdin=b"3")
        assert json.loads(tested.sand("data", "list", "gate", "--prefix", "a/", "-o", "json")) == {
            "keys": ["a/b"],
            "next": None,
        }
        tested.sand("data", "put", "gate", "a/b", stdin=b"{", code=4)
        tested.sand("data", "delete", "gate", "a/b", "--version", str(put["version"]), code=5)
        tested.sand("data", "delete", "gate", "a/b")
        tested.sand("data", "get", "gate", "a/b", code=3)
        # What a grain has put is read here, and the other way round.
        check = {"name": "closed"}
        assert tested.http.post("/invoke/gate/open", json={"open": True}).status_code == 200
        assert tested.sand("data", "get", "gate", "open").strip() == b"true"
        tested.sand("data", "delete", "gate", "open")
        assert tested.http.post("/invoke/gate/check", json=check).status_code >= 400
        tested.sand("data", "put", "gate", "open", stdin=b"true")
        assert tested.http.post("/invoke/gate/check", json=check).status_code == 200


READER = {
    "sand.yaml": "name: reader\n",
    "grains/read/handler.py": """
import hashlib


def handle(event, context):
    return hashlib.sha256(context.data.get(event["key"])).hexdigest()
""",
}


def test_a_large_value_that_was_put_from_outside_is_read_by_grains() -> None:
    value = bytes(range(255)) * 8225  # over what a frame of the local bus holds
    with LocalPlatform(*sandbox_option()) as local:
        tested = Tested(local)
        tested.deploy_files(READER)
        put = tested.http.put(
            "/api/v1/applications/reader/data/value",
            params={"key": "large"},
            content=value,
            headers={"Content-Type": "application/octet-stream"},
        )
        assert put.status_code == 200, put.text
        for _ in range(2):
            read = tested.http.post("/invoke/reader/read", json={"key": "large"})
            assert (read.status_code, read.json()) == (200, hashlib.sha256(value).hexdigest())
        got = tested.http.get("/api/v1/applications/reader/data/value", params={"key": "large"})
        assert got.content == value
