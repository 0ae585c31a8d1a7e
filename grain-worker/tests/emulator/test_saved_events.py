"""Events that a grain is tested with, at the emulator; what scenario `rehearsals` of tests/e2e does not ask for."""

import json

from sand.command.main import sand
from sand.emulator.saved_events import BYTES, MOST

EVENTS = "/api/v1/applications/app/grains/echo/events"


def load(served):
    served.grain("echo", "def handle(event, context):\n    return event\n")
    file = served.folder / "tests/events/echo/filed.json"
    file.parent.mkdir(parents=True)
    file.write_text('{"file": 1}')
    (file.parent / "no name.json").write_text("1")
    served.load()
    return file


def test_they_are_bounded_in_number_and_bytes(served_quickly):
    load(served_quickly)
    http = served_quickly.http
    assert http.put(f"{EVENTS}/large", content=b'"' + b"x" * (BYTES - 2) + b'"').status_code == 200
    assert http.put(f"{EVENTS}/large", content=b'"' + b"x" * (BYTES - 1) + b'"').status_code == 413
    for i in range(1, MOST):
        served_quickly.emulator.applications.get("app").events.put(f"other/e{i}", b"1")
    refused = http.put(f"{EVENTS}/late", content=b"1")
    assert (refused.status_code, refused.json()["limit"]) == (409, MOST)
    assert http.put(f"{EVENTS}/large", content=b"2").status_code == 200


def test_a_file_is_as_it_is_now_and_what_is_saved_outlasts_a_reload(served_quickly):
    file = load(served_quickly)
    http = served_quickly.http
    assert [event["name"] for event in http.get(EVENTS).json()["events"]] == ["filed"]
    tag = http.put(f"{EVENTS}/saved", content=b"1").headers["etag"]
    file.write_text('{"file": 2}')
    served_quickly.load()
    assert http.get(f"{EVENTS}/filed").json() == {"file": 2}
    assert http.get(f"{EVENTS}/saved").headers["etag"] == tag
    file.write_text("x" * (BYTES + 1))
    assert http.get(f"{EVENTS}/filed").status_code == 413


def test_the_command_calls_with_one(served_quickly, capfdbinary):
    load(served_quickly)
    words = ["--server", served_quickly.emulator.url, "invoke", "app/echo", "--event", "filed"]
    sand.main(words, prog_name="sand", standalone_mode=False)
    assert json.loads(capfdbinary.readouterr().out) == {"file": 1}
