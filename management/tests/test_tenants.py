"""Tenants, their members, keys and quotas."""

import pytest
from argon2 import PasswordHasher

ID, OTHER = "abcdefghij12", "zyxwvutsrq98"
HASH = "0" * 64


def owner(caller, tenant, *scopes):
    return caller.of(kind="session", id=HASH, user=f"{tenant}s", tenant=tenant, scopes=["read", "admin", *scopes])


def user(sand_application, name):
    sand_application.data.table("users").put(name, {"schema": 1, "hash": "x", "operator": False, "disabled": False})


def test_a_tenant_is_made_shown_changed_and_deleted(caller, platform):
    made = caller("tenants", "createTenant", body={"name": "acme", "title": "ACME"})
    assert (made.status, made.body["state"]) == (201, "active")
    assert caller("tenants", "createTenant", body={"name": "acme"}).status == 409
    assert [each["tenant"] for each in caller("tenants", "listTenants").body["tenants"]] == ["acme", "default"]
    suspended = caller("tenants", "changeTenant", {"tenant": "acme"}, body={"state": "suspended"})
    assert (suspended.body["state"], suspended.body["title"]) == ("suspended", "ACME")
    platform.answers["listApplications"] = 200, {"applications": [{"name": "till"}]}
    assert caller("tenants", "deleteTenant", {"tenant": "acme"}).body["actual"] == 1
    platform.answers["listApplications"] = 200, {"applications": []}
    assert caller("tenants", "deleteTenant", {"tenant": "acme"}).status == 204
    assert caller("tenants", "getTenant", {"tenant": "acme"}).kind == "unknown-tenant"


def test_who_makes_one_is_its_first_owner_if_he_is_somebody(caller, sand_application):
    user(sand_application, "ada")
    ada = caller.of(kind="session", id=HASH, user="ada", scopes=["read", "operator", "admin"])
    assert ada("tenants", "createTenant", body={"name": "acme"}).status == 201
    assert [each["role"] for each in ada("members", "listMembers", {"tenant": "acme"}).body["members"]] == ["owner"]
    assert caller("tenants", "createTenant", body={"name": "inn"}).status == 201
    assert caller("members", "listMembers", {"tenant": "inn"}).body["members"] == []


def test_default_stays(caller):
    default = {"tenant": "default"}
    assert caller("tenants", "deleteTenant", default).status == 409
    assert caller("tenants", "changeTenant", default, body={"state": "suspended"}).status == 409
    assert caller("tenants", "changeTenant", default, body={"title": "Ours"}).body["title"] == "Ours"


@pytest.mark.parametrize("name", ["default", "sand", "platform", "A", "a", "a-b", "a" * 21, "0a", None])
def test_such_a_tenant_is_not_made(caller, name):
    caller("tenants", "createTenant", body={"name": name}).refuses("/body/name")


@pytest.mark.parametrize(
    ("grain", "operation"),
    [
        ("tenants", "getTenant"),
        ("members", "listMembers"),
        ("members", "putMember"),
        ("members", "removeMember"),
        ("members", "inviteMember"),
        ("members", "listInvitations"),
        ("members", "withdrawInvitation"),
        ("quotas", "getQuotas"),
    ],
)
def test_another_tenant_is_not_there(caller, platform, grain, operation):
    caller("tenants", "createTenant", body={"name": "theirs"})
    stranger = owner(caller, "ours")
    parameters = {"user": "somebody", "id": HASH}
    theirs = stranger(grain, operation, parameters | {"tenant": "theirs"}, body={"role": "owner"}, drawn={"hash": HASH})
    nobodys = stranger(grain, operation, parameters | {"tenant": "nobodys"}, body={"role": "owner"}, drawn={"hash": HASH})
    assert (theirs.status, theirs.kind) == (nobodys.status, nobodys.kind) == (404, "unknown-tenant")
    assert theirs.body["detail"].replace("theirs", "nobodys") == nobodys.body["detail"]


def test_a_user_sees_the_tenants_that_he_is_in(caller, sand_application):
    user(sand_application, "mays")
    caller("tenants", "createTenant", body={"name": "may"})
    caller("members", "putMember", {"tenant": "may", "user": "mays"}, body={"role": "viewer"})
    assert [each["tenant"] for each in owner(caller, "may")("tenants", "listTenants").body["tenants"]] == ["may"]
    key = caller.of(kind="key", id=ID, tenant="may", scopes=["read"])
    assert [each["tenant"] for each in key("tenants", "listTenants").body["tenants"]] == ["may"]


def test_who_makes_somebody_a_member_does_not_bring_his_sessions_along(caller, platform, sand_application):
    """They begin in the tenant that he was in first, whatever the others are called; also where he gets another role there."""
    platform.answers["openSealed"] = lambda asked: (200, {"value": asked["body"]["box"]})
    row = {
        "schema": 1,
        "hash": PasswordHasher(1, 8, 1).hash("correct horse"),
        "operator": False,
        "disabled": False,
        "changedMs": 1,
    }
    sand_application.data.table("users").put("zoe", row)
    for tenant, role in (("zoo", "viewer"), ("ape", "owner"), ("default", "owner"), ("zoo", "developer")):
        table = sand_application.data.table("memberships/zoe")
        before = {key: row["sinceMs"] for key, row, _ in table.items()}
        assert caller("members", "putMember", {"tenant": tenant, "user": "zoe"}, body={"role": role}).status == 200
        if tenant not in before:  # the clock may not have gone on since
            table.put(tenant, {**table.get(tenant), "sinceMs": max(before.values(), default=0) + 1})
    body = {"name": "zoe", "password": "correct horse"}
    assert caller("sign-in", "createSession", body=body, drawn={"hash": HASH}).status == 201
    assert sand_application.data.table("sessions/0").get(HASH)["tenant"] == "zoo"
    assert sand_application.data.table("memberships/zoe").get("zoo")["role"] == "developer"


def test_one_owner_stays(caller, sand_application):
    team = {"tenant": "team"}
    for name in ("una", "ugo"):
        user(sand_application, name)
        assert caller("members", "putMember", {**team, "user": name}, body={"role": "owner"}).status == 200
    assert caller("members", "putMember", {**team, "user": "ugo"}, body={"role": "viewer"}).body["role"] == "viewer"
    for last in (
        caller("members", "removeMember", {**team, "user": "una"}),
        caller("members", "putMember", {**team, "user": "una"}, body={"role": "developer"}),
    ):
        assert (last.status, last.kind) == (409, "conflict")
    assert caller("members", "removeMember", {**team, "user": "ugo"}).status == 204
    assert caller("members", "removeMember", {**team, "user": "ugo"}).kind == "unknown-user"
    members = caller("members", "listMembers", team).body["members"]
    assert [(each["user"], each["role"]) for each in members] == [("una", "owner")]
    assert sand_application.data.table("memberships/ugo").get("team") is None


def test_two_who_change_members_at_once_take_turns(caller, sand_application, monkeypatch):
    pair = {"tenant": "pair"}
    for name in ("eva", "evi"):
        user(sand_application, name)
        caller("members", "putMember", {**pair, "user": name}, body={"role": "owner"})
    from sand.tables import Transaction

    begun, commit = [], Transaction.commit

    def between(transaction):
        """The other's change comes in before this one's."""
        if not begun and transaction._table.partition == "members/pair":
            begun.append(1)
            table = sand_application.data.table("members/pair")
            table.delete("evi")
            table.counter("#changes")
        return commit(transaction)

    monkeypatch.setattr(Transaction, "commit", between)
    answer = caller("members", "removeMember", {**pair, "user": "eva"})
    assert (answer.status, answer.body["error"]) == (409, "Sand.Conflict")
    assert [each["user"] for each in caller("members", "listMembers", pair).body["members"]] == ["eva"]


def test_nobody_who_is_not_there_becomes_a_member(caller):
    assert caller("members", "putMember", {"tenant": "default", "user": "ghost"}, body={"role": "owner"}).kind == "unknown-user"
    caller("members", "putMember", {"tenant": "default", "user": "ghost"}, body={"role": "king"}).refuses("/body/role")


def test_an_invitation_is_listed_and_withdrawn(caller):
    inn = {"tenant": "inn"}
    body = {"role": "viewer", "expires": "1h"}
    made = caller("members", "inviteMember", inn, body=body, drawn={"hash": HASH}).body
    assert (made["id"], made["role"], made["expiresMs"] - made["createdMs"]) == (HASH, "viewer", 3_600_000)
    assert caller("members", "listInvitations", inn).body == {"invitations": [made]}
    assert caller("members", "withdrawInvitation", {**inn, "id": HASH}).status == 204
    assert caller("members", "withdrawInvitation", {**inn, "id": HASH}).kind == "unknown-invitation"
    caller("members", "inviteMember", inn, body={"role": "viewer", "expires": "1s"}, drawn={"hash": HASH}).refuses(
        "/body/expires"
    )
    caller("members", "inviteMember", inn, body={"role": "viewer", "expires": 5}, drawn={"hash": HASH}).refuses("/body/expires")


def test_nobody_gives_a_role_that_may_more_than_he(caller, sand_application):
    sand_application.data.table("users").put("mia", {"schema": 1, "operator": False, "disabled": False})
    key = caller.of(tenant="lent", scopes=["admin", "read"], kind="key", id=ID)
    lent = {"tenant": "lent"}
    for role, missing in (("owner", "invoke"), ("developer", "invoke")):
        refused = key("members", "inviteMember", lent, body={"role": role}, drawn={"hash": HASH})
        assert (refused.status, refused.body["scope"]) == (403, missing)
        assert key("members", "putMember", {**lent, "user": "mia"}, body={"role": role}).status == 403
    assert key("members", "inviteMember", lent, body={"role": "viewer"}, drawn={"hash": HASH}).status == 201


def test_a_key_may_no_more_than_who_makes_it(caller, sand_application):
    boss = owner(caller, "keyed", "invoke")
    drawn = {"id": ID, "hash": HASH}
    refused = boss("keys", "createKey", body={"name": "ci", "scopes": ["deploy"]}, drawn=drawn)
    assert (refused.status, refused.body["scope"]) == (403, "deploy")
    made = boss("keys", "createKey", body={"name": "ci", "scopes": ["invoke", "read"], "expires": "90d"}, drawn=drawn)
    assert (made.status, made.body["scopes"], made.body["by"]) == (201, ["invoke", "read"], "keyeds")
    assert made.body["expiresMs"] - made.body["createdMs"] == pytest.approx(90 * 86_400_000, abs=1000)
    assert "hash" not in made.body
    row = sand_application.data.table("keys/a").get(ID)
    assert (row["hash"], row["tenant"], row["schema"]) == (HASH, "keyed", 1)


def test_a_key_is_its_tenants(caller, sand_application):
    caller.of(tenant="mine")("keys", "createKey", body={"name": "k", "scopes": ["read"]}, drawn={"id": OTHER, "hash": HASH})
    mine, stranger = owner(caller, "mine"), owner(caller, "other")
    assert stranger("keys", "listKeys").body == {"keys": []}
    for operation in ("getKey", "revokeKey"):
        assert stranger("keys", operation, {"key": OTHER}).kind == "unknown-key"
    shown = mine("keys", "getKey", {"key": OTHER}).body
    assert (shown["name"], shown["usedMs"]) == ("k", None)
    sand_application.data.table("key-use").put(OTHER, {"schema": 1, "usedMs": 5})
    assert mine("keys", "listKeys").body["keys"] == [{**shown, "usedMs": 5}]
    epoch = sand_application.data.table("access").get("epoch", 0)
    assert mine("keys", "revokeKey", {"key": OTHER}).status == 204
    assert sand_application.data.table("access").get("epoch") == epoch + 1
    assert mine("keys", "listKeys").body == {"keys": []}
    assert mine("keys", "getKey", {"key": OTHER}).kind == "unknown-key"
    assert sand_application.data.table("keys/z").get(OTHER)["revokedMs"] > 0


def made_with(caller, maker, id, **body):
    """A key that another one makes, in tenant `chain`. None: its owner makes it"""
    boss = owner(caller, "chain")
    who = boss if maker is None else caller.of(kind="key", id=maker, user=None, tenant="chain", scopes=["read", "admin"])
    return who("keys", "createKey", body={"name": id, "scopes": ["admin"], **body}, drawn={"id": id, "hash": HASH})


def test_a_key_lasts_no_longer_than_the_key_that_makes_it(caller):
    first, second, third = "first0000000", "second000000", "third0000000"
    ends = made_with(caller, None, first, expires="1h").body["expiresMs"]
    made = made_with(caller, first, second)
    assert (made.status, made.body["expiresMs"], made.body["madeBy"]) == (201, ends, first)
    assert made_with(caller, second, third, expires="1m").body["expiresMs"] < ends
    for maker in (first, second):
        refused = made_with(caller, maker, "fourth000000", expires="2h")
        assert (refused.status, refused.kind, refused.body["limit"]) == (403, "denied", ends)
    assert made_with(caller, None, "human0000000", expires="2h").body["madeBy"] is None
    listed = owner(caller, "chain")("keys", "listKeys").body["keys"]
    assert {key["id"] for key in listed} == {first, second, third, "human0000000"}


def test_a_revoked_key_takes_with_it_what_it_made(caller, sand_application):
    first, second, third, other = "first1111111", "second111111", "third1111111", "other1111111"
    for maker, id in ((None, first), (first, second), (second, third), (None, other)):
        assert made_with(caller, maker, id).body["expiresMs"] is None
    boss = owner(caller, "chain")

    def there():
        return {key["id"] for key in boss("keys", "listKeys").body["keys"] if key["id"].endswith("1111")}

    # One that was cut short has marked the row, and nothing else: asked for again it does the rest.
    rows = sand_application.data.table("keys/f")
    rows.put(first, {**rows.get(first), "revokedMs": 5})
    assert boss("keys", "revokeKey", {"key": first}).status == 204
    assert there() == {other}
    assert all(sand_application.data.table(f"keys/{id[0]}").get(id)["revokedMs"] for id in (first, second, third))
    assert boss("keys", "revokeKey", {"key": first}).kind == "unknown-key"
    # The frontend may have let in who was revoked in the same moment.
    late = made_with(caller, second, "late11111111")
    assert (late.status, there()) == (403, {other})


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({"name": "", "scopes": ["read"]}, "/body/name"),
        ({"name": "\x1b[2J", "scopes": ["read"]}, "/body/name"),
        ({"name": "\ud800", "scopes": ["read"]}, "/body/name"),
        ({"name": "k", "scopes": []}, "/body/scopes"),
        ({"name": "k", "scopes": ["operator"]}, "/body/scopes"),
        ({"name": "k", "scopes": [["read"]]}, "/body/scopes"),
        ({"name": "k", "scopes": "read"}, "/body/scopes"),
        ({"name": "k", "scopes": ["read"], "expires": "401d"}, "/body/expires"),
        ({"name": "k", "scopes": ["read"], "secret": "x"}, "/body/secret"),
    ],
)
def test_odd_keys_are_refused(caller, body, pointer):
    caller("keys", "createKey", body=body, drawn={"id": ID, "hash": HASH}).refuses(pointer)


def test_quotas_are_the_operators_to_set(caller, platform, sand_application):
    platform.answers["listApplications"] = 200, {"applications": [{"name": "a"}, {"name": "b"}]}
    hosts = [{"host": "a", "instances": 3, "memoryBytes": 1}, {"host": "b", "instances": 2, "memoryBytes": 7}]
    platform.answers["getUse"] = 200, {"tenant": "default", "hosts": hosts, "storedBytes": 9}
    small = {"tenant": "default"}
    nothing = dict.fromkeys(["applications", "requestsPerSecond", "instances", "memoryBytes", "storedBytes"])
    assert caller("quotas", "setQuotas", small, body={"applications": 3, "requestsPerSecond": None}).status == 200
    seen = owner(caller, "default")("quotas", "getQuotas", small).body
    assert seen["limits"] == nothing | {"applications": 3}
    assert seen["use"] == {"applications": 2, "instances": 3, "memoryBytes": 7, "storedBytes": 9}
    row = sand_application.data.table("quotas").get("default")
    assert row == {"schema": 1, "applications": 3}
    assert caller("quotas", "setQuotas", small, {"keep": "true"}, body={"instances": 4}).body["limits"]["applications"] == 3
    kept = caller("quotas", "setQuotas", small, {"keep": "true"}, body={"applications": None, "memoryBytes": 7}).body["limits"]
    assert kept == nothing | {"instances": 4, "memoryBytes": 7}
    caller("quotas", "setQuotas", small, {"keep": "perhaps"}, body={}).refuses("/query/keep")
    for body, field in (
        ({"applications": -1}, "applications"),
        ({"requestsPerSecond": True}, "requestsPerSecond"),
        ({"storedBytes": "5GiB"}, "storedBytes"),
        ({"memoryBytes": (1 << 50) + 1}, "memoryBytes"),
        ({"gold": 1}, "gold"),
    ):
        caller("quotas", "setQuotas", small, body=body).refuses(f"/body/{field}")
