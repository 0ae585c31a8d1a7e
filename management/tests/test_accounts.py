"""Users from the first one on: signing up and in, sessions, passwords. Passwords come in boxes, which the platform opens."""

import hashlib
import time

import pytest
from argon2 import PasswordHasher

SECRET = "correct horse battery"
TODAYS = PasswordHasher(time_cost=3, memory_cost=19 * 1024, parallelism=1)
LESS = PasswordHasher(time_cost=1, memory_cost=8 * 1024, parallelism=1)


def hashed(text):
    return hashlib.sha256(text.encode()).hexdigest()


@pytest.fixture(autouse=True)
def boxes(platform):
    """A box is the text with a lid on it."""
    platform.answers["openSealed"] = lambda asked: (200, {"value": asked["body"]["box"].removeprefix("box:")})


@pytest.fixture
def ada(caller, sand_application):
    """The first user, who is there for all tests of this file."""
    if sand_application.data.table("state").get("accounts") is None:
        made = caller("sign-up", "createUser", body={"name": "ada", "password": f"box:{SECRET}"})
        assert (made.status, made.body) == (201, {"user": "ada", "operator": True, "tenants": {"default": "owner"}})
    return session_of(caller, "ada", "operator")


def session_of(caller, name, *more, token="t"):
    return caller.of(kind="session", id=hashed(token), user=name, scopes=["read", "invoke", "deploy", "admin", *more])


def sign_in(caller, name, password=SECRET, token="t"):
    nobody = caller.of(kind="nobody", scopes=[])
    return nobody("sign-in", "createSession", body={"name": name, "password": f"box:{password}"}, drawn={"hash": hashed(token)})


def test_the_first_account_is_the_operators_to_make(caller, sand_application):
    if sand_application.data.table("state").get("accounts") is None:
        stranger = caller.of(scopes=["admin", "read"])
        answer = stranger("sign-up", "createUser", body={"name": "eve", "password": "box:" + SECRET})
        assert (answer.status, answer.kind) == (403, "denied")
        assert sand_application.data.table("users").get("eve") is None


def test_a_password_is_kept_as_a_hash_alone(ada, sand_application):
    row = sand_application.data.table("users").get("ada")
    assert row["hash"].startswith("$argon2id$") and PasswordHasher().verify(row["hash"], SECRET)
    assert SECRET not in str([*sand_application.data.table("users").items()])


def test_a_password_is_one_however_its_accents_are_written(ada, caller, sand_application):
    composed, decomposed = "caf\u00e9 cr\u00e8me", "cafe\u0301 cre\u0300me"
    users = sand_application.data.table("users")
    assert ada("account", "changePassword", body={"old": f"box:{SECRET}", "new": f"box:{decomposed}"}).status == 204
    try:
        assert PasswordHasher().verify(users.get("ada")["hash"], composed)
        assert [sign_in(caller, "ada", one).status for one in (composed, decomposed, "cafe creme")] == [201, 201, 401]
        # Kept before it was so.
        users.put("ada", users.get("ada") | {"hash": PasswordHasher().hash(decomposed)})
        assert [sign_in(caller, "ada", one).status for one in (decomposed, "cafe creme")] == [201, 401]
    finally:
        users.put("ada", users.get("ada") | {"hash": PasswordHasher().hash(SECRET)})


def test_what_was_kept_otherwise_is_kept_as_today_once_its_user_signs_in(ada, caller, sand_application):
    composed, decomposed = "caf\u00e9 cr\u00e8me", "cafe\u0301 cre\u0300me"
    users = sand_application.data.table("users")
    as_it_was = users.get("ada")["hash"]

    def kept_after(hash, typed):
        users.put("ada", users.get("ada") | {"hash": hash})
        assert sign_in(caller, "ada", typed).status == 201
        return users.get("ada")["hash"]

    try:
        # Before passwords were normalised: that of what was typed then, which another keyboard could not sign in with.
        typed_so = TODAYS.hash(decomposed)
        assert TODAYS.verify(kept_after(typed_so, decomposed), composed)
        assert sign_in(caller, "ada", composed).status == 201
        # With less than is asked for today.
        assert TODAYS.check_needs_rehash(LESS.hash(composed))
        assert not TODAYS.check_needs_rehash(kept_after(LESS.hash(composed), decomposed))
        # As it is made today it stays, however the password is typed.
        todays = TODAYS.hash(composed)
        assert [kept_after(todays, one) for one in (composed, decomposed)] == [todays, todays]
    finally:
        users.put("ada", users.get("ada") | {"hash": as_it_was})


def test_a_password_that_is_set_while_its_user_signs_in_with_the_old_one_stays(ada, caller, platform, sand_application):
    users = sand_application.data.table("users")
    as_it_was = users.get("ada")
    new = TODAYS.hash("another password")

    def changes_meanwhile(asked):
        users.put("ada", users.get("ada") | {"hash": new, "changedMs": as_it_was["changedMs"] + 1})
        return 200, {"value": asked["body"]["box"].removeprefix("box:")}

    try:
        users.put("ada", as_it_was | {"hash": LESS.hash(SECRET)})
        platform.answers["openSealed"] = changes_meanwhile
        assert sign_in(caller, "ada", token="overtaken").status == 401
        assert users.get("ada")["hash"] == new
    finally:
        users.put("ada", as_it_was)


def test_who_signs_in_has_a_session(ada, caller, sand_application):
    answer = sign_in(caller, "ada", token="first")
    assert (answer.status, answer.body["user"], answer.body["tenants"]) == (201, "ada", {"default": "owner"})
    row = sand_application.data.table(f"sessions/{hashed('first')[0]}").get(hashed("first"))
    assert (row["user"], row["address"], row["expiresMs"] - row["createdMs"]) == ("ada", "127.0.0.1", 12 * 3_600_000)


@pytest.mark.parametrize("name", ["ada", "nobody", "<b>"])
def test_a_wrong_password_and_a_wrong_name_are_one(ada, caller, name):
    answer = sign_in(caller, name, "wrong password")
    assert (answer.status, answer.kind) == (401, "unauthenticated")
    assert answer.body["detail"] == "There is no user of that name with that password."


@pytest.mark.parametrize("name", ["bob", "not-there"])
def test_who_guesses_is_locked_out_and_longer_the_next_time(ada, caller, sand_application, name):
    part = sand_application.data.table(f"attempts/{hashed('u:' + name)[0]}")
    for _ in range(10):
        assert sign_in(caller, name, "wrong password").status == 401
    locked = sign_in(caller, name, "wrong password")
    assert (locked.status, locked.kind, locked.headers["retry-after"]) == (429, "locked-out", "900")
    row = part.get(f"u:{name}")
    part.put(f"u:{name}", {**row, "untilMs": 0, "count": 9})
    assert sign_in(caller, name, "wrong password").status == 401
    assert 1750 < int(sign_in(caller, name, "wrong password").headers["retry-after"]) <= 1800


@pytest.mark.parametrize("name", ["\ud800", "<b>", "a/b", "Ada"])
def test_what_nobody_can_be_called_leaves_nothing_behind(ada, caller, sand_application, name):
    for _ in range(12):
        assert (sign_in(caller, name, "wrong password").status, sign_in(caller, name).kind) == (401, "unauthenticated")
    kept = [key for part in "0123456789abcdef" for key, *_ in sand_application.data.table(f"attempts/{part}").items()]
    assert f"u:{name}" not in kept


def test_a_session_that_begins_while_the_password_changes_does_not_stay(ada, caller, platform, sand_application):
    """The old one was right when it was looked at; by the time that the session is there all others have been ended."""
    users = sand_application.data.table("users")

    def changes_meanwhile(asked):
        users.put("ada", {**users.get("ada"), "changedMs": users.get("ada")["changedMs"] + 1})
        return 200, {"value": asked["body"]["box"].removeprefix("box:")}

    platform.answers["openSealed"] = changes_meanwhile
    assert sign_in(caller, "ada", token="late").status == 401
    assert sand_application.data.table(f"sessions/{hashed('late')[0]}").get(hashed("late")) is None
    assert hashed("late") not in {each["id"] for each in ada("sessions", "listSessions").body["sessions"]}


def test_who_has_a_session_does_not_guess_the_password_with_it(ada, caller, sand_application):
    for _ in range(10):
        guess = ada("account", "changePassword", body={"old": "box:wrong password", "new": "box:another password"})
        assert (guess.status, guess.body["pointer"]) == (403, "/body/old")
    right = ada("account", "changePassword", body={"old": f"box:{SECRET}", "new": "box:another password"})
    assert (right.status, right.kind) == (429, "locked-out")
    sand_application.data.table(f"attempts/{hashed('u:ada')[0]}").delete("u:ada")


def test_a_success_clears_the_failures(ada, caller, sand_application):
    assert sign_in(caller, "ada").status == 201
    for _ in range(9):
        sign_in(caller, "ada", "wrong password")
    assert sign_in(caller, "ada").status == 201
    assert sand_application.data.table(f"attempts/{hashed('u:ada')[0]}").get("u:ada") is None


def test_old_failures_do_not_count(ada, caller, sand_application):
    part = sand_application.data.table(f"attempts/{hashed('u:ada')[0]}")
    part.put("u:ada", {"count": 9, "firstMs": 0, "untilMs": 0, "locks": 0})
    assert sign_in(caller, "ada", "wrong password").status == 401
    assert sign_in(caller, "ada").status == 201


def invited(ada, token, role="developer"):
    drawn = {"hash": hashed(token)}
    assert ada("members", "inviteMember", {"tenant": "default"}, body={"role": role}, drawn=drawn).status == 201
    return f"box:default.{token}"


def test_an_invitation_makes_one_user(ada, caller):
    box = invited(ada, "come in")
    nobody = caller.of(kind="nobody", scopes=[])
    body = {"name": "carl", "password": f"box:{SECRET}", "invitation": box}
    assert nobody("sign-up", "createUser", body=body).body == {
        "user": "carl",
        "operator": False,
        "tenants": {"default": "developer"},
    }
    again = nobody("sign-up", "createUser", body=body | {"name": "dora"})
    assert (again.status, again.kind) == (404, "unknown-invitation")
    assert nobody("sign-up", "createUser", body={"name": "dora", "password": "box:x"}).body["pointer"] == "/body/invitation"


def test_who_lost_the_answer_asks_again_and_has_the_same_account(ada, caller, sand_application):
    nobody = caller.of(kind="nobody", scopes=[])
    body = {"name": "cleo", "password": f"box:{SECRET}", "invitation": invited(ada, "cleos")}
    first = nobody("sign-up", "createUser", body=body)
    for again in (body, {**body, "invitation": None}):
        answer = nobody("sign-up", "createUser", body=again)
        assert (answer.status, answer.body) == (201, first.body)
    assert nobody("sign-up", "createUser", body=body | {"password": "box:another one"}).kind == "unknown-invitation"
    # The first account's answer may have been lost too, and it is nobody's but whose the password is.
    users = sand_application.data.table("users")
    row = users.get("ada")
    users.put("ada", {**row, "createdMs": int(time.time() * 1000)})
    ones = {"name": "ada", "password": f"box:{SECRET}"}
    assert nobody("sign-up", "createUser", body=ones).body == {"user": "ada", "operator": True, "tenants": {"default": "owner"}}
    assert nobody("sign-up", "createUser", body=ones | {"password": "box:wrong one"}).body["pointer"] == "/body/invitation"
    # Later there is only signing in.
    users.put("ada", {**row, "createdMs": 1})
    assert nobody("sign-up", "createUser", body=ones).body["pointer"] == "/body/invitation"
    users.put("ada", row)


def test_an_account_that_was_cut_short_is_made_whole_and_nobody_comes_back_so(ada, caller, sand_application):
    nobody = caller.of(kind="nobody", scopes=[])
    box = invited(ada, "ilsas")
    body = {"name": "ilsa", "password": f"box:{SECRET}", "invitation": box}
    now = int(time.time() * 1000)
    row = {"schema": 1, "hash": PasswordHasher().hash(SECRET), "createdMs": now, "changedMs": now, "disabled": False}
    begun = {**row, "operator": False, "member": {"tenant": "default", "role": "developer"}}
    sand_application.data.table("users").put("ilsa", begun)
    assert nobody("sign-up", "createUser", body=body).body["tenants"] == {"default": "developer"}
    assert nobody("sign-up", "createUser", body=body | {"name": "ina"}).kind == "unknown-invitation", "it is used up"
    assert ada("members", "removeMember", {"tenant": "default", "user": "ilsa"}).status == 204
    assert nobody("sign-up", "createUser", body=body).body["tenants"] == {}


def test_who_guesses_at_an_account_by_signing_up_is_locked_out(ada, caller):
    nobody = caller.of(kind="nobody", scopes=[])
    guess = {"name": "kurt", "password": "box:wrong password"}
    assert {nobody("sign-up", "createUser", body=guess).status for _ in range(10)} == {400}
    assert nobody("sign-up", "createUser", body=guess).kind == "locked-out"
    # Who is invited is not kept from it.
    body = guess | {"password": f"box:{SECRET}", "invitation": invited(ada, "kurts")}
    assert nobody("sign-up", "createUser", body=body).status == 201


def test_a_name_that_is_taken_uses_no_invitation_up(ada, caller):
    body = {"password": f"box:{SECRET}", "invitation": invited(ada, "once")}
    assert caller("sign-up", "createUser", body=body | {"name": "ada"}).status == 409
    assert caller("sign-up", "createUser", body=body | {"name": "emil"}).status == 201


@pytest.mark.parametrize("token", ["default.wrong", "wrong", "../default.x", "nowhere.x", "."])
def test_no_other_invitation_counts(ada, caller, token):
    body = {"name": "fred", "password": f"box:{SECRET}", "invitation": f"box:{token}"}
    assert caller("sign-up", "createUser", body=body).kind == "unknown-invitation"


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({"name": "Ada", "password": "box:x"}, "/body/name"),
        ({"name": "a/b", "password": "box:x"}, "/body/name"),
        ({"name": "gina", "email": "x"}, "/body/email"),
        ([], "/body"),
    ],
)
def test_odd_users_are_refused(ada, caller, body, pointer):
    caller("sign-up", "createUser", body=body).refuses(pointer)


def test_a_short_password_is_refused(ada, caller):
    body = {"name": "hugo", "password": "box:short", "invitation": invited(ada, "short")}
    caller("sign-up", "createUser", body=body).refuses("/body/password", "A password has 10 to 1024 characters.")
    caller("sign-up", "createUser", body=body | {"password": None}).refuses("/body/password")


def test_sessions_are_ones_own(ada, caller):
    sign_in(caller, "ada", token="t")
    sign_in(caller, "ada", token="other")
    mine = ada("sessions", "listSessions").body["sessions"]
    assert {hashed("t"), hashed("other")} <= {each["id"] for each in mine}
    assert [each["id"] for each in mine if each["current"]] == [hashed("t")]
    carl = session_of(caller, "carl", token="carls")
    assert carl("sessions", "listSessions").body == {"sessions": []}
    assert carl("sessions", "endAnotherSession", {"id": hashed("other")}).kind == "unknown-session"
    assert ada("sessions", "endAnotherSession", {"id": hashed("other")}).status == 204
    assert hashed("other") not in {each["id"] for each in ada("sessions", "listSessions").body["sessions"]}


def test_a_session_is_renewed_and_ended(ada, caller, sand_application):
    sign_in(caller, "ada", token="t")
    part = sand_application.data.table(f"sessions/{hashed('t')[0]}")
    part.put(hashed("t"), {**part.get(hashed("t")), "expiresMs": 5})
    assert ada("sessions", "renewSession").body["expiresMs"] > 5
    assert ada("sessions", "getSession").body["tenants"]["default"] == "owner"
    assert ada("sessions", "endSession").status == 204
    assert ada("sessions", "getSession").kind == ada("sessions", "renewSession").kind == "unknown-session"


def test_who_has_no_session_hears_who_he_is(caller):
    assert caller("sessions", "getSession").body["kind"] == "local"
    assert caller("sessions", "endSession").status == caller("sessions", "listSessions").status == 403


def test_a_new_password_ends_the_other_sessions(ada, caller, sand_application):
    sign_in(caller, "ada", token="t")
    sign_in(caller, "ada", token="thief")
    wrong = ada("account", "changePassword", body={"old": "box:wrong password", "new": "box:another password"})
    assert (wrong.status, wrong.body["pointer"]) == (403, "/body/old")
    epoch = sand_application.data.table("access").get("epoch")
    assert ada("account", "changePassword", body={"old": f"box:{SECRET}", "new": "box:another password"}).status == 204
    assert sand_application.data.table("access").get("epoch") > epoch
    assert sand_application.data.table(f"sessions/{hashed('thief')[0]}").get(hashed("thief")) is None
    assert [each["id"] for each in ada("sessions", "listSessions").body["sessions"]] == [hashed("t")]
    assert sign_in(caller, "ada").status == 401
    assert ada("account", "changePassword", body={"old": "box:another password", "new": f"box:{SECRET}"}).status == 204
    assert sign_in(caller, "ada").status == 201


def test_who_is_disabled_does_not_sign_in(ada, caller):
    caller("sign-up", "createUser", body={"name": "ivan", "password": f"box:{SECRET}", "invitation": invited(ada, "ivans")})
    assert sign_in(caller, "ivan").status == 201
    assert ada("account", "changeUser", {"user": "ivan"}, body={"disabled": True}).body["disabled"] is True
    assert sign_in(caller, "ivan").status == 401
    last = ada("account", "changeUser", {"user": "ada"}, body={"disabled": True})
    assert (last.status, last.kind) == (409, "conflict")
    ada("account", "changeUser", {"user": "ivan"}, body={"disabled": "no"}).refuses("/body/disabled")


def test_who_has_forgotten_his_password_gets_another_of_the_operator(ada, caller, sand_application):
    caller("sign-up", "createUser", body={"name": "olga", "password": f"box:{SECRET}", "invitation": invited(ada, "olgas")})
    sign_in(caller, "olga", token="old")
    assert ada("account", "changeUser", {"user": "olga"}, body={"new": "box:another password"}).body["disabled"] is False
    assert sand_application.data.table(f"sessions/{hashed('old')[0]}").get(hashed("old")) is None
    assert sign_in(caller, "olga").status == 401
    assert sign_in(caller, "olga", "another password").status == 201
    for _ in range(10):
        sign_in(caller, "olga", "wrong password")
    assert sign_in(caller, "olga", "another password").kind == "locked-out"
    assert ada("account", "changeUser", {"user": "olga"}, body={"operator": False}).status == 200
    assert sign_in(caller, "olga", "another password").kind == "locked-out"
    assert ada("account", "changeUser", {"user": "olga"}, body={"new": "box:a third password"}).status == 200
    assert sign_in(caller, "olga", "a third password").status == 201
    ada("account", "changeUser", {"user": "olga"}, body={"new": "box:short"}).refuses("/body/new")
    ada("account", "changeUser", {"user": "olga"}, body={}).refuses("/body")


def test_there_may_be_several_operators_and_there_is_always_one(ada, caller):
    caller("sign-up", "createUser", body={"name": "otto", "password": f"box:{SECRET}", "invitation": invited(ada, "ottos")})
    for last in ({"operator": False}, {"disabled": True}, {"operator": False, "disabled": False}):
        assert ada("account", "changeUser", {"user": "ada"}, body=last).status == 409
    assert ada("account", "changeUser", {"user": "otto"}, body={"operator": True}).body["operator"] is True
    assert ada("account", "changeUser", {"user": "ada"}, body={"operator": False}).body["operator"] is False
    ada("account", "changeUser", {"user": "otto"}, body={"operator": "yes"}).refuses("/body/operator")
    assert ada("account", "changeUser", {"user": "ada"}, body={"operator": True}).body["operator"] is True


def test_others_are_not_there_but_for_the_operator(ada, caller):
    assert ada("account", "getUser", {"user": "ada"}).body["operator"] is True
    assert "hash" not in ada("account", "getUser", {"user": "ada"}).body
    carl = session_of(caller, "carl")
    assert carl("account", "getUser", {"user": "ada"}).kind == "unknown-user"
    assert caller("account", "getUser", {"user": "../ada"}).kind == "unknown-user"
    assert caller("account", "changePassword").status == 403


def test_without_what_the_frontend_draws_nobody_signs_in(ada, sand_application, caller):
    event = {"operation": "createSession", "who": caller.who, "body": {"name": "ada", "password": "box:x"}}
    assert sand_application.invoke("sign-in", event).error == "ValueError"
