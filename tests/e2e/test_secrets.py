"""Secrets that are set over the API: kept closed, given to the grains that name them, masked in what they write."""

import base64
import hashlib
import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from conftest import Tested, sandbox_option, until
from sand.command.local import LocalPlatform

# A platform of its own with the management in it: more than the inner loop has time for.
pytestmark = pytest.mark.slow

FIRST, SECOND = "canary-8Kq2vWz-first", "canary-5Jx7mTn-second"
ODD = "c\"an'ary\\3Rb8/é-odd"
HANDLER = """import base64, json, time
from urllib.parse import quote, quote_plus


def handle(event, context):
    before = context.secret(event.get("name", "KEY"))
    time.sleep(event.get("seconds", 0))
    if event.get("says"):
        print("it is", before, base64.b64encode(before.encode()).decode())
    if event.get("escapes"):
        basic = base64.b64encode(f"user:{before}".encode()).decode()
        print("it is", json.dumps(before), json.dumps(before, ensure_ascii=False), repr(before), ascii(before), before.encode(),
              quote(before), quote_plus(before), before.encode().hex(), basic, sep=" | ")
        context.logger.info("it is %r", before, password=before)
        raise KeyError(before)
    if event.get("fails"):
        raise ValueError("bad " + before)
    import hashlib
    return [hashlib.sha256(value.encode()).hexdigest() for value in (before, context.secret(event.get("name", "KEY")))]
"""
MANIFEST = """name: NAME
grains:
  request: {secrets: [KEY]}
  worker: {secrets: [KEY], isolation: worker}
  other: {}
"""


def digest(value: str) -> str:
    return hashlib.sha256(value.encode()).hexdigest()


def deploy(tested: Tested, name: str) -> None:
    files = {"sand.yaml": MANIFEST.replace("NAME", name)}
    files |= {f"grains/{grain}/handler.py": HANDLER for grain in ("request", "worker", "other")}
    assert tested.deploy_files(files).status_code == 201


@pytest.fixture(scope="module")
def safe() -> Iterator[Tested]:
    """A platform of its own: all that it keeps is looked through."""
    with LocalPlatform(*sandbox_option()) as local:
        tested = Tested(local)
        deploy(tested, "safe")
        deploy(tested, "strange")
        yield tested


@pytest.mark.parametrize("grain", ["request", "worker"])
def test_a_new_value_is_there_with_the_next_request_and_what_runs_runs_on(safe: Tested, grain: str):
    safe.sand("secrets", "set", "safe", "KEY", stdin=f"{FIRST}\n".encode())
    until(lambda: has(safe, grain, FIRST), "the first value is there")
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(safe.ask, f"safe/{grain}", {"seconds": 5})
        until(lambda: safe.running("safe", grain), "it runs")
        safe.sand("secrets", "set", "safe", "KEY", stdin=SECOND.encode())
        until(lambda: has(safe, grain, SECOND), "the second value is there", 4)
        assert running.result() == [digest(FIRST)] * 2
    assert safe.ask(f"safe/{grain}", {}) == [digest(SECOND)] * 2


def has(tested: Tested, grain: str, value: str) -> bool:
    response = tested.invoke(f"safe/{grain}", {})
    return response.status_code == 200 and response.json() == [digest(value)] * 2


def test_nobody_else_has_it(safe: Tested):
    for target in ("safe/other", "strange/request"):
        response = safe.invoke(target, {})
        assert response.json()["error"] == "Sand.NotFound", response.text
    assert SECOND not in safe.http.get("/api/v1/applications/safe/secrets").text
    assert [one["name"] for one in json.loads(safe.sand("secrets", "list", "safe", "-o", "json"))["secrets"]] == ["KEY"]


def test_what_a_grain_writes_is_masked(safe: Tested):
    response = safe.invoke("safe/request", {"says": True, "fails": True})
    assert response.status_code == 500
    assert SECOND not in response.text
    assert "bad ***" in response.text
    execution = response.headers["Sand-Execution-Id"]
    log = until(lambda: text if "it is" in (text := logs(safe, execution)) else None, "its line is stored")
    assert "it is *** ***" in log
    assert SECOND not in log


def test_what_python_and_the_platform_make_of_it_is_masked(safe: Tested):
    deploy(safe, "odd")
    safe.sand("secrets", "set", "odd", "KEY", stdin=ODD.encode())
    response = until(lambda: answer if (answer := safe.invoke("odd/request", {"escapes": True})).status_code == 500
                     and answer.json()["error"] == "KeyError" else None, "it is there")  # fmt: skip
    assert response.json()["detail"] == "'***'"
    execution = response.headers["Sand-Execution-Id"]
    log = until(lambda: text if "password" in (text := logs(safe, execution, "odd")) else None, "its lines are stored")
    said, logged = [line["text"] for line in json.loads(log)["lines"]]
    *others, basic = said.split(" | ")
    assert others == ["it is", '"***"', '"***"', "'***'", "'***'", "b'***'", "***", "***", "***"]
    assert basic.startswith(base64.b64encode(b"user:").decode()[:6])
    assert "***" in basic
    assert len(basic) < 16
    logged = json.loads(logged)
    assert (logged["message"], logged["password"]) == ("it is '***'", "***")


def logs(tested: Tested, execution: str, application: str = "safe") -> str:
    return tested.http.get(f"/api/v1/applications/{application}/invocations/{execution}/logs").text


def test_nothing_is_on_disk_in_clear_and_a_restart_changes_nothing(safe: Tested):
    safe.local.stop()
    places = [safe.home / name for name in ("bus.db", "store.db", "logs.db")]
    assert all(place.exists() for place in places)
    assert (safe.home / "secrets.key").stat().st_mode & 0o777 == 0o600
    told = [FIRST, SECOND, *(base64.b64encode(value.encode()).decode().rstrip("=") for value in (FIRST, SECOND))]
    for file in safe.home.rglob("*"):
        if file.is_file() and not file.is_symlink():
            content = file.read_bytes()
            assert not [value for value in told if value.encode() in content], file
    safe.local.start()
    until(lambda: has(safe, "request", SECOND), "it is there again")
    entries = json.loads(safe.sand("audit", "--operation", "setSecret", "-o", "json"))["entries"]
    assert entries
    assert {entry["details"]["secret"] for entry in entries} == {"KEY"}
    assert SECOND not in json.dumps(entries)


def test_a_lost_key_is_told_and_the_platform_runs_on(safe: Tested):
    safe.local.stop()
    key = safe.home / "secrets.key"
    kept = key.read_bytes()
    key.unlink()
    safe.local.start()
    response = safe.invoke("safe/request", {})
    assert response.json()["error"] == "Sand.NotFound"
    assert "secret KEY of application safe cannot be opened" in response.text
    assert "Sand.NotFound" in safe.invoke("safe/other", {}).text
    safe.local.stop()
    key.write_bytes(kept)
    safe.local.start()
    until(lambda: has(safe, "request", SECOND), "it opens again")


def test_a_deleted_one_is_gone_and_so_are_those_of_a_deleted_application(safe: Tested):
    safe.sand("secrets", "delete", "safe", "KEY")
    until(lambda: safe.invoke("safe/request", {}).status_code == 500, "it is gone", 10)
    safe.sand("secrets", "delete", "safe", "KEY", code=3)
    safe.sand("secrets", "set", "strange", "KEY", stdin=FIRST.encode())
    safe.sand("delete", "strange", "--yes")
    deploy(safe, "strange")
    assert safe.invoke("strange/request", {}).json()["error"] == "Sand.NotFound"
    assert safe.http.get("/api/v1/applications/strange/secrets").json() == {"secrets": []}
