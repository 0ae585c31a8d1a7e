"""Accounts: the first one closes the platform; sessions in cookies, which no other page can use; passwords that are nowhere."""

import base64
import hashlib
import hmac
import http.client
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from conftest import APPLICATIONS, sandbox_option, until
from sand.command.bundle import zip_folder
from sand.command.client import Platform
from sand.command.deploy import deploy
from sand.command.local import LocalPlatform

# A platform of its own with the management in it: more than the inner loop has time for.
pytestmark = pytest.mark.slow

# Looked for in all files of the platform's home afterwards.
PASSWORD = "canary-4f1c9b-horse-battery"
WRONG = "canary-77ad02-wrong-guess"
NEW = "canary-c1d2e3-another-one"


@dataclass
class Answer:
    status: int
    headers: http.client.HTTPMessage
    body: Any

    @property
    def kind(self) -> str:
        return self.body["type"].removeprefix("https://sand.dev/problems/")


class Closed(LocalPlatform):
    """`first` is who made the first account: of two that were made at once."""

    first = ""


@dataclass
class Session:
    token: str
    csrf: str

    def headers(self, **more: str) -> dict[str, str]:
        return {"Cookie": f"sand_session={self.token}", "Sand-Csrf": self.csrf, **more}


def ask(
    local: LocalPlatform,
    method: str,
    path: str,
    value: Any = None,
    headers: dict[str, str] | None = None,
    address: str = "127.0.0.1",
) -> Answer:
    """Each from an address of its own of this machine: how often passwords are tried is counted by it."""
    connection = http.client.HTTPConnection("127.0.0.1", local.port, timeout=120, source_address=(address, 0))
    try:
        body = None if value is None else json.dumps(value)
        connection.request(
            method, path, body, {"Content-Type": "application/json", **(headers or {})} if body else headers or {}
        )
        response = connection.getresponse()
        read = response.read()
        is_json = "json" in (response.headers["Content-Type"] or "")
        return Answer(response.status, response.headers, json.loads(read) if is_json and read else None)
    finally:
        connection.close()


def sign_in(local: LocalPlatform, name: str, password: str = PASSWORD, **options: Any) -> Answer:
    return ask(local, "POST", "/api/v1/sessions", {"name": name, "password": password}, **options)


def session(local: Closed, address: str = "127.0.0.9") -> Session:
    answer = sign_in(local, local.first, address=address)
    assert answer.status == 201, answer.body
    return Session(answer.headers["Set-Cookie"].split(";")[0].removeprefix("sand_session="), answer.body["csrf"])


@pytest.fixture(scope="module")
def closed() -> Iterator[Closed]:
    """Open when it begins; of two first accounts that are made at once one is made, and then it is closed."""
    with Closed(*sandbox_option(), "--management", "on") as local:
        until(lambda: ask(local, "GET", "/api/v1/management").body["version"], "management does operations", 300)
        with Platform(local.server) as platform:
            deploy(platform, zip_folder(APPLICATIONS / "probe"))
        assert ask(local, "GET", "/api/v1/session").body["kind"] == "local"
        strange = {"Origin": "http://evil.example"}
        assert ask(local, "POST", "/api/v1/users", {"name": "eve", "password": PASSWORD}, strange).status == 403
        weak = ask(local, "POST", "/api/v1/users", {"name": "ada", "password": "short"}, address="127.0.0.8")
        assert (weak.status, weak.body["pointer"]) == (400, "/body/password")
        with ThreadPoolExecutor(2) as both:
            made = list(
                both.map(
                    lambda name: ask(local, "POST", "/api/v1/users", {"name": name, "password": PASSWORD}, address="127.0.0.8"),
                    ("ada", "bob"),
                )
            )
        first = [answer for answer in made if answer.status == 201]
        assert [answer.body["operator"] for answer in first] == [True]
        assert {answer.status for answer in made if answer not in first} <= {400, 401, 403, 409}
        local.first = first[0].body["user"]
        yield local


def test_once_there_is_an_account_everybody_is_asked(closed: Closed) -> None:
    for method, path in (("GET", "/api/v1/applications"), ("POST", "/invoke/probe/echo"), ("GET", "/api/v1/session")):
        refused = ask(closed, method, path, 1 if method == "POST" else None)
        assert (refused.status, refused.kind) == (401, "unauthenticated"), path
    again = ask(closed, "POST", "/api/v1/users", {"name": "eve", "password": PASSWORD}, address="127.0.0.7")
    assert (again.status, again.body["pointer"]) == (400, "/body/invitation")
    assert ask(closed, "GET", "/readyz").status == 200


def test_a_session_is_a_cookie_that_scripts_do_not_see(closed: Closed) -> None:
    answer = sign_in(closed, closed.first, address="127.0.0.6")
    assert (answer.status, answer.headers["Cache-Control"], answer.body["operator"]) == (201, "no-store", True)
    cookie, *attributes = answer.headers["Set-Cookie"].split("; ")
    assert sorted(attributes) == ["HttpOnly", "SameSite=Strict"]
    token = cookie.removeprefix("sand_session=")
    assert (len(token), answer.body["id"]) == (43, hashlib.sha256(token.encode()).hexdigest())
    digest = hmac.digest(token.encode(), b"csrf", "sha256")
    assert answer.body["csrf"] == base64.urlsafe_b64encode(digest).decode().rstrip("=")
    over_tls = sign_in(closed, closed.first, headers={"X-Forwarded-Proto": "https"}, address="127.0.0.6")
    assert "Secure" in over_tls.headers["Set-Cookie"].split("; ")
    who = ask(closed, "GET", "/api/v1/session", headers={"Cookie": cookie})
    assert (who.status, who.body["kind"], who.body["user"], who.body["csrf"]) == (
        200,
        "session",
        closed.first,
        answer.body["csrf"],
    )
    assert who.body["scopes"] == ["admin", "deploy", "invoke", "operator", "read"]
    two = {"Cookie": f"{cookie}; sand_session={'A' * 43}"}
    assert ask(closed, "GET", "/api/v1/session", headers=two).status == 401


@pytest.mark.parametrize(
    ("method", "headers", "status"),
    [
        ("GET", {}, 200),
        ("GET", {"Sec-Fetch-Site": "same-origin"}, 200),
        ("GET", {"Sec-Fetch-Site": "cross-site"}, 403),
        ("GET", {"Sec-Fetch-Site": "same-site"}, 403),
        ("GET", {"Origin": "null"}, 403),
        ("PUT", {}, 403),
        ("PUT", {"Sand-Csrf": "x"}, 403),
        ("PUT", {"Sand-Csrf": "right"}, 200),
        ("PUT", {"Sand-Csrf": "right", "Origin": "own", "Sec-Fetch-Site": "same-origin"}, 200),
        ("PUT", {"Sand-Csrf": "right", "Origin": "http://127.0.0.1:1"}, 403),
        ("PUT", {"Sand-Csrf": "right", "Sec-Fetch-Site": "cross-site"}, 403),
        ("PUT", {"Sand-Csrf": "another's"}, 403),
    ],
)
def test_other_pages_do_nothing_with_it(
    closed: Closed, mine: Session, method: str, headers: dict[str, str], status: int
) -> None:
    words = {"right": mine.csrf, "own": closed.server, "another's": base64.urlsafe_b64encode(b"x" * 32).decode().rstrip("=")}
    sent = {"Cookie": f"sand_session={mine.token}"} | {name: words.get(value, value) for name, value in headers.items()}
    assert ask(closed, method, "/api/v1/session", headers=sent).status == status


@pytest.fixture(scope="module")
def mine(closed: Closed) -> Session:
    return session(closed)


def test_what_a_session_may_it_may_everywhere(closed: Closed, mine: Session) -> None:
    assert ask(closed, "GET", "/api/v1/applications", headers=mine.headers()).status == 200
    assert ask(closed, "POST", "/invoke/probe/echo", 7, mine.headers()).body == 7
    assert ask(closed, "POST", "/invoke/probe/echo", 7, {"Cookie": f"sand_session={mine.token}"}).kind == "csrf"
    moved = ask(closed, "PUT", "/api/v1/applications/probe/aliases/next", {"version": 1}, mine.headers())
    assert moved.status == 200
    entries = ask(closed, "GET", "/api/v1/audit?limit=50", headers=mine.headers()).body["entries"]
    assert next(entry for entry in entries if entry["operation"] == "moveAlias")["caller"] == f"user:{closed.first}"
    signed = next(entry for entry in entries if entry["operation"] == "createSession")
    assert (signed["caller"], signed["details"]["user"], signed["status"]) == ("anybody", closed.first, 201)
    key = ask(closed, "POST", "/api/v1/keys", {"name": "ci", "scopes": ["read"]}, mine.headers())
    assert (key.status, key.body["by"]) == (201, closed.first)
    bearer = {"Authorization": f"Bearer {key.body['key']}"}
    assert ask(closed, "GET", "/api/v1/applications", headers=bearer).status == 200
    assert ask(closed, "GET", "/api/v1/session", headers=bearer).body["kind"] == "key"
    assert ask(closed, "GET", "/api/v1/users", headers=bearer).status == 403


def test_who_has_signed_out_is_out_at_once(closed: Closed, mine: Session) -> None:
    one, other = session(closed), session(closed)
    listed = ask(closed, "GET", "/api/v1/sessions", headers=one.headers()).body["sessions"]
    ids = {each["id"] for each in listed}
    assert {hashlib.sha256(each.token.encode()).hexdigest() for each in (one, other)} <= ids
    id = hashlib.sha256(other.token.encode()).hexdigest()
    assert ask(closed, "DELETE", f"/api/v1/sessions/{id}", headers=one.headers()).status == 204
    assert ask(closed, "GET", "/api/v1/session", headers=other.headers()).status == 401
    ended = ask(closed, "DELETE", "/api/v1/session", headers=one.headers())
    assert (ended.status, ended.headers["Set-Cookie"]) == (204, "sand_session=; Max-Age=0; HttpOnly; SameSite=Strict")
    refused = ask(closed, "GET", "/api/v1/applications", headers=one.headers())
    assert (refused.status, refused.body["detail"]) == (401, "This session is over: sign in.")
    assert ask(closed, "GET", "/api/v1/session", headers=mine.headers()).status == 200


def test_who_guesses_is_locked_out_by_name_and_by_address(closed: Closed) -> None:
    for name in ("somebody", "nobody-at-all"):
        for i in range(10):
            wrong = sign_in(closed, name, WRONG, address=f"127.0.1.{i + 1}")
            assert (wrong.status, wrong.kind) == (401, "unauthenticated")
        locked = sign_in(closed, name, PASSWORD, address="127.0.1.11")
        assert (locked.status, locked.kind) == (429, "locked-out")
        assert 890 < int(locked.headers["Retry-After"]) <= 900
    answers = [sign_in(closed, f"somebody-{i}", WRONG, address="127.0.2.1") for i in range(12)]
    assert {answer.status for answer in answers[:10]} == {401}
    assert answers[-1].kind == "too-many-sign-ins"
    assert 1 <= int(answers[-1].headers["Retry-After"]) <= 6


def test_a_password_is_changed_and_other_sessions_end(closed: Closed) -> None:
    mine, thiefs = session(closed, address="127.0.3.1"), session(closed, address="127.0.3.1")

    def change(old: str, new: str) -> Answer:
        return ask(closed, "PUT", "/api/v1/account/password", {"old": old, "new": new}, mine.headers(), "127.0.3.1")

    assert change(WRONG, NEW).status == 403
    assert change(PASSWORD, NEW).status == 204
    assert ask(closed, "GET", "/api/v1/session", headers=thiefs.headers()).status == 401
    assert ask(closed, "GET", "/api/v1/session", headers=mine.headers()).status == 200
    assert sign_in(closed, closed.first, address="127.0.3.2").status == 401
    assert change(NEW, PASSWORD).status == 204


def test_pages_of_applications_are_no_pages_of_the_platform(closed: Closed) -> None:
    page = ask(closed, "GET", "/web/probe/anything")
    assert page.headers["Content-Security-Policy"].startswith("sandbox ")


def test_no_password_is_anywhere_in_what_is_written(closed: Closed, mine: Session) -> None:
    misspelt = ask(closed, "POST", "/api/v1/sessions", {"name": closed.first, "pasword": WRONG}, address="127.0.4.1")
    assert misspelt.status == 400
    assert ask(closed, "POST", f"/api/v1/sessions?password={WRONG}", {"name": closed.first}, address="127.0.4.1").status == 400
    files = [path for path in closed.home.rglob("*") if path.is_file()]
    assert {"up.log", "store.db", "bus.db", "logs.db"} <= {path.name for path in files}
    written = {path: path.read_bytes() for path in files}
    for canary in (PASSWORD, WRONG, NEW, mine.token, mine.csrf):
        forms = (canary.encode(), base64.b64encode(canary.encode())[:-4], canary.encode("utf-16-le"))
        assert not [path for path, content in written.items() for form in forms if form in content], canary
    assert any(b"$argon2id$" in content for content in written.values())


def test_people_are_invited_and_use_the_command(closed: Closed, tmp_path: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("SAND_KEY")}
    environment["XDG_CONFIG_HOME"] = str(tmp_path)

    def sand(*arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-P", "-m", "sand.command", *arguments, "--server", closed.server]
        return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, env=environment, input=stdin)

    refused = sand("list")
    assert (refused.returncode, "sand login" in refused.stderr) == (4, True)
    signed = sand("login", closed.first, stdin=PASSWORD + "\n")
    assert signed.returncode == 0, signed.stderr
    kept = tmp_path / "sand" / "sessions.json"
    assert kept.stat().st_mode & 0o777 == 0o600
    assert PASSWORD not in kept.read_text()
    assert "probe" in sand("list").stdout
    assert closed.first in sand("account", "list").stdout
    invitation = tmp_path / "invitation"
    invited = sand("account", "invite", "--role", "viewer")
    invitation.write_text(invited.stdout)
    made = sand("account", "create", "vera", "--invitation-file", str(invitation), stdin=PASSWORD + "\n")
    assert made.returncode == 0, made.stderr
    again = sand("account", "create", "vic", "--invitation-file", str(invitation), stdin=PASSWORD + "\n")
    assert again.returncode == 3
    assert sand("login", "vera", stdin=PASSWORD + "\n").returncode == 0
    assert "probe" in sand("list").stdout
    assert sand("invoke", "probe/echo", "--data", "1").returncode == 4
    assert sand("account", "list").returncode == 4
    assert sand("account", "password", stdin=f"{PASSWORD}\n{NEW}\n").returncode == 0
    assert sand("login", "vera", stdin=NEW + "\n").returncode == 0
    assert sand("account", "change", "vera", "--operator").returncode == 4
    assert sand("logout").returncode == 0
    assert json.loads(kept.read_text()) == {}
    assert sand("login", closed.first, stdin=PASSWORD + "\n").returncode == 0
    assert sand("account", "change", "vera").returncode == 2
    changed = sand("account", "change", "vera", "--new-password", stdin=PASSWORD + "\n")
    assert "has another password" in changed.stderr, changed.stderr
    assert sand("logout").returncode == 0
    assert sand("login", "vera", stdin=NEW + "\n").returncode == 4
    assert sand("login", "vera", stdin=PASSWORD + "\n").returncode == 0
    assert sand("logout").returncode == 0
    assert sand("list").returncode == 4
    secret = invited.stdout.strip().partition(".")[2].encode()
    assert len(secret) == 43
    assert not [path for path in closed.home.rglob("*") if path.is_file() and secret in path.read_bytes()]


def test_a_page_of_the_platform_calls_grains_below_api_v1(closed: Closed) -> None:
    headers = session(closed, address="127.0.5.1").headers()
    assert ask(closed, "POST", "/api/v1/applications/probe/invoke/echo", [1], headers).body == [1]
    assert ask(closed, "POST", "/api/v1/applications/probe/invoke/echo", [1]).status == 401


def test_where_nobody_has_an_account_it_does_not_listen_for_others_and_where_somebody_has_it_does() -> None:
    home = Path(tempfile.mkdtemp(prefix="sand-", dir="/tmp"))
    try:
        with LocalPlatform(*sandbox_option(), "--management", "on", home=home) as local:
            assert "open: no account" in local.log.read_text()
            until(lambda: ask(local, "GET", "/api/v1/management").body["version"], "management does operations", 300)
        command = [sys.executable, "-P", "-m", "sand.command", "up", "--home", str(home), "--listen", "0.0.0.0:0"]
        done = subprocess.run([*command, "--sandbox", "process"], capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 2
        assert "there is no account" in done.stderr
        with LocalPlatform(*sandbox_option(), "--management", "on", home=home) as local:
            made = {"name": "ada", "password": PASSWORD}
            until(lambda: ask(local, "POST", "/api/v1/users", made).status == 201, "an account is made", 300)
            until(lambda: sign_in(local, "ada").status == 201, "she signs in", 60)
        with subprocess.Popen(
            [*command, "--sandbox", "process"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        ) as up:
            ready = up.stdout.readline().strip()
            assert ready.startswith("ready http://0.0.0.0:")
            connection = http.client.HTTPConnection("127.0.0.1", int(ready.rpartition(":")[2]), timeout=60)
            connection.request("GET", "/api/v1/applications")
            assert connection.getresponse().status == 401
            connection.close()
            up.terminate()
            _, log = up.communicate(timeout=60)
        assert "closed: there are accounts" in log
    finally:
        shutil.rmtree(home, ignore_errors=True)
