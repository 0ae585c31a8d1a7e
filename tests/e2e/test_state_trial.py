"""One state tried by itself: POST /api/v1/asl/test-state, on the platform and on the emulator."""

from __future__ import annotations

from typing import Any

import pytest
from conftest import is_problem
from scenario import Server

PATH = "/api/v1/asl/test-state"
DEFINITION = {
    "StartAt": "Ask",
    "States": {
        "Ask": {
            "Type": "Task",
            "Resource": "arn:aws:states:::lambda:invoke",
            "Parameters": {"FunctionName": "ask", "Payload.$": "$"},
            "ResultSelector": {"said.$": "$.Payload"},
            "Catch": [{"ErrorEquals": ["States.TaskFailed"], "Next": "Sorry"}],
            "Next": "Enough?",
        },
        "Enough?": {
            "Type": "Choice",
            "Choices": [{"Variable": "$.said", "NumericGreaterThan": 9, "Next": "Sorry"}],
            "Default": "Ask",
        },
        "Sorry": {"Type": "Fail", "Error": "Sorry"},
    },
}


@pytest.fixture(scope="module")
def server(either: str) -> Server:
    return Server(either)


def trial(server: Server, state: str, **more: Any) -> dict[str, Any]:
    response = server.http.post(PATH, json={"definition": DEFINITION, "state": state, **more})
    assert response.status_code == 200, response.text
    return response.json()


def test_a_task_is_told_with_what_follows(server: Server) -> None:
    assert trial(server, "Ask", input={"n": 5}) == {"status": "SUCCEEDED", "output": {"said": {"n": 5}}, "next": "Enough?"}
    assert trial(server, "Ask", input={"n": 5}, grains={"ask": {"return": [1]}})["output"] == {"said": [1]}
    failed = trial(server, "Ask", grains={"ask": {"raise": {"error": "Gone", "cause": "away"}}})
    assert failed == {
        "status": "CAUGHT",
        "output": {"Error": "Gone", "Cause": "away"},
        "next": "Sorry",
        "error": "Gone",
        "cause": "away",
    }


def test_an_error_that_is_caught_is_told_whatever_goes_on(server: Server) -> None:
    catch = [{"ErrorEquals": ["States.ALL"], "Output": "{% $keys($states) %}", "Next": "B"}]
    state = {"Type": "Task", "Resource": "ask", "Catch": catch, "End": True}
    body = {
        "definition": {"QueryLanguage": "JSONata", "StartAt": "A", "States": {"A": state}},
        "state": "A",
        "grains": {"ask": {"raise": {"error": "Gone", "cause": "away"}}},
    }
    assert server.http.post(PATH, json=body).json() == {
        "status": "CAUGHT",
        "output": ["input", "context", "errorOutput"],
        "next": "B",
        "error": "Gone",
        "cause": "away",
    }


def test_a_cause_names_no_event(server: Server) -> None:
    state = {"Type": "Pass", "InputPath": "$.none", "End": True}
    body = {"definition": {"StartAt": "A", "States": {"A": state}}, "state": "A", "variables": {"v": 1}}
    found = server.http.post(PATH, json=body).json()
    assert found["cause"] == "Invalid path '$.none' : No results for path: $['none']"


def test_a_choice_says_where_it_leads_and_an_end_that_it_is_one(server: Server) -> None:
    assert [trial(server, "Enough?", input={"said": said})["next"] for said in (9, 10)] == ["Ask", "Sorry"]
    assert trial(server, "Sorry") == {"status": "FAILED", "error": "Sorry", "cause": None}


NAMED = {
    "StartAt": "way 0",
    "States": {
        "way 0": {
            "Type": "Map",
            "Next": "way 1",
            "ItemProcessor": {
                "StartAt": "way of variables",
                "States": {"way of variables": {"Type": "Pass", "Parameters": {"v.$": "$v"}, "End": True}},
            },
        }
    },
}
TELLS = {"ErrorEquals": ["States.ALL"], "Next": "B", "Output": {"Error": 5, "Cause": {"a": 1}}}
CAUGHT = {
    "StartAt": "A",
    "QueryLanguage": "JSONata",
    "States": {"A": {"Type": "Task", "Resource": "g", "End": True, "Catch": [TELLS]}},
}
END = {"StartAt": "A", "States": {"A": {"Type": "Pass", "End": "true"}}}


def test_names_and_values_of_others_do_not_mislead_it(server: Server) -> None:
    def of(definition: dict[str, Any], state: str, **more: Any) -> dict[str, Any]:
        return server.http.post(PATH, json={"definition": definition, "state": state, **more}).json()

    named = of(NAMED, "way 0", input=[1], variables={"v": 7})
    assert named == {"status": "SUCCEEDED", "output": [{"v": 7}], "next": "way 1"}
    caught = of(CAUGHT, "A", grains={"g": {"raise": {"error": "X"}}})
    assert (caught["status"], caught["output"], caught["error"], caught["cause"]) == ("CAUGHT", TELLS["Output"], "X", None)
    assert of(END, "A")["diagnostics"][0]["pointer"] == "/States/A/End"


def test_digits_stay_as_they_are(server: Server) -> None:
    definition = '{"StartAt": "A", "States": {"A": {"Type": "Pass", "End": true}}}'
    body = f'{{"definition": {definition}, "state": "A", "input": 12345678901234567890.50}}'
    response = server.http.post(PATH, content=body, headers={"Content-Type": "application/json"})
    assert '"output":12345678901234567890.50' in response.text.replace(" ", "")


def test_a_state_that_is_wrong_is_told_with_each_place(server: Server) -> None:
    definition = {"StartAt": "A", "States": {"A": {"Type": "Wait", "Seconds": -1, "End": True}}}
    found = server.http.post(PATH, json={"definition": definition, "state": "A"}).json()
    assert found["status"] == "INVALID"
    assert [each["pointer"] for each in found["diagnostics"]] == ["/States/A/Seconds"]


@pytest.mark.parametrize(
    ("stub", "pointer"),
    [({"retrun": 1}, "/grains/ask"), ({"callback": {"sucess": 1}}, "/grains/ask/callback"), (5, "/grains/ask")],
)
def test_stubs_that_say_nothing_are_told(server: Server, stub: Any, pointer: str) -> None:
    found = trial(server, "Ask", grains={"ask": stub})
    assert found["status"] == "INVALID"
    assert [each["pointer"] for each in found["diagnostics"]] == [pointer]


def test_an_expression_that_never_ends_is_ended(server: Server) -> None:
    output = "{% ($f := function($n) { $f($n + 1) }; $f(1)) %}"
    state = {"Type": "Pass", "QueryLanguage": "JSONata", "Output": output, "End": True}
    found = server.http.post(
        PATH, json={"definition": {"StartAt": "A", "States": {"A": state}}, "state": "A"}, timeout=60
    ).json()
    assert (found["status"], found["error"]) == ("FAILED", "States.QueryEvaluationError")


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b"{",
        b'{"definition": {}}',
        b'{"definition": "{}", "state": "A"}',
        b'{"definition": {"States": {}}, "state": "A"}',
        b'{"definition": {"States": {"A": {"Type": "Pass", "End": true}}}, "state": "A", "grains": []}',
        b'{"definition": {"States": {"A": {"Type": "Pass", "End": true}}}, "state": "A", "variables": 1}',
        b'{"definition": ' + b"[" * 20_000 + b'1, "state": "A"}',
    ],
)
def test_whatever_is_no_question_is_refused(server: Server, body: bytes) -> None:
    is_problem(server.http.post(PATH, content=body, headers={"Content-Type": "application/json"}), 400)


def test_a_definition_that_is_too_large_is_refused(server: Server) -> None:
    body = b'{"state": "A", "definition": {"Comment": "' + b"x" * (5 << 20) + b'"}}'
    is_problem(server.http.post(PATH, content=body, headers={"Content-Type": "application/json"}), 413)
