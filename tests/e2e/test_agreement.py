"""The same applications on the platform and on the emulator: what each `scenarios/<name>/calls.yaml` says holds on both.

A scenario is an application folder with a list of calls, each with what is to come back; `feature` says what it is about.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml
from conftest import CHECKOUT, Tested, until, zipped
from sand.command.bundle import zip_folder

pytestmark = pytest.mark.slow
EXAMPLES = CHECKOUT / "examples"
SCENARIOS = sorted(path.parent for path in (CHECKOUT / "tests/e2e/scenarios").glob("*/calls.yaml"))


class Server:
    """One of the two, over HTTP."""

    def __init__(self, url: str) -> None:
        self.http = httpx.Client(base_url=url, timeout=120, trust_env=False)

    def deploy(self, data: bytes) -> httpx.Response:
        return self.http.post("/api/v1/applications", content=data, headers={"Content-Type": "application/zip"})

    def ended(self, where: str) -> dict[str, Any]:
        def look() -> dict[str, Any] | None:
            record = self.http.get(where).json()
            return record if record.get("status", "RUNNING") != "RUNNING" else None

        return until(look, f"{where} has ended")


@pytest.fixture(scope="module", params=["platform", "emulator"])
def server(request: pytest.FixtureRequest) -> Iterator[Server]:
    if request.param == "platform":
        tested: Tested = request.getfixturevalue("tested")
        yield Server(tested.server)
        return
    from sand.emulator.emulator import Emulator

    with Emulator() as emulator:
        yield Server(emulator.url)


def test_no_two_scenarios_have_the_same_purpose():
    features = [yaml.safe_load((folder / "calls.yaml").read_text())["feature"] for folder in SCENARIOS]
    assert len(features) == len(set(features)) >= 10


@pytest.mark.parametrize("folder", SCENARIOS, ids=lambda folder: folder.name)
def test_a_scenario_holds(server: Server, folder: Path):
    deployed = server.deploy(zip_folder(folder))
    assert deployed.status_code == 201, deployed.text
    for number, call in enumerate(yaml.safe_load((folder / "calls.yaml").read_text())["calls"]):
        seen = differences(server, folder.name, call)
        assert not seen, f"call {number}, {call}: {seen}"


def send(server: Server, application: str, call: dict[str, Any]) -> httpx.Response:
    headers = dict(call.get("headers", {})) if "call" in call else {}
    content = json.dumps(call.get("body")).encode()
    if "size" in call:
        content = b"\x7f" * call["size"]
    elif "text_body" in call:
        content = call["text_body"].encode()
    headers["Content-Type"] = call.get("content_type", "application/json")
    if "get" in call:
        return server.http.get(f"/web/{application}/{call['get']}")
    if "post" in call:
        return server.http.post(f"/web/{application}/{call['post']}", content=content, headers=headers)
    return server.http.post(f"/invoke/{application}/{call['call']}", content=content, headers=headers)


def differences(server: Server, application: str, call: dict[str, Any]) -> list[str]:
    """What is not as the call says, in words."""
    answer = send(server, application, call)
    told = answer.json() if "json" in answer.headers.get("content-type", "") else None
    seen: dict[str, Any] = {"status": answer.status_code, "type": answer.headers.get("content-type", "").partition(";")[0]}
    seen |= {"text": answer.text if "text" in call else None, "length": len(answer.content), "is": told}
    if answer.status_code >= 400 and isinstance(told, dict):
        seen |= {name: told.get(name) for name in ("error", "detail", "source")}
        seen["problem"] = str(told.get("type")).rpartition("/")[2]
    wanted = {"status": 200, **call}
    if "get" in call or "post" in call:
        seen["headers"] = {name: answer.headers.get(name) for name in call.get("headers", {})}
    else:
        wanted.pop("headers", None)
        seen |= recorded(server, application, answer, call)
    for name in ("call", "get", "post", "body", "text_body", "size", "content_type", "cancel"):
        wanted.pop(name, None)
    return [f"{name} is {seen.get(name)!r}: {answer.text[:300]}" for name, want in wanted.items() if seen.get(name) != want]


def recorded(server: Server, application: str, answer: httpx.Response, call: dict[str, Any]) -> dict[str, Any]:
    """What is kept of the execution: `record` its status, `hops` its attempts, `output` or `output_error`."""
    execution = answer.headers.get("sand-execution-id")
    if execution is None:
        return {}
    where = f"/api/v1/applications/{application}/invocations/{execution}"
    if call.get("cancel"):
        assert server.http.post(f"{where}/cancel").json()["status"] == "CANCELLED"
    record = server.ended(where)
    found: dict[str, Any] = {"record": record["status"]}
    if "hops" in call:
        hops = server.http.get(f"{where}/timeline").json()["hops"]
        found["hops"] = [[hop["grain"], hop["attempt"], hop["error"]] for hop in hops]
    if "output" in call or "output_error" in call:
        output = server.http.get(f"{where}/output").json()
        found |= {"output": output, "output_error": output.get("error")}
    return found


def test_an_example_serves_files(server: Server):
    assert server.deploy(zip_folder(EXAMPLES / "web-site")).status_code == 201
    kinds = {"": "text/html", "robots.txt": "text/plain", "assets/style.css": "text/css", "missing": "text/html"}
    for path, kind in kinds.items():
        answer = server.http.get(f"/web/web-site/{path}")
        assert answer.headers["content-type"].startswith(kind)
        assert answer.status_code == (404 if path == "missing" else 200)
    first = server.http.get("/web/web-site/assets/dune.svg")
    again = server.http.get("/web/web-site/assets/dune.svg", headers={"If-None-Match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


def test_an_example_joins_what_its_grains_find(server: Server, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.syspath_prepend(EXAMPLES / "mail-scanner")
    import messages

    assert server.deploy(zip_folder(EXAMPLES / "mail-scanner")).status_code == 201
    for message, verdict in ((messages.clean(), "clean"), (messages.infected(), "infected")):
        answer = server.http.post("/invoke/mail-scanner/main", content=message, headers={"Content-Type": "message/rfc822"})
        assert answer.status_code == 200, answer.text
        assert answer.json()["verdict"] == verdict


HANDLER = "def handle(event, context):\n    return event\n"
BAD = {
    "no manifest": ({"grains/a/handler.py": HANDLER}, [("sand.yaml", "")]),
    "no name": ({"sand.yaml": "description: x\n", "grains/a/handler.py": HANDLER}, [("sand.yaml", "")]),
    "an unknown key": ({"sand.yaml": "name: bad\ngrain: {}\n", "grains/a/handler.py": HANDLER}, [("sand.yaml", "")]),
    "a bad name": ({"sand.yaml": "name: Bad!\n", "grains/a/handler.py": HANDLER}, [("sand.yaml", "/name")]),
    "no grain": ({"sand.yaml": "name: bad\n"}, [("grains", "")]),
    "limits": (
        {"sand.yaml": "name: bad\ngrains: {a: {timeout: 25h, memory: 1MiB}}\n", "grains/a/handler.py": HANDLER},
        [("sand.yaml", "/grains/a/timeout"), ("sand.yaml", "/grains/a/memory")],
    ),
    "a route to nowhere": (
        {"sand.yaml": "name: bad\nroutes: [{path: /a, target: b}]\n", "grains/a/handler.py": HANDLER},
        [("sand.yaml", "/routes/0/target")],
    ),
    "no handler": ({"sand.yaml": "name: bad\n", "grains/a/other.py": HANDLER}, [("grains/a", "")]),
    "a workflow that leads nowhere": (
        {
            "sand.yaml": "name: bad\n",
            "grains/a/handler.py": HANDLER,
            "workflows/w.asl.json": '{"StartAt": "A", "States": {"A": {"Type": "Pass", "Next": "B"}}}',
        },
        [("workflows/w.asl.json", "/States"), ("workflows/w.asl.json", "/States/A/Next")],
    ),
    "a workflow of no grain": (
        {
            "sand.yaml": "name: bad\n",
            "grains/a/handler.py": HANDLER,
            "workflows/w.asl.json": '{"StartAt": "A", "States": {"A": {"Type": "Task", "Resource": "b", "End": true}}}',
        },
        [("workflows/w.asl.json", "/States/A/Resource")],
    ),
    "no import": ({"sand.yaml": "name: bad\n", "grains/a/handler.py": "import nothing_like_it\n"}, None),
    "no YAML": ({"sand.yaml": "name: [\n", "grains/a/handler.py": HANDLER}, [("sand.yaml", "")]),
    "a key twice": ({"sand.yaml": "name: bad\nname: worse\n", "grains/a/handler.py": HANDLER}, [("sand.yaml", "")]),
}


@pytest.mark.parametrize("name", BAD)
def test_what_is_not_deployed_is_refused_at_the_same_places(server: Server, name: str):
    files, places = BAD[name]
    refused = server.deploy(zipped(files))
    assert refused.status_code == 422, refused.text
    problem = refused.json()
    if places is None:
        assert problem["error"] == "Sand.ImportFailed" and "nothing_like_it" in problem["detail"]
    else:
        assert sorted((error["file"], error["pointer"]) for error in problem["errors"]) == sorted(places), problem
