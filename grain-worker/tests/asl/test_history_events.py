"""How the events of a history follow each other: the vectors of event/vectors/history, which the Java engine runs too."""

from pathlib import Path
from typing import Any

import pytest

from sand.asl import Machine, document, quotas, trial
from sand.asl.events import EventLog
from sand.asl.stubs import Stubs

FOLDER = Path(__file__).parents[3] / "event" / "vectors" / "history"
VECTORS = [vector for path in sorted(FOLDER.glob("*.json")) for vector in document.parse(path.read_text())["vectors"]]


def line(event: dict[str, Any]) -> str:
    location = event.get("evaluationFailedEventDetails", {}).get("location")
    return f"{event['previousEventId']} {event['type']}" + (f" {location}" if location else "")


@pytest.mark.parametrize("vector", VECTORS, ids=[vector["name"] for vector in VECTORS])
def test_history(vector: dict[str, Any]) -> None:
    log = EventLog()
    machine = Machine(document.write(vector["definition"]))
    trial.run(machine.execution(log=log), vector["input"], Stubs(vector.get("grains")))
    shown = log.of("")
    assert [event["id"] for event in shown] == list(range(1, len(shown) + 1))
    assert [line(event) for event in shown] == vector["events"]


def test_the_exit_of_a_state_has_its_variables() -> None:
    log = EventLog()
    state = {"Type": "Pass", "Assign": {"a": {"b": 1}, "text": "x"}, "End": True}
    trial.run(Machine({"StartAt": "S", "States": {"S": state}}).execution(log=log), {}, Stubs(None))
    details = log.of("")[2]["stateExitedEventDetails"]
    assert details["assignedVariables"] == {"a": '{"b":1}', "text": '"x"'}
    assert details["assignedVariablesDetails"] == {"truncated": False}


def test_a_task_that_is_scheduled_has_the_role_of_its_credentials() -> None:
    """localstack/localstack, v2/credentials, test_cross_account_lambda_task, as recorded on AWS on 2024-12-04."""
    log = EventLog()
    task = {"Type": "Task", "Resource": "g", "Credentials": {"RoleArn.$": "$.role"}, "End": True}
    trial.run(Machine({"StartAt": "S", "States": {"S": task}}).execution(log=log), {"role": "arn:x"}, Stubs(None))
    assert log.of("")[2]["lambdaFunctionScheduledEventDetails"]["taskCredentials"] == {"roleArn": "arn:x"}


def test_a_parallel_that_failed_has_no_details() -> None:
    log = EventLog()
    branch = {"StartAt": "F", "States": {"F": {"Type": "Fail", "Error": "E"}}}
    machine = Machine({"StartAt": "P", "States": {"P": {"Type": "Parallel", "Branches": [branch], "End": True}}})
    trial.run(machine.execution(log=log), {}, Stubs(None))
    assert list(log.of("")[4]) == ["id", "previousEventId", "timestamp", "type"]


def test_a_time_out_of_the_whole_has_an_error_and_no_cause() -> None:
    log = EventLog()
    machine = Machine({"TimeoutSeconds": 3, "StartAt": "W", "States": {"W": {"Type": "Wait", "Seconds": 25, "End": True}}})
    outcome = trial.run(machine.execution(log=log), {}, Stubs(None))
    assert log.of("")[-1]["executionTimedOutEventDetails"] == {"error": "States.Timeout"}
    assert outcome.error == "States.Timeout"
    assert outcome.document() == {"status": "TIMED_OUT", "error": None, "cause": None}


def test_a_long_cause_is_the_same_for_all_who_are_told_of_it() -> None:
    log = EventLog()
    branch = {"StartAt": "T", "States": {"T": {"Type": "Task", "Resource": "g", "End": True}}}
    machine = Machine({"StartAt": "P", "States": {"P": {"Type": "Parallel", "Branches": [branch], "End": True}}})
    failing = {"g": {"raise": {"error": "E" * 300, "cause": "c" * 40_000}}}
    outcome = trial.run(machine.execution(log=log), {}, Stubs(failing))
    told = {"error": "E" * 256 + "…", "cause": "c" * 32_768 + "…"}
    events = {event["type"]: event for event in log.of("")}
    assert events["LambdaFunctionFailed"]["lambdaFunctionFailedEventDetails"] == told
    assert events["ExecutionFailed"]["executionFailedEventDetails"] == told
    assert {"error": outcome.error, "cause": outcome.cause} == told


def test_a_full_history_ends_with_its_25000th_event() -> None:
    """floci-io/floci, issue 2734: as measured on AWS."""
    log = EventLog()
    spin = {"Type": "Choice", "Choices": [{"Variable": "$.spin", "IsPresent": True, "Next": "S"}], "Default": "E"}
    machine = Machine({"StartAt": "S", "States": {"S": spin, "E": {"Type": "Succeed"}}})
    trial.run(machine.execution(log=log, quotas=quotas.AWS), {"spin": True}, Stubs(None))
    before, last = log.of("")[-2:]
    assert (before["id"], before["type"]) == (24_999, "ChoiceStateExited")
    assert (last["id"], last["previousEventId"], last["type"]) == (25_000, 24_999, "ExecutionFailed")
