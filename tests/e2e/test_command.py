"""The command against a platform that runs."""

import json
import re
import subprocess
import sys

import pytest
from conftest import APPLICATIONS, Tested, until

pytestmark = pytest.mark.slow


def test_a_new_application_from_init_to_delete(tested: Tested, tmp_path):
    folder = tmp_path / "hello"
    tested.sand("init", str(folder))
    assert b"version" in tested.sand("deploy", str(folder))
    assert json.loads(tested.sand("invoke", "hello/main", "--data", '{"name": "Ada"}')) == {"greeting": "HELLO, ADA!"}
    assert tested.http.get("/web/hello/hello/Ada").text == "Hello, Ada!\n"
    tested.sand("invoke", "hello/greet", "--data", "{}", code=1)

    handler = folder / "grains/greet/handler.py"
    handler.write_text(handler.read_text().replace("Hello", "Welcome"))
    assert json.loads(tested.sand("deploy", str(folder), "-o", "json"))["version"] == 2
    assert b"WELCOME, ADA!" in tested.sand("invoke", "hello/main", "--data", '{"name": "Ada"}')
    assert b"HELLO, ADA!" in tested.sand("invoke", "hello/main@1", "--data", '{"name": "Ada"}')
    tested.sand("rollback", "hello")
    assert b"HELLO, ADA!" in tested.sand("invoke", "hello/main", "--data", '{"name": "Ada"}')
    versions = json.loads(tested.sand("versions", "hello", "-o", "json"))
    assert versions["aliases"] == {"live": 1}
    assert [version["version"] for version in versions["versions"]] == [2, 1]
    assert b"greet" in tested.sand("describe", "hello")

    tested.sand("delete", "hello", "--yes")
    tested.sand("invoke", "hello/main", code=3)
    tested.sand("describe", "hello", code=3)
    assert "hello" not in [found["name"] for found in json.loads(tested.sand("list", "-o", "json"))["applications"]]


def test_grains_and_workflows_are_called_with_events_by_name(tested: Tested, tmp_path):
    folder = tmp_path / "rehearsed"
    tested.sand("init", str(folder))
    tested.sand("deploy", str(folder))
    assert json.loads(tested.sand("invoke", "rehearsed/greet", "--event", "ada")) == {"greeting": "Hello, Ada!"}
    tested.sand("invoke", "rehearsed/greet", "--event", "grace", code=3)

    tested.sand("events", "save", "rehearsed/greet", "grace", "--data", '{"name": "Grace"}')
    assert json.loads(tested.sand("invoke", "rehearsed/greet", "--event", "grace")) == {"greeting": "Hello, Grace!"}
    tested.sand("events", "save", "rehearsed/greet", "ada", "--data", '{"name": "Ada King"}')
    assert json.loads(tested.sand("invoke", "rehearsed/greet@1", "--event", "ada")) == {"greeting": "Hello, Ada King!"}
    listed = json.loads(tested.sand("events", "list", "rehearsed/greet", "-o", "json"))["events"]
    assert [(event["name"], event["saved"], event["file"]) for event in listed] == [
        ("ada", True, "tests/events/greet/ada.json"),
        ("grace", True, None),
    ]
    taken = folder / "tests/events/greet/grace.json"
    tested.sand("events", "get", "rehearsed/greet", "grace", "--out", str(taken))
    assert taken.read_text() == '{"name": "Grace"}'
    tested.sand("events", "delete", "rehearsed/greet", "ada")
    assert json.loads(tested.sand("events", "get", "rehearsed/greet", "ada")) == {"name": "Ada"}
    tested.sand("events", "delete", "rehearsed/greet", "ada", code=5)

    tested.sand("events", "save", "rehearsed/main", "grace", "--data", '{"name": "Grace"}')
    assert "HELLO, GRACE!" in tested.sand("invoke", "rehearsed/main", "--event", "grace").decode()
    listed = json.loads(tested.sand("events", "list", "rehearsed/main", "-o", "json"))["events"]
    assert [(event["name"], event["file"]) for event in listed] == [("grace", None)]
    tested.sand("events", "delete", "rehearsed/main", "grace")
    tested.sand("events", "get", "rehearsed/main", "grace", code=3)
    tested.sand("events", "list", "rehearsed/nobody", code=3)
    tested.sand("delete", "rehearsed", "--yes")


def test_topics_of_the_global_bus_are_told_and_looked_into(probe: Tested):
    probe.sand("invoke", "probe/talk", "--data", '{"number": 10}', "--async")
    own = probe.sand("queues", "list", "probe", "--topics").decode()
    assert re.search(r"topic +kept +oldest +in/s +out/s +ever", own)
    assert "slots" not in own

    def journal() -> dict:
        told = json.loads(probe.sand("queues", "topics", "-o", "json"))["topics"]
        assert "slots" in {topic["topic"] for topic in told}
        return next(topic for topic in told if topic["topic"] == "journal.probe")

    assert until(lambda: journal().get("inPerSecond"), "records that came lately are counted") > 0
    assert journal()["sent"] > 0
    newest = json.loads(probe.sand("queues", "topics", "journal.probe", "--newest", "--limit", "2", "-o", "json"))["records"]
    assert [json.loads(record["preview"])["schema"] for record in newest if record["bytes"] <= 2048]
    assert b"begins with" in probe.sand("queues", "topics", "slots")
    probe.sand("queues", "topics", "nothing", code=3)
    probe.sand("queues", "topics", "--newest", code=2)


def test_invocations_can_be_followed(probe: Tested):
    invocation = probe.sand("invoke", "probe/talk", "--data", '{"number": 9}', "--async").decode().strip()
    assert b"SUCCEEDED" in probe.sand("invocations", "events", "probe", invocation)
    assert json.loads(probe.sand("invocations", "output", "probe", invocation)) == "talked"
    assert b"talk" in probe.sand("invocations", "timeline", "probe", invocation)
    assert invocation in [
        found["executionId"] for found in json.loads(probe.sand("invocations", "list", "probe", "-o", "json"))["invocations"]
    ]
    assert b"SUCCEEDED" in probe.sand("invocations", "get", "probe", invocation)
    assert b"structured" in probe.sand("logs", "probe", "--invocation", invocation)
    assert b"to stderr" in probe.sand("invocations", "logs", "probe", invocation)


def test_invocations_in_a_process_are_listed_by_it(probe: Tested):
    at = "/api/v1/apps/probe/processes/invoke?function=echo&process=told"
    invocation = probe.http.post(at, json=1).headers["Sand-Execution-Id"]
    probe.ended("probe", invocation)
    listed = json.loads(probe.sand("invocations", "list", "probe", "--process", "told", "-o", "json"))["invocations"]
    assert [found["executionId"] for found in listed] == [invocation]
    assert b"told" in probe.sand("invocations", "get", "probe", invocation)


def test_what_the_command_says_of_failures(probe: Tested):
    probe.sand("invoke", "probe/nothing", code=3)
    probe.sand("invoke", "probe/sleep", "--data", '{"seconds": 5}', "--timeout", "0.2", code=7)
    probe.sand("invoke", "probe/sleep", "--data", "[]", code=1)
    probe.sand("invocations", "get", "probe", "01JD0000000000000000000000", code=3)


def test_dev_deploys_and_says_what_does_not(tested: Tested, tmp_path):
    folder = tmp_path / "dev"
    tested.sand("init", str(folder), "--name", "dev-app")
    tested.sand("dev", str(folder), "--once")
    assert tested.ask("dev-app/greet", {"name": "Ada"}) == {"greeting": "Hello, Ada!"}
    (folder / "grains/greet/handler.py").write_text("1/0\n")
    tested.sand("dev", str(folder), "--once")
    assert tested.ask("dev-app/greet", {"name": "Ada"}) == {"greeting": "Hello, Ada!"}


def test_a_folder_deploys_the_same_twice(tested: Tested, probe: Tested):
    first = tested.api("probe", "versions")["versions"][0]
    again = tested.deploy(APPLICATIONS / "probe")
    latest = tested.api("probe", "versions")["versions"][0]
    assert latest["bundle"] == first["bundle"]
    assert again["version"] == latest["version"]


def test_dev_deploys_whenever_a_file_changes_and_shows_logs(tested: Tested, tmp_path):
    folder = tmp_path / "live"
    tested.sand("init", str(folder), "--name", "live-app")
    handler = folder / "grains/greet/handler.py"
    command = [sys.executable, "-P", "-m", "sand.command", "dev", "--server", tested.server, str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as dev:
        try:
            until(lambda: tested.invoke("live-app/greet", {"name": "Ada"}).status_code == 200, "the first version is there")
            # A watcher that has just begun may miss a change: written again until it is seen.
            for greeting in ("Welcome", "Goodbye"):

                def changed(greeting: str = greeting) -> bool:
                    handler.write_text(re.sub('f"[A-Z][a-z]+, {name}!"', f'f"{greeting}, {{name}}!"', handler.read_text()))
                    return tested.ask("live-app/greet", {"name": "Ada"}) == {"greeting": f"{greeting}, Ada!"}

                until(changed, f"{greeting} is deployed")
            assert until(lambda: "greeting" in dev.stdout.readline(), "a log line is shown")
        finally:
            dev.terminate()
