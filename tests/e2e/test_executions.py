"""What happens to an invocation, and what can be asked of it while it runs and after."""

import json
import time

import pytest
from conftest import Tested, is_problem, until

RELEASED_SECONDS = 4.0
"""The host agent lets an execution's values go 3 seconds after its end."""


def test_a_workflow_hands_outputs_on(probe: Tested):
    assert probe.ask("probe/chain", {"number": 3}) == {"number": 24}


def test_an_answer_says_where_its_time_went(probe: Tested):
    response = probe.invoke("probe/chain", {"number": 1})
    parts = dict(entry.strip().split(";dur=") for entry in response.headers["Server-Timing"].split(","))
    assert set(parts) >= {"queue", "dispatch", "run", "bus"}
    assert all(float(ms) >= 0 for ms in parts.values())


def test_the_timeline_has_a_row_an_attempt(probe: Tested):
    hops = probe.hops("probe", probe.invoke("probe/chain", {"number": 1}).headers["Sand-Execution-Id"])
    assert [hop["grain"] for hop in hops] == ["double"] * 3
    assert all(hop[part] >= 0 for hop in hops for part in ("queueMs", "dispatchMs", "runMs", "busMs"))


def test_asynchronous_means_accepted_now_and_answered_later(probe: Tested):
    accepted = probe.invoke("probe/sleep", {"seconds": 0.3}, Prefer="respond-async")
    assert accepted.status_code == 202
    invocation = accepted.headers["Sand-Execution-Id"]
    location = accepted.headers["Location"]
    assert probe.http.get(location).json()["status"] in ("RUNNING", "SUCCEEDED")
    assert probe.ended("probe", invocation)["status"] == "SUCCEEDED"
    assert probe.http.get(f"{location}/output").json() == {"slept": 0.3}


def test_wait_answers_with_the_output_when_it_comes_in_time(probe: Tested):
    assert probe.invoke("probe/echo", "now", Prefer="wait=20").json() == "now"
    assert probe.invoke("probe/sleep", {"seconds": 3}, Prefer="wait=0").status_code == 202


def test_one_idempotency_key_is_one_execution(probe: Tested):
    event = {"do": "count", "key": "once"}
    responses = [probe.invoke("probe/store", event, Idempotency_Key="the-same") for _ in range(3)]
    assert [response.json() for response in responses] == [1, 1, 1]
    assert len({response.headers["Sand-Execution-Id"] for response in responses}) == 1


def test_one_idempotency_key_for_two_requests_is_a_conflict(probe: Tested):
    assert probe.invoke("probe/echo", 1, Idempotency_Key="another").status_code == 200
    response = probe.invoke("probe/echo", 2, Idempotency_Key="another")
    assert response.status_code in (409, 422), response.text


def test_what_is_published_joins_the_execution(probe: Tested):
    assert probe.ask("probe/spread", {"numbers": [5]}) == {"number": 10}
    assert probe.ask("probe/spread", {"numbers": [1, 2, 3]}) == [{"number": 2}, {"number": 4}, {"number": 6}]


def test_a_failing_task_is_tried_again_as_the_workflow_says(probe: Tested):
    response = probe.invoke("probe/rescue", {"key": "attempts"})
    assert response.json() == "at last"
    hops = probe.hops("probe", response.headers["Sand-Execution-Id"])
    assert [hop["error"] for hop in hops] == ["NotYet", "NotYet", None]


def test_a_running_execution_can_be_cancelled(probe: Tested):
    for target, event in (("slow", {}), ("sleep", {"seconds": 15})):
        invocation = probe.invoke(f"probe/{target}", event, Prefer="respond-async").headers["Sand-Execution-Id"]
        response = probe.http.post(f"/api/v1/applications/probe/invocations/{invocation}/cancel")
        assert response.status_code in (200, 202, 204), response.text
        assert probe.ended("probe", invocation)["status"] == "CANCELLED"


def test_a_deadline_ends_what_runs(probe: Tested):
    problem = is_problem(probe.invoke("probe/sleep", {"seconds": 10}, Sand_Timeout="300ms"), 504, "platform")
    assert problem["error"] == "Sand.Timeout"


def test_a_record_has_times_and_use(probe: Tested):
    invocation = probe.invoke("probe/sleep", {"seconds": 0.1}).headers["Sand-Execution-Id"]
    probe.ended("probe", invocation)
    record = until(
        lambda: (found := probe.api("probe", "invocations", invocation))["peakMemoryBytes"] and found, "the exit is known"
    )
    assert record["endedMs"] - record["startedMs"] >= 90
    assert record["cpuUs"] > 0
    assert 1 << 20 < record["peakMemoryBytes"] < 1 << 30


def test_logs_are_kept_by_invocation(probe: Tested):
    first = probe.invoke("probe/talk", {"number": 1}).headers["Sand-Execution-Id"]
    second = probe.invoke("probe/talk", {"number": 2}).headers["Sand-Execution-Id"]

    def lines(invocation: str) -> list[dict]:
        return probe.api("probe", "invocations", invocation, "logs")["lines"]

    for invocation, number in ((first, 1), (second, 2)):
        until(lambda invocation=invocation: len(lines(invocation)) >= 3, "the lines are there")
        texts = {line["stream"]: line["text"] for line in lines(invocation) if not line.get("level")}
        assert texts["stdout"] == "to stdout"
        assert texts["stderr"] == "to stderr"
        (structured,) = [line for line in lines(invocation) if line.get("level")]
        assert json.loads(structured["text"])["number"] == number
        assert structured["level"].lower() == "warning"


def test_events_follow_an_execution_to_its_end(probe: Tested):
    invocation = probe.invoke("probe/one_at_a_time", {"seconds": 0.5}, Prefer="respond-async").headers["Sand-Execution-Id"]
    with probe.http.stream("GET", f"/api/v1/applications/probe/invocations/{invocation}/events") as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")
        text = stream.read().decode()
    assert "event:" in text
    assert "SUCCEEDED" in text


def test_bytes_pass_through_as_they_are(probe: Tested):
    data = bytes(range(256)) * 1000
    response = probe.http.post("/invoke/probe/echo", content=data, headers={"Content-Type": "application/octet-stream"})
    assert response.content == data
    assert response.headers["content-type"] == "application/octet-stream"


def test_a_route_gives_the_request_as_an_event(probe: Tested):
    response = probe.http.put(
        "/web/probe/mirror/a/b%20c?x=1&x=2&y=", content=b"hello", headers={"X-Mine": "here", "Content-Type": "text/plain"}
    )
    event = response.json()
    assert (event["method"], event["body"]) == ("PUT", "hello")
    assert event["parameters"]["path"] == "a/b c"
    assert event["headers"]["x-mine"] == "here"
    assert event["query"]["y"] == ""


def test_executions_at_once_do_not_mix(probe: Tested):
    responses = probe.ask_all("probe/chain", [{"number": number} for number in range(100)], at_once=32)
    assert [response.json()["number"] for response in responses] == [number * 8 for number in range(100)]


def test_concurrency_one_completes_in_order(probe: Tested):
    accepted = [
        probe.invoke("probe/one_at_a_time", {"seconds": 0.05}, Prefer="respond-async").headers["Sand-Execution-Id"]
        for _ in range(3)
    ]
    order = [probe.ended("probe", invocation)["endedMs"] for invocation in accepted]
    assert order == sorted(order)


@pytest.mark.parametrize("path", ["/livez", "/readyz", "/openapi.yaml", "/api/v1/status"])
def test_what_operators_look_at_is_there(probe: Tested, path):
    assert probe.http.get(path).status_code == 200


def test_a_redrive_runs_on_with_the_grain_that_was_mended(probe: Tested):
    def deploy(code: str, state: str) -> int:
        definition = {"StartAt": state, "States": {state: {"Type": "Task", "Resource": "work", "End": True}}}
        files = {
            "sand.yaml": "name: again",
            "grains/work/handler.py": f"def handle(event, context):\n    {code}\n",
            "workflows/main.asl.json": json.dumps(definition),
        }
        return probe.deploy_files(files).json()["version"]

    broken, mended = deploy("raise ValueError", "A"), deploy("return event", "A")
    other = deploy("return event", "B")
    invocation = probe.invoke(f"again/main@{broken}", 7).headers["Sand-Execution-Id"]
    path = f"/api/v1/applications/again/invocations/{invocation}"
    for unlike in (other, 99):
        is_problem(probe.http.post(f"{path}/redrive", json={"version": unlike}), 409)
    for wrong in ({"version": 0}, {"version": "live"}, {"version": mended, "more": 1}):
        is_problem(probe.http.post(f"{path}/redrive", json=wrong), 400)
    for _ in range(2):  # whoever got no answer asks again, at once
        assert probe.http.post(f"{path}/redrive", json={"redriveCount": 1, "version": mended}).status_code == 202
    record = probe.ended("again", invocation)
    assert (record["status"], record["version"], record["redriveCount"]) == ("SUCCEEDED", mended, 1)
    assert probe.http.get(f"{path}/output").json() == 7
    is_problem(probe.http.post(f"{path}/redrive", json={"redriveCount": 1, "version": broken}), 409)


def test_a_redrive_with_a_large_input_long_after_the_end(probe: Tested):
    """What the execution had in the host's memory is let go meanwhile."""

    def deploy(code: str) -> int:
        definition = {"StartAt": "A", "States": {"A": {"Type": "Task", "Resource": "work", "End": True}}}
        files = {
            "sand.yaml": "name: later",
            "grains/work/handler.py": f"def handle(event, context):\n    {code}\n",
            "workflows/main.asl.json": json.dumps(definition),
        }
        return probe.deploy_files(files).json()["version"]

    deploy("raise ValueError")
    value = "y" * 100_000  # by reference, and small enough to be kept with the execution's history
    invocation = probe.invoke("later/main", value).headers["Sand-Execution-Id"]
    mended = deploy("return len(event)")
    time.sleep(RELEASED_SECONDS)
    path = f"/api/v1/applications/later/invocations/{invocation}"
    assert probe.http.post(f"{path}/redrive", json={"version": mended}).status_code == 202
    assert probe.ended("later", invocation)["status"] == "SUCCEEDED"
    assert probe.http.get(f"{path}/output").json() == len(value)
