"""The same applications on the platform and on the emulator: what each `scenarios/<name>/calls.yaml` says holds on both."""

import json
from pathlib import Path

import pytest
import scenario
from conftest import CHECKOUT, until, zipped
from sand.command.bundle import zip_folder
from scenario import Scenario, Server

pytestmark = pytest.mark.slow
EXAMPLES = CHECKOUT / "examples"
JSON = {"Content-Type": "application/json"}


@pytest.fixture(scope="module")
def server(either: str) -> Server:
    return Server(either)


def test_no_two_scenarios_have_the_same_purpose():
    features = [scenario.content(folder)["feature"] for folder in scenario.ALL]
    assert len(features) == len(set(features)) >= 30
    listed = (scenario.FOLDER / "README.md").read_text()
    for folder, feature in zip(scenario.ALL, features, strict=True):
        assert f"| `{folder.name}` | {feature} |" in listed


@pytest.mark.parametrize("folder", scenario.ALL, ids=lambda folder: folder.name)
def test_a_scenario_holds(server: Server, folder: Path):
    Scenario(server, folder).run()


def test_a_workflow_that_is_given_nothing_begins_with_an_empty_object(server: Server):
    files = {
        "sand.yaml": "name: nothing\nworkflows: {flow: {file: flow.asl.json}}\n",
        "flow.asl.json": json.dumps({"StartAt": "A", "States": {"A": {"Type": "Pass", "End": True}}}),
        "grains/echo/handler.py": "def handle(event, context):\n    return [event]\n",
    }
    assert server.deploy(zipped(files)).status_code == 201
    assert server.http.post("/invoke/nothing/flow").json() == {}
    assert server.http.post("/invoke/nothing/flow", content=b"null", headers=JSON).json() is None
    assert server.http.post("/invoke/nothing/echo").json() == [None]


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


def test_an_example_has_each_type_of_state(server: Server):
    """As its README says: input and output of each workflow; the callback is answered with the token that a grain kept."""
    folder = EXAMPLES / "state-types"
    assert server.deploy(zip_folder(folder)).status_code == 201
    shown = 0
    for line in (folder / "README.md").read_text().splitlines():
        cells = [cell.strip().strip("`") for cell in line.strip("| \n").split(" | ")]
        if not line.startswith("| `") or cells[3][:1] not in ("{", "[", '"'):
            continue
        answer = server.http.post(f"/invoke/state-types/{cells[0]}", content=cells[2], headers=JSON)
        assert (answer.status_code, answer.json()) == (200, json.loads(cells[3])), cells[0]
        shown += 1
    assert shown == 9
    failed = server.http.post("/invoke/state-types/fail", json={"order": "sawdust"}).json()
    assert (failed["error"], failed["detail"]) == ("Bakery.NoSuchBread", "we do not bake sawdust")
    asynchronous = {**JSON, "Prefer": "respond-async"}
    where = server.http.post("/invoke/state-types/callback", json={"order": "cake"}, headers=asynchronous).headers["location"]
    token = until(lambda: server.http.post("/invoke/state-types/asked", json="cake").json(), "the token is kept")
    taken = server.http.post("/api/v1/task-tokens/success", json={"token": token, "output": {"by": "Ada"}})
    assert taken.status_code == 200, taken.text
    server.ended(where)
    assert server.http.get(f"{where}/output").json() == {"by": "Ada"}


def test_what_is_told_of_an_application_its_queue_and_its_inputs(server: Server):
    files = {
        "sand.yaml": "name: told\ndescription: ' Keeps what it is told. '\nqueues: {later: {target: keep}}\n",
        "grains/keep/handler.py": "def handle(event, context):\n    return len(event)\n",
    }
    assert server.deploy(zipped(files)).status_code == 201
    at = "/api/v1/applications/told"
    assert server.http.get(at).json()["description"] == "Keeps what it is told."
    queued = f"{at}/queues?topics=true"
    assert [(one["waiting"], one["sent"]) for one in server.http.get(queued).json()["queues"]] == [(0, 0)]
    assert server.http.post(f"{at}/queues/later", json="x").status_code == 202
    until(lambda: server.http.get(f"{at}/invocations").json()["invocations"], "the message is delivered")
    level = until(lambda: [one for one in server.http.get(queued).json()["queues"] if not one["waiting"]], "and gone")[0]
    assert (level["sent"], level.get("oldestMs")) == (1, None)
    assert isinstance(server.http.get(queued).json()["topics"], list)
    for size, status in ((10, 200), (65_536, 200), (65_537, 410)):
        body = json.dumps("x" * (size - 2))
        called = server.http.post("/invoke/told/keep", content=body, headers=JSON)
        assert called.status_code == 200, called.text
        told = server.http.get(f"{at}/invocations/{called.headers['sand-execution-id']}/input")
        assert told.status_code == status, (size, told.text)
        if status == 200:
            assert (told.text, told.headers["content-type"]) == (body, "application/json")
        else:
            assert told.json()["type"].endswith("/input-gone")


def test_logs_are_read_page_by_page_and_by_what_lines_say(server: Server):
    says = (
        "def handle(event, context):\n    for i in range(20):\n        print(f'Line {i}')\n    context.logger.warning('no')\n"
    )
    files = {
        "sand.yaml": "name: says\n",
        "grains/say/handler.py": says,
        "grains/shout/handler.py": says.replace("Line", "LINE"),
    }
    assert server.deploy(zipped(files)).status_code == 201
    for grain in ("say", "shout"):
        assert server.http.post(f"/invoke/says/{grain}", json=None).status_code == 200
    at = "/api/v1/applications/says/logs"

    def asked(**query: object) -> tuple[list[str], dict]:
        page = server.http.get(at, params=query).json()
        return [line["text"] for line in page["lines"] if line["grain"]], page

    until(lambda: len(asked(level="warning")[0]) == 2, "the last lines are there")
    found, page = asked(text="line", grain="say", limit=15)
    assert found == [f"Line {i}" for i in range(5, 20)]
    found, page = asked(text="line", grain="say", limit=15, before=page["previous"])
    assert (found, page["previous"]) == ([f"Line {i}" for i in range(5)], None)
    found, page = asked(grain="say", stream="stdout", after=page["next"], limit=2)
    assert found == ["Line 5", "Line 6"]
    assert (page["next"], page["previous"] is None) == (page["lines"][-1]["sequence"], False)
    (grave,), page = asked(level="warning", grain="shout")
    assert json.loads(grave)["message"] == "no"
    whole = server.http.get(at).json()["lines"]
    assert page["next"] == whole[-1]["sequence"], "behind it comes nothing that was there"
    assert asked(after=page["next"])[1]["next"] is None
    for odd in ({"level": "loud"}, {"stream": "stdin"}, {"text": ""}, {"before": "x"}, {"before": 5, "after": 1}):
        assert server.http.get(at, params=odd).status_code == 400, odd


def test_the_history_of_a_workflow_that_has_just_begun_is_no_error(server: Server):
    states = {"Pause": {"Type": "Wait", "Seconds": 2, "Next": "Done"}, "Done": {"Type": "Pass", "End": True}}
    files = {
        "sand.yaml": "name: begins\n",
        "grains/any/handler.py": "def handle(event, context):\n    return event\n",
        "workflows/main.asl.json": json.dumps({"StartAt": "Pause", "States": states}),
    }
    assert server.deploy(zipped(files)).status_code == 201
    begun = server.http.post("/invoke/begins/main", json={}, headers={"Prefer": "respond-async"})
    at = f"/api/v1/applications/begins/invocations/{begun.headers['sand-execution-id']}"
    until(lambda: server.http.get(at).status_code == 200, "it has a record")
    seen: list[str] = []

    def look() -> bool:
        page = server.http.get(f"{at}/history")
        assert page.status_code == 200, page.text
        seen.append(page.json()["status"])
        return bool(page.json()["events"]) and page.json()["events"][-1]["type"] == "ExecutionSucceeded"

    until(look, "it has ended")
    assert seen[0] == "RUNNING"


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
