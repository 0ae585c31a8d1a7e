"""What is over goes, what is not stays, indexes follow their rows; and a row of a newer platform is not half understood."""

import pytest

FAR = 1 << 50
HASHES = [digit * 64 for digit in "0a"]


def test_what_is_over_goes(sand_application):
    data = sand_application.data
    for hash, until in zip(HASHES, (FAR, 5), strict=True):
        data.table(f"sessions/{hash[0]}").put(hash, {"user": "ada", "expiresMs": until})
        data.table("sessions-of/ada").put(hash, {})
        data.table(f"attempts/{hash[0]}").put(f"u:{hash}", {"untilMs": 0, "firstMs": until, "count": 1, "locks": 0})
        data.table("invitations/default").put(hash, {"expiresMs": until})
        data.table("keys/k").put(f"k{hash[0]}", {"tenant": "default", "expiresMs": until, "revokedMs": None})
        data.table("keys-of/default").put(f"k{hash[0]}", {})
        data.table("key-use").put(f"k{hash[0]}", {"usedMs": 1})
    data.table("keys/k").put("kept", {"tenant": "default", "expiresMs": None, "revokedMs": None})
    data.table("users").put("ada", {"operator": True, "disabled": False})
    data.table("members/default").put("gone", {"role": "viewer", "sinceMs": 0})
    data.table("members/default").put("stays", {"role": "viewer", "sinceMs": 0})
    data.table("memberships/stays").put("default", {"role": "viewer"})
    data.table("members/default").counter("#changes")
    cleared = sand_application.call("housekeeping", {"trigger": "housekeeping"})
    assert cleared == {"sessions": 1, "attempts": 1, "keys": 1, "invitations": 1, "sessionsOf": 1, "members": 1}
    assert [key for key, _, _ in data.table("sessions-of/ada").items()] == HASHES[:1]
    assert [key for key, _, _ in data.table("members/default").items()] == ["#changes", "stays"]
    assert [key for key, _, _ in data.table("keys/k").items()] == ["k0", "kept"]
    for index in ("keys-of/default", "key-use"):
        assert [key for key, _, _ in data.table(index).items()] == ["k0"]
    again = sand_application.call("housekeeping", None)
    assert set(again.values()) == {0}


@pytest.mark.parametrize("schema", [2, 99])
def test_a_newer_row_is_refused(caller, sand_application, schema):
    sand_application.data.table("tenants").put("newer", {"schema": schema, "title": "?"})
    answer = caller("tenants", "getTenant", {"tenant": "newer"})
    assert (answer.status, answer.kind) == (503, "unavailable")
    assert "newer platform" in answer.body["detail"]
