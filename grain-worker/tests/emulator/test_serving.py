"""An application behind the emulator's HTTP interface, with its grains forked and in the emulator's own process."""

import json

import pytest

pytestmark = pytest.mark.slow

ECHO = "def handle(event, context):\n    return event\n"


def test_a_grain_gets_the_body_and_its_result_is_the_answer(served):
    served.grain("echo", ECHO)
    served.load()
    assert served.ask("echo", {"a": [1, 2.5, None, "ü"]}) == {"a": [1, 2.5, None, "ü"]}
    answer = served.http.post("/invoke/app/echo", content=b"\x00\xff", headers={"Content-Type": "application/octet-stream"})
    assert (answer.content, answer.headers["content-type"]) == (b"\x00\xff", "application/octet-stream")


def test_large_values_come_and_go(served):
    served.grain("turn", "def handle(event, context):\n    return bytes(event)[::-1]\n")
    served.load()
    body = bytes(range(256)) * 1024
    answer = served.http.post("/invoke/app/turn", content=body, headers={"Content-Type": "image/raw"})
    assert answer.content == body[::-1]


def test_an_exception_is_a_problem_that_names_it(served):
    served.grain("fails", "def handle(event, context):\n    raise KeyError('no such thing')\n")
    served.load()
    problem = served.call("fails").json()
    assert (problem["status"], problem["error"], problem["source"]) == (500, "KeyError", "grain")
    assert "in handle" in problem["stackTrace"] and "sand/" not in problem["stackTrace"]


def test_an_instance_that_exits_has_crashed(served):
    served.grain("exits", "import sys\n\n\ndef handle(event, context):\n    sys.exit(3)\n")
    served.load()
    problem = served.call("exits").json()
    assert problem["error"] == "Sand.Crashed"
    assert "exited with code 3" in problem["detail"]


def test_a_request_sees_nothing_of_the_one_before_unless_the_worker_is_shared(served):
    code = "seen = []\n\n\ndef handle(event, context):\n    seen.append(event)\n    return seen\n"
    served.grain("alone", code)
    served.grain("shared", code)
    served.load("name: app\ngrains: {shared: {isolation: worker, concurrency: 1, idle: {max: 1}}}\n")
    assert [served.ask("alone", 1), served.ask("alone", 2)] == [[1], [2]]


def test_secrets_are_the_environments_and_that_is_said(served):
    served.grain("echo", ECHO)
    served.load()
    for method, rest in (("GET", ""), ("PUT", "/KEY"), ("DELETE", "/KEY")):
        answer = served.http.request(method, f"/api/v1/applications/app/secrets{rest}")
        assert answer.status_code == 409
        assert "environment" in answer.json()["detail"]


def test_an_asynchronous_call_is_followed_to_its_output(served):
    served.grain("echo", ECHO)
    served.load()
    accepted = served.call("echo", {"n": 1}, Prefer="respond-async")
    assert accepted.status_code == 202
    where = accepted.headers["location"]
    with served.http.stream("GET", f"{where}/events", headers={"Accept": "text/event-stream"}) as events:
        seen = [line for line in events.iter_lines() if line.startswith("event:")]
    assert seen == ["event: hop", "event: end"]
    assert served.http.get(f"{where}/output").json() == {"n": 1}
    record = served.http.get(where).json()
    assert (record["status"], record["target"], len(record["hops"])) == ("SUCCEEDED", "echo", 1)


def test_an_idempotency_key_stands_for_one_execution(served):
    served.grain("count", "def handle(event, context):\n    return context.data.counter('n')\n")
    served.load()
    first = served.call("count", {"a": 1}, Idempotency_Key="k")
    again = served.call("count", {"a": 1}, Idempotency_Key="k")
    assert first.json() == again.json() == 1
    assert again.headers["idempotent-replayed"] == "true"
    assert served.call("count", {"a": 2}, Idempotency_Key="k").status_code == 422


def test_what_a_grain_publishes_is_the_output_of_one_that_returns_nothing(served):
    served.grain("many", "def handle(event, context):\n    for n in event:\n        context.publish('double', n)\n")
    served.grain("double", "def handle(event, context):\n    return 2 * event\n")
    served.load()
    assert served.ask("many", [1, 2, 3]) == [2, 4, 6]
    assert served.ask("many", [5]) == 10


def test_lines_are_kept_by_invocation(served):
    served.grain("talk", "def handle(event, context):\n    print('said')\n    context.logger.warning('seen', n=event)\n")
    served.load()
    execution = served.call("talk", 7).headers["sand-execution-id"]
    path = f"/api/v1/applications/app/invocations/{execution}/logs"
    with served.http.stream("GET", path, params={"follow": "true"}) as events:
        lines = [json.loads(line[6:]) for line in events.iter_lines() if line.startswith("data: ")]
    assert [line["text"] for line in lines if line["level"] is None] == ["said"]
    (logged,) = [line for line in lines if line["level"] == "warning"]
    assert json.loads(logged["text"])["n"] == 7 and logged["grain"] == "talk"


def test_a_route_makes_a_request_an_event_and_a_result_a_response(served):
    result = "{'status': 201, 'headers': {'X-Id': event['parameters']['id']}, 'body': 'ok'}"
    code = f"def handle(event, context):\n    return {result}\n"
    served.grain("page", code)
    served.load("name: app\nroutes: [{method: GET, path: '/items/{id}', target: page}]\n")
    answer = served.http.get("/web/app/items/a%20b")
    assert (answer.status_code, answer.headers["x-id"], answer.text) == (201, "a b", "ok")
    assert served.http.post("/web/app/items/1").status_code == 405
    assert served.http.get("/web/app/other").status_code == 404


def test_a_workflow_runs_its_grains(served):
    served.grain("double", "def handle(event, context):\n    return 2 * event['n']\n")
    (served.folder / "workflows").mkdir()
    states = {"Double": {"Type": "Task", "Resource": "double", "ResultPath": "$.twice", "End": True}}
    (served.folder / "workflows/main.asl.json").write_text(json.dumps({"StartAt": "Double", "States": states}))
    served.load()
    assert served.ask("main", {"n": 4}) == {"n": 4, "twice": 8}


def test_a_change_is_served_and_what_was_stored_stays(served):
    served.grain("count", "def handle(event, context):\n    return context.data.counter('n')\n")
    served.load()
    assert served.ask("count") == 1
    served.grain("count", "def handle(event, context):\n    return -context.data.counter('n')\n")
    served.load()
    assert served.ask("count") == -2
    assert served.call("count@1").json()["type"].endswith("/unknown-version")


def test_a_handler_that_takes_too_long_is_ended(forked):
    forked.grain("loop", "def handle(event, context):\n    while True:\n        pass\n")
    forked.load("name: app\ngrains: {loop: {timeout: 300ms}}\n")
    problem = forked.call("loop").json()
    assert (problem["status"], problem["error"], problem["retryable"]) == (504, "Sand.Timeout", True)


def test_a_running_invocation_is_cancelled(forked):
    forked.grain("loop", "def handle(event, context):\n    while True:\n        pass\n")
    forked.load()
    where = forked.call("loop", Prefer="respond-async").headers["location"]
    assert forked.http.post(f"{where}/cancel").json()["status"] == "CANCELLED"
    assert forked.http.get(where).json()["status"] == "CANCELLED"
    assert forked.http.post(f"{where}/cancel").status_code == 409


@pytest.mark.parametrize(
    ("method", "headers", "status"),
    [
        ("GET", {}, 200),
        ("GET", {"Host": "LOCALHOST:80"}, 200),
        ("GET", {"Host": "127.9.9.9"}, 200),
        ("GET", {"Host": "[::1]:7263"}, 200),
        ("GET", {"Host": "evil.example"}, 403),
        ("GET", {"Host": "127.0.0.1.evil.example:7263"}, 403),
        ("GET", {"Origin": "https://evil.example"}, 200),
        ("DELETE", {"Origin": "https://evil.example"}, 403),
        ("DELETE", {"Origin": "null"}, 403),
        ("DELETE", {"Sec-Fetch-Site": "cross-site"}, 403),
        ("DELETE", {"Host": "localhost:1", "Origin": "http://localhost:1", "Sec-Fetch-Site": "same-origin"}, 204),
    ],
)
def test_a_page_of_another_site_does_nothing(served_quickly, method, headers, status):
    served_quickly.grain("echo", ECHO)
    served_quickly.load()
    assert served_quickly.http.request(method, "/api/v1/applications/app", headers=headers).status_code == status
