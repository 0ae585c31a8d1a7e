"""Tasks that wait for a callback, over the emulator's HTTP interface."""

import json

import pytest

ASK = "def handle(event, context):\n    context.data.put('token', event['token'])\n    return 'ignored'\n"


@pytest.fixture
def asking(forked):
    """An application whose workflow waits for a token; gives a function that starts it: where it is, and its token."""
    forked.grain("ask", ASK)
    forked.grain("told", "def handle(event, context):\n    return context.data.get('token')\n")
    (forked.folder / "workflows").mkdir()
    given = {"token.$": "$$.Task.Token"}
    rules = {"HeartbeatSeconds": 100, "Catch": [{"ErrorEquals": ["Declined"], "Next": "No"}]}
    task = {"Type": "Task", "Resource": "ask.waitForTaskToken", "Parameters": given, "End": True, **rules}
    states = {"Ask": task, "No": {"Type": "Pass", "End": True}}
    (forked.folder / "workflows/main.asl.json").write_text(json.dumps({"StartAt": "Ask", "States": states}))
    forked.load()

    def start():
        where = forked.call("main", {}, Prefer="respond-async").headers["location"]
        token = None
        while token is None:
            token = forked.ask("told")
        return where, token

    return start


def report(served, what, **body):
    return served.http.post(f"/api/v1/task-tokens/{what}", json=body)


def output(served, where):
    with served.http.stream("GET", f"{where}/events", headers={"Accept": "text/event-stream"}) as events:
        assert any(line == "event: end" for line in events.iter_lines())
    return served.http.get(f"{where}/output").json()


def test_a_success_is_the_output_and_is_taken_once(forked, asking):
    where, token = asking()
    execution = where.rpartition("/")[2]
    assert report(forked, "heartbeat", token=token).json() == {"executionId": execution, "status": "TAKEN"}
    assert report(forked, "success", token=token, output={"paid": 1.5}).json() == {"executionId": execution, "status": "TAKEN"}
    assert output(forked, where) == {"paid": 1.5}
    again = report(forked, "success", token=token, output=1)
    assert (again.status_code, again.json()["type"].rpartition("/")[2]) == (409, "token-not-awaited")
    assert again.json()["executionId"] == execution


def test_whoever_reports_is_told_what_went_wrong_with_the_report(forked, asking):
    _, token = asking()
    applications = forked.emulator.applications

    def broken(live, step):
        raise ZeroDivisionError(step)

    with pytest.raises(ZeroDivisionError, match="Ask>token"):
        applications.call_back(applications.tokens.read(token), broken)
    assert report(forked, "success", token=token, output=1).status_code == 200


def test_a_failure_is_the_states_to_catch(forked, asking):
    where, token = asking()
    assert report(forked, "failure", token=token, error="Declined", cause="no money").status_code == 200
    assert output(forked, where) == {"Error": "Declined", "Cause": "no money"}


def test_what_is_no_report_is_refused(forked, asking):
    where, token = asking()
    forged = token[:-2] + ("AA" if token[-2:] != "AA" else "BB")
    assert report(forked, "success", token=forged, output=1).json()["type"].endswith("/unknown-token")
    assert report(forked, "heartbeat", token="x.y").json()["type"].endswith("/unknown-token")
    assert '"outptu" says nothing here' in report(forked, "success", token=token, output=1, outptu=2).json()["detail"]
    for body in ({}, {"token": 7}, {"token": token}, {"token": token, "error": 7}):
        what = "failure" if "error" in body else "success"
        assert report(forked, what, **body).json()["type"].endswith("/bad-request")
    large = report(forked, "success", token=token, output="x" * (256 << 10))
    assert (large.status_code, large.json()["limit"]) == (413, 256 << 10)
    assert forked.http.post(f"{where}/cancel").status_code == 200
    assert report(forked, "success", token=token, output=1).status_code == 409
