"""`sand data`: what grains share, from outside."""

import json

import pytest
from conftest import APPLICATIONS, Tested, sandbox_option
from sand.command.local import LocalPlatform


@pytest.mark.slow
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
