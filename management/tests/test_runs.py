import pytest
from asking import EXECUTION

ONE = {"app": "shop", "id": EXECUTION}


def test_an_execution_is_cancelled_with_what_is_said(caller, platform):
    caller("runs", "cancelInvocation", ONE)
    assert platform.last == ("cancelInvocation", {"parameters": ONE})
    caller("runs", "cancelInvocation", ONE, body={"error": "TooSlow", "cause": None})
    assert platform.last == ("cancelInvocation", {"parameters": ONE, "body": {"error": "TooSlow"}})


def test_a_workflows_execution_is_redriven(caller, platform):
    caller("runs", "redriveInvocation", ONE, {"timeout": "1.5m"}, {"redriveCount": 2})
    asked = {"parameters": ONE, "query": {"timeout": "90000ms"}, "body": {"redriveCount": 2}}
    assert platform.last == ("redriveInvocation", asked)
    caller("runs", "redriveInvocation", ONE, body={"version": 3})
    assert platform.last == ("redriveInvocation", {"parameters": ONE, "body": {"version": 3}})
    caller("runs", "redriveInvocation", ONE, body={"from": "Resize"})
    assert platform.last == ("redriveInvocation", {"parameters": ONE, "body": {"from": "Resize"}})


@pytest.mark.parametrize(
    ("body", "pointer", "detail"),
    [
        ("stop", "/body", 'The body is a JSON object with an "error" and a "cause", or there is none.'),
        ({"why": 1}, "/body/why", '"why" says nothing here: an execution is stopped with "error" and "cause".'),
        ({"error": 1}, "/body/error", '"error" is a string.'),
        ({"error": "x" * 257}, "/body/error", '"error" has 257 characters, the limit is 256.'),
        ({"cause": "x" * 32769}, "/body/cause", '"cause" has 32769 characters, the limit is 32768.'),
        ({"error": "Sand.Mine"}, "/body/error", None),
    ],
)
def test_odd_stops_are_refused(caller, platform, body, pointer, detail):
    caller("runs", "cancelInvocation", ONE, body=body).refuses(pointer, detail)
    assert not platform.calls


@pytest.mark.parametrize(
    ("query", "body", "pointer", "detail"),
    [
        ({"timeout": "soon"}, None, "/query/timeout", "timeout: 'soon' is not a duration like 500ms, 30s or 10m."),
        ({"timeout": "0s"}, None, "/query/timeout", "timeout is from 1ms to 366d, not '0s'."),
        ({"timeout": "367d"}, None, "/query/timeout", None),
        ({}, {"redriveCount": 0}, "/body/redriveCount", None),
        ({}, {"redriveCount": "1"}, "/body/redriveCount", None),
        ({}, {"version": "live"}, "/body/version", None),
        ({}, {"from": 1}, "/body/from", None),
        ({}, {"from": ""}, "/body/from", None),
        ({}, {"redriveCount": 1, "version": None}, "/body/version", None),
        (
            {},
            {"count": 1},
            "/body/count",
            'The body is a JSON object with a "redriveCount" or a "version", numbers from 1 on, or with a "from", the name of a'
            " state, or there is none.",
        ),
    ],
)
def test_odd_redrives_are_refused(caller, platform, query, body, pointer, detail):
    caller("runs", "redriveInvocation", ONE, query, body).refuses(pointer, detail)
    assert not platform.calls
